import Glibc

/// Serves the figures over HTTP at a port of the loopback: one short answer to whatever is asked.
///
/// It never waits: a caller that is slow is closed.
struct FigurePort {
  let listener: Int32
  private var callers: [(descriptor: Int32, request: [UInt8], turns: Int)] = []

  init(_ port: Int) throws(FleetFault) {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_NONBLOCK | O_CLOEXEC, 0)
    var yes: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port).bigEndian)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let bound = withUnsafeBytes(of: &address) {
      bind(
        listener, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    guard bound == 0, listen(listener, 8) == 0 else {
      throw FleetFault(
        reason: "port \(port) of 127.0.0.1: \(String(cString: strerror(errno)))", status: 1)
    }
  }

  /// Answers those who have asked; `text` is made only for them.
  mutating func turn(_ text: () -> String) {
    for _ in 0..<Self.most {
      let descriptor = accept(listener, nil, nil)
      guard descriptor >= 0 else { break }
      // One that has been silent longest gives way.
      if callers.count >= Self.most { close(callers.removeFirst().descriptor) }
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      callers.append((descriptor, [], 0))
    }
    guard !callers.isEmpty else { return }
    callers = callers.compactMap { caller in
      var caller = caller
      caller.turns += 1
      var chunk = [UInt8](repeating: 0, count: 4096)
      let count = recv(caller.descriptor, &chunk, chunk.count, 0)
      if count > 0 { caller.request += chunk[..<count] }
      let isWhole = caller.request.suffix(4).elementsEqual("\r\n\r\n".utf8)
      let isOver = count == 0 || (count < 0 && errno != EAGAIN) || caller.request.count > 8192
      guard !isWhole else {
        answer(caller.descriptor, caller.request, text)
        return nil
      }
      guard !isOver, caller.turns < Self.mostTurns else {
        close(caller.descriptor)
        return nil
      }
      return caller
    }
  }

  /// Those of whom the rest of a request is awaited.
  var open: [Int32] { callers.map(\.descriptor) }

  private func answer(_ descriptor: Int32, _ request: [UInt8], _ text: () -> String) {
    let isAsked = request.starts(with: "GET /metrics ".utf8) || request.starts(with: "GET / ".utf8)
    let body = isAsked ? text() : "GET /metrics\n"
    let head =
      "HTTP/1.1 \(isAsked ? "200 OK" : "404 Not Found")\r\nContent-Type: text/plain; version=0.0.4\r\n"
      + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
    let bytes = Array((head + body).utf8)
    // A caller that does not take it at once gets what fits.
    _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    close(descriptor)
  }

  private static let most = 16
  private static let mostTurns = 1000
}
