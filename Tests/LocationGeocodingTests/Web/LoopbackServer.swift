import Glibc

/// A web server of this process that gives every connection the next of its prepared answers.
final class LoopbackServer: Sendable {
  let port: UInt16

  /// Serves whole HTTP responses, one a connection, and then hangs up for good.
  init(answers: [[UInt8]]) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        precondition(bind(listener, $0, length) == 0 && listen(listener, 8) == 0)
        getsockname(listener, $0, &length)
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    Self.start { Self.serve(answers, on: listener) }
  }

  private static func serve(_ answers: [[UInt8]], on listener: Int32) {
    for answer in answers {
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { return }
      var request = [UInt8](repeating: 0, count: 4096)
      _ = read(connection, &request, request.count)
      var rest = answer[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes {
          send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { break }
        rest = rest.dropFirst(count)
      }
      close(connection)
    }
    // Here and nowhere else: a descriptor closed elsewhere may belong to another server by now.
    close(listener)
  }

  private static func start(_ body: @escaping @Sendable () -> Void) {
    final class Box {
      let body: @Sendable () -> Void;
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Box(body))
    pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    pthread_detach(thread)
  }
}
