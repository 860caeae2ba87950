import Foundation
import Synchronization
import TestSupport

/// Passes bytes on between whoever connects and a port of this machine, until a test holds back or changes what it
/// sees.
final class Relay: Sendable {
  enum Way: Sendable { case there, back }

  /// Says of what comes on a way whether it is held back, with all behind it on that connection.
  typealias Hold = @Sendable (Way, [UInt8]) -> Bool

  /// Says what is passed on in place of what comes on a way.
  typealias Change = @Sendable (Way, [UInt8]) -> [UInt8]

  let port: Int
  /// One for each time that something was held back.
  let held = Events<Way>()
  private let target: Int
  private let listener: Int32
  private let holds = Mutex<Hold?>(nil)
  private let change: Change?

  /// Two sockets that belong together, closed by the second of their threads.
  private final class Pair: Sendable {
    let client, server: Int32
    private let ended = Mutex(false)

    init(_ client: Int32, _ server: Int32) { (self.client, self.server) = (client, server) }

    func end() {
      let isLast = ended.withLock { ended in
        defer { ended = true }
        return ended
      }
      for descriptor in [client, server] {
        shutdown(descriptor, Int32(SHUT_RDWR))
        if isLast { close(descriptor) }
      }
    }
  }

  init(to target: Int, change: Change? = nil) throws {
    (self.target, self.change) = (target, change)
    port = try Loopback.freePort()
    listener = Self.socket()
    let isBound = withUnsafeBytes(of: Loopback.address(port: port)) {
      bind(listener, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    guard isBound == 0, listen(listener, 16) == 0 else { throw POSIXError(.EADDRINUSE) }
    Thread.detachNewThread { [weak self, listener] in
      while case let client = accept(listener, nil, nil), client >= 0 {
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        self?.join(client)
      }
      close(listener)
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  func hold(_ hold: Hold?) { holds.withLock { $0 = hold } }

  private static func socket() -> Int32 {
    Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  }

  private func join(_ client: Int32) {
    let pair = Pair(client, Self.socket())
    guard Loopback.connect(pair.server, port: target) else {
      pair.end()
      return pair.end()
    }
    for way in [Way.there, .back] {
      Thread.detachNewThread { [weak self] in
        Self.pass(way, pair, self?.change) { self?.isHeld(way, $0) ?? false }
        pair.end()
      }
    }
  }

  private static func pass(
    _ way: Way, _ pair: Pair, _ change: Change?, isHeld: ([UInt8]) -> Bool
  ) {
    let (source, sink) = way == .there ? (pair.client, pair.server) : (pair.server, pair.client)
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var isOpen = true
    while case let count = recv(source, &buffer, buffer.count, 0), count > 0 {
      let came = Array(buffer.prefix(count))
      let bytes = change?(way, came) ?? came
      isOpen = isOpen && !isHeld(bytes)
      guard !isOpen || Loopback.send(bytes, sink) else { return }
    }
  }

  private func isHeld(_ way: Way, _ bytes: [UInt8]) -> Bool {
    guard let hold = holds.withLock({ $0 }), hold(way, bytes) else { return false }
    held.add(way)
    return true
  }
}
