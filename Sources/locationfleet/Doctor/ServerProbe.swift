import CIngress
import Glibc
import LocationFleet

/// Reads what a server says to whoever connects; that needs no user.
///
/// A server that wants TLS says it before that, and has a fault in its log unless the handshake follows: so it
/// does, with our certificate, and then the connection is closed as TLS wants it.
enum ServerProbe {
  enum Answer {
    case greeting(ServerGreeting)
    case stranger
    case fault(String)
  }

  static func ask(_ address: ServerAddress, _ access: BrokerAccess) -> Answer {
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
      answer = ask(entry.pointee, access)
      if case .greeting = answer { return answer }
      next = entry.pointee.ai_next
    }
    return answer
  }

  private static func ask(_ place: addrinfo, _ access: BrokerAccess) -> Answer {
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
    let answer = greeting(descriptor)
    if case .greeting(let greeting) = answer, greeting.needsTLS { shakeHands(descriptor, access) }
    return answer
  }

  /// Nothing is said to the server, so it may be anybody.
  private static func shakeHands(_ descriptor: Int32, _ access: BrokerAccess) {
    guard let context = cin_tls_context_new_client(access.certificate, access.key) else { return }
    defer { cin_tls_context_free(context) }
    guard let session = cin_tls_new(context, descriptor) else { return }
    var result = cin_tls_connect(session)
    while result != 0, result != CIN_TLS_OVER,
      isReady(descriptor, result == CIN_WANTS_READABLE ? POLLIN : POLLOUT)
    { result = cin_tls_connect(session) }
    cin_tls_free(session, result == 0 ? 1 : 0)
    shutdown(descriptor, Int32(SHUT_WR))
    // What is not read would end the connection with a reset.
    var chunk = [UInt8](repeating: 0, count: 4096)
    while isReady(descriptor, POLLIN), recv(descriptor, &chunk, chunk.count, 0) > 0 {}
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
