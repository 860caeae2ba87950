import CLinux
import Foundation
import Synchronization

/// A simulated kernel with Wi-Fi behind a socket of packets, for a host (`HostPaths.netlink`).
package final class KernelSocket: Sendable {
  package let path: String
  private let listener: Int32
  private let state: Mutex<State>

  private struct State: Sendable {
    var kernel: KernelWiFi
    /// The connection that was opened last.
    var connection: Int32 = -1
  }

  package init(_ kernel: KernelWiFi) throws {
    let path = "/tmp/meridian-kernel-\(UUID().uuidString.prefix(8))"
    let listener = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
    self.listener = listener
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0, listen(listener, 4) == 0 else { throw CocoaError(.fileWriteUnknown) }
    self.path = path
    state = Mutex(State(kernel: kernel))
    Thread.detachNewThread { [weak self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { break }
        guard let self else { break }
        self.state.withLock { $0.connection = connection }
        Thread.detachNewThread { [weak self] in self?.serve(connection) }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    unlink(path)
  }

  /// Ends the scan of an adapter: these access points are heard now.
  package func scan(_ index: Int, hears points: [AccessPoint]) {
    state.withLock { state in
      guard let place = state.kernel.adapters.firstIndex(where: { $0.index == index }) else {
        return
      }
      state.kernel.adapters[place].accessPoints = points.map { point in
        var point = point
        point.heardAt = Int(linux_uptime_nanoseconds())
        return point
      }
      Self.write(KernelWiFi.scanned(index), to: state.connection)
    }
  }

  private func serve(_ connection: Int32) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(connection, &buffer, buffer.count)
      guard count > 0 else { break }
      let request = Array(buffer.prefix(count))
      state.withLock { state in
        for answer in state.kernel.answers(to: request) { Self.write(answer, to: connection) }
      }
    }
    state.withLock { if $0.connection == connection { $0.connection = -1 } }
    close(connection)
  }

  private static func write(_ bytes: [UInt8], to connection: Int32) {
    _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }
}
