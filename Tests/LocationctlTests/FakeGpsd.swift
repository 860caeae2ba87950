import Foundation
import Glibc

/// A server that says a few lines to whoever connects, and what a WATCH asks for.
///
/// Listens on a free port of this machine, and ends with its last reference.
final class FakeGpsd: Sendable {
  let port: UInt16
  /// An element for each client that has asked.
  let asked: AsyncStream<Void>
  private let listener: Int32

  static let version =
    #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#

  /// Greets as gpsd, and answers the first request with these lines.
  init(answer: [String]) throws {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let socket = Glibc.socket(AF_INET, kind, 0)
    listener = socket
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        bind(socket, raw, length) == 0 && listen(socket, 4) == 0
          && getsockname(socket, raw, &length) == 0
      }
    }
    guard isListening else { throw Refusal() }
    port = UInt16(bigEndian: address.sin_port)
    let (asked, continuation) = AsyncStream.makeStream(of: Void.self)
    self.asked = asked
    Server.serve(socket, greeting: Self.version, answer: answer) { continuation.yield() }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  struct Refusal: Error {}

  private enum Server {
    /// Serves one client after the other on a thread of its own.
    static func serve(
      _ listener: Int32, greeting: String, answer: [String], _ asked: @escaping @Sendable () -> Void
    ) {
      Thread.detachNewThread {
        while true {
          let client = accept(listener, nil, nil)
          guard client >= 0 else { return }
          say([greeting], to: client)
          var buffer = [UInt8](repeating: 0, count: 1024)
          guard read(client, &buffer, buffer.count) > 0 else {
            close(client)
            continue
          }
          say(answer, to: client)
          asked()
          while read(client, &buffer, buffer.count) > 0 {}
          close(client)
        }
      }
    }

    static func say(_ lines: [String], to client: Int32) {
      let bytes = Array(lines.map { $0 + "\r\n" }.joined().utf8)
      _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
  }
}

/// A port of this machine on which nobody listens.
func unusedPort() throws -> UInt16 {
  try FakeGpsd(answer: []).port
}
