internal import CLinux
import Glibc
import LocationModel
import LocationProviders

/// Checks which user's program serves a connection within this machine, by the kernel.
///
/// The kernel knows the user only after a program has accepted the connection. So the other end must
/// have sent something first.
package enum PeerOwner {
  /// Waits until the other end has sent something, and compares its user; `nil` if it is allowed.
  ///
  /// Blocks for at most `timeout` milliseconds; never call it on the host's queue.
  static func refusal(
    of descriptor: Int32, users: [String], timeout: Int32 = 5000
  ) -> ChannelEnd? {
    var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    var result = poll(&watched, 1, timeout)
    while result < 0, errno == EINTR { result = poll(&watched, 1, timeout) }
    guard result > 0 else { return .failed("connect: it takes the connection and says nothing") }
    guard var own = address(of: descriptor, getsockname),
      var other = address(of: descriptor, getpeername), let port = port(of: other)
    else { return .failed(Errno(last: "getpeername").description) }
    let names = users.joined(separator: " or ")
    guard let user = UInt32(exactly: linux_tcp_user(&other, &own)) else {
      return .noPermission(
        "port \(port) is served by a program whose user the kernel does not report, so not "
          + "believed unless it is \(names)")
    }
    guard user != 0, !users.contains(where: { number(of: $0) == user }) else { return nil }
    let name = name(of: user).map { " (\($0))" } ?? ""
    return .noPermission(
      "port \(port) is served by user \(user)\(name) and not by \(names), so it is not "
        + "believed unless a source names it")
  }

  /// Returns whose program listens at a port of the loopback, in words; `nil` if the kernel does not say.
  package static func listener(at port: UInt16) -> String? {
    let four = sockaddr_in(
      sin_family: sa_family_t(AF_INET), sin_port: port.bigEndian,
      sin_addr: in_addr(s_addr: INADDR_LOOPBACK.bigEndian), sin_zero: (0, 0, 0, 0, 0, 0, 0, 0))
    let six = sockaddr_in6(
      sin6_family: sa_family_t(AF_INET6), sin6_port: port.bigEndian, sin6_flowinfo: 0,
      sin6_addr: in6addr_loopback, sin6_scope_id: 0)
    // A socket that listens has no other end.
    var (nobody, nobody6) = (sockaddr_in(), sockaddr_in6())
    nobody.sin_family = four.sin_family
    nobody6.sin6_family = six.sin6_family
    let user = withUnsafePointer(to: four) { linux_tcp_user($0, &nobody) }
    let user6 = withUnsafePointer(to: six) { linux_tcp_user($0, &nobody6) }
    guard let user = UInt32(exactly: user) ?? UInt32(exactly: user6) else { return nil }
    return "user \(user)" + (name(of: user).map { " (\($0))" } ?? "")
  }

  /// The port of one end of a connection; `nil` for what is no address of IP.
  private static func port(of end: sockaddr_storage) -> UInt16? {
    guard [AF_INET, AF_INET6].contains(Int32(end.ss_family)) else { return nil }
    return withUnsafeBytes(of: end) {
      UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self))
    }
  }

  private static func address(
    of descriptor: Int32,
    _ ask: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
  ) -> sockaddr_storage? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(descriptor, $0, &length) }
    }
    return result == 0 ? storage : nil
  }

  private static func number(of user: String) -> UInt32? {
    getpwnam(user)?.pointee.pw_uid
  }

  private static func name(of user: UInt32) -> String? {
    getpwuid(user)?.pointee.pw_name.map { String(cString: $0) }
  }
}
