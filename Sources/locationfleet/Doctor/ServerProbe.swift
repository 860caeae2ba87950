import Glibc
import LocationFleet

/// Reads what a server says to whoever connects; that needs neither a user nor TLS.
enum ServerProbe {
  enum Answer {
    case greeting(ServerGreeting)
    case stranger
    case fault(String)
  }

  static func ask(_ address: ServerAddress) -> Answer {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(address.host, "\(address.port)", &hints, &list)
    guard code == 0 else {
      return .fault("\(address.host) is no known name: \(String(cString: gai_strerror(code)))")
    }
    defer { freeaddrinfo(list) }
    var answer = Answer.fault("it has no address")
    var next = list
    while let entry = next {
      answer = ask(entry.pointee)
      if case .greeting = answer { return answer }
      next = entry.pointee.ai_next
    }
    return answer
  }

  private static func ask(_ place: addrinfo) -> Answer {
    let descriptor = socket(
      place.ai_family,
      place.ai_socktype | Int32(SOCK_CLOEXEC.rawValue)
        | Int32(SOCK_NONBLOCK.rawValue), place.ai_protocol)
    guard descriptor >= 0 else { return .fault(String(cString: strerror(errno))) }
    defer { close(descriptor) }
    if connect(descriptor, place.ai_addr, place.ai_addrlen) != 0 {
      guard errno == EINPROGRESS else { return .fault(String(cString: strerror(errno))) }
      guard isReady(descriptor, POLLOUT) else { return .fault("no connection within 2 s") }
    }
    var (fault, length) = (0 as Int32, socklen_t(MemoryLayout<Int32>.size))
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &fault, &length)
    guard fault == 0 else { return .fault(String(cString: strerror(fault))) }
    return greeting(descriptor)
  }

  private static func greeting(_ descriptor: Int32) -> Answer {
    var line: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while line.count < ServerGreeting.longest {
      guard isReady(descriptor, POLLIN) else { break }
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { break }
      line += chunk[..<count]
      guard let end = line.firstIndex(of: UInt8(ascii: "\n")) else { continue }
      return ServerGreeting(Array(line[..<end])).map { .greeting($0) } ?? .stranger
    }
    return line.isEmpty ? .fault("it is silent for 2 s, or hangs up") : .stranger
  }

  private static func isReady(_ descriptor: Int32, _ event: Int32) -> Bool {
    var place = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    return poll(&place, 1, longestWait) > 0
  }

  /// Milliseconds.
  private static let longestWait: Int32 = 2000
}
