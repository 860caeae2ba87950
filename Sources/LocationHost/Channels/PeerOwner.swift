import Glibc
import LocationModel
import LocationProviders

/// Checks which user's program serves a connection within this machine, by the kernel's own table.
///
/// The table has the user of a socket only after a program has accepted the connection; before, it
/// has 0, which does not mean root. So the other end must have sent something first.
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
    guard let own = address(of: descriptor, getsockname),
      let other = address(of: descriptor, getpeername)
    else { return .failed(Errno(last: "getpeername").description) }
    let names = users.joined(separator: " or ")
    guard let user = user(from: other, to: own) else {
      return .noPermission(
        "port \(other.port) is served by a program whose user the kernel does not report, so not "
          + "believed unless it is \(names)")
    }
    guard user != 0, !users.contains(where: { number(of: $0) == user }) else { return nil }
    let name = name(of: user).map { " (\($0))" } ?? ""
    return .noPermission(
      "port \(other.port) is served by user \(user)\(name) and not by \(names), so it is not "
        + "believed unless a source names it")
  }

  /// Returns whose program listens at a port of the loopback, in words; `nil` if the kernel does not say.
  package static func listener(at port: UInt16) -> String? {
    let any = String(repeating: "0", count: 32)
    let ends = [("0100007F", 8), ("00000000", 8), (any.dropLast(8) + "01000000", 32), (any, 32)]
    let user = ends.lazy.compactMap { address, digits in
      line(
        in: digits == 8 ? "/proc/self/net/tcp" : "/proc/self/net/tcp6",
        from: address + ":" + hexadecimal(UInt32(port), digits: 4),
        to: any.prefix(digits) + ":0000")
    }.first
    return user.map { "user \($0)" + (name(of: $0).map { " (\($0))" } ?? "") }
  }

  /// One end of a connection in the form of the kernel's tables.
  private struct End {
    /// Four or sixteen bytes, in groups of four that are each written as one number.
    var address: String
    var port: Int

    var text: String { address + ":" + PeerOwner.hexadecimal(UInt32(port), digits: 4) }
    /// The same end as an address of IPv6, for a socket that serves IPv6 and IPv4.
    var mapped: String { "0000000000000000FFFF0000" + text }
    var isShort: Bool { address.utf8.count == 8 }
  }

  private static func address(
    of descriptor: Int32,
    _ ask: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
  ) -> End? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(descriptor, $0, &length) }
    }
    guard result == 0 else { return nil }
    return withUnsafeBytes(of: storage) { raw in
      let port = Int(UInt16(bigEndian: raw.load(fromByteOffset: 2, as: UInt16.self)))
      let offsets =
        switch Int32(storage.ss_family) {
        case AF_INET: [4]
        case AF_INET6: [8, 12, 16, 20]
        default: [Int]()
        }
      guard !offsets.isEmpty else { return nil }
      let words = offsets.map {
        hexadecimal(raw.load(fromByteOffset: $0, as: UInt32.self), digits: 8)
      }
      return End(address: words.joined(), port: port)
    }
  }

  /// Returns the user of the socket at `from` that is connected with the one at `to`; `nil` if
  /// there is none, or no program has it.
  private static func user(from: End, to: End) -> UInt32? {
    let long = line(in: "/proc/self/net/tcp6", from: from.text, to: to.text)
    guard from.isShort else { return long }
    return line(in: "/proc/self/net/tcp", from: from.text, to: to.text)
      ?? line(in: "/proc/self/net/tcp6", from: from.mapped, to: to.mapped)
  }

  /// The columns are: number, local end, remote end, state, queues, timer, retransmissions, user,
  /// timeouts, inode.
  private static func line(in path: String, from: String, to: String) -> UInt32? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var text: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { free(text) }
    while getline(&text, &room, file) > 0, let text {
      let words = String(cString: text).split(separator: " ", maxSplits: 10)
      guard words.count > 9, words[1] == from, words[2] == to else { continue }
      return words[9] == "0" ? nil : UInt32(words[7])
    }
    return nil
  }

  private static func hexadecimal(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }

  private static func number(of user: String) -> UInt32? {
    getpwnam(user)?.pointee.pw_uid
  }

  private static func name(of user: UInt32) -> String? {
    getpwuid(user)?.pointee.pw_name.map { String(cString: $0) }
  }
}
