import Dispatch
import Foundation

/// The socket of a supervisor, and the messages it receives.
package final class NoticeSocket: Sendable {
  package let path: String
  package let events = Events<String>()
  // A dispatch source may be canceled from any thread; the compiler cannot know.
  private nonisolated(unsafe) let source: any DispatchSourceRead

  package init(at path: String) throws {
    self.path = path
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0 else { throw POSIXError(.EADDRINUSE) }
    // Also for a daemon of another user.
    chmod(path, 0o777)
    let events = events
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
    source.setEventHandler {
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      if count > 0 { events.add(String(decoding: bytes.prefix(count), as: UTF8.self)) }
    }
    source.setCancelHandler { close(descriptor) }
    source.activate()
  }

  deinit { source.cancel() }
}
