import Glibc
import LocationModel
import LocationProviders

/// Opens descriptors for channels: nonblocking, and closed on exec.
package enum Opening {
  /// Opens a serial port in raw mode, or any other file that can be read like one.
  package static func serial(_ path: String, baud: Int?) throws(Errno) -> Int32 {
    var descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    if descriptor < 0 { descriptor = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) }
    guard descriptor >= 0 else { throw Errno(last: "open \(path)") }
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else { return descriptor }
    cfmakeraw(&settings)
    settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
    if let baud {
      guard let speed = speeds[baud], cfsetspeed(&settings, speed) == 0 else {
        close(descriptor)
        throw Errno(code: EINVAL, call: "baud rate \(baud) on \(path)")
      }
    }
    guard tcsetattr(descriptor, TCSANOW, &settings) == 0 else {
      let error = Errno(last: "tcsetattr \(path)")
      close(descriptor)
      throw error
    }
    return descriptor
  }

  /// The speeds for which the system has constants.
  private static let speeds: [Int: speed_t] = [
    1200: speed_t(B1200), 2400: speed_t(B2400), 4800: speed_t(B4800), 9600: speed_t(B9600),
    19200: speed_t(B19200), 38400: speed_t(B38400), 57600: speed_t(B57600),
    115_200: speed_t(B115200), 230_400: speed_t(B230400), 460_800: speed_t(B460800),
    921_600: speed_t(B921600),
  ]

  /// Opens a file at its beginning.
  static func file(_ path: String) throws(Errno) -> Int32 {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Errno(last: "open \(path)") }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      close(descriptor)
      throw Errno(code: EISDIR, call: "open \(path)")
    }
    return descriptor
  }

  /// Returns the target of a symbolic link, as it is written there.
  package static func linkTarget(_ path: String) throws(Errno) -> [UInt8] {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &target, target.count)
    guard count >= 0 else { throw Errno(last: "read the link \(path)") }
    return target.prefix(count).map { UInt8(bitPattern: $0) }
  }

  /// Opens UDP sockets on the port, for the addresses of a name or of the loopback.
  static func udp(host: String?, port: Int) throws(Errno) -> [Int32] {
    let addresses = (host.map { [$0] } ?? ["127.0.0.1", "::1"]).flatMap {
      SocketAddress.resolve($0, port: port)
    }
    var descriptors: [Int32] = []
    do throws(Errno) {
      for address in addresses {
        do throws(Errno) { descriptors.append(try udp(address, port)) } catch {
          // A machine may have no IPv6.
          guard [EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.code) else { throw error }
        }
      }
      guard !descriptors.isEmpty else {
        throw Errno(code: EADDRNOTAVAIL, call: "bind UDP \(host ?? "")")
      }
    } catch {
      for descriptor in descriptors { close(descriptor) }
      throw error
    }
    return descriptors
  }

  private static func udp(_ address: SocketAddress, _ port: Int) throws(Errno) -> Int32 {
    let descriptor = try socket(address.family, SOCK_DGRAM)
    let bound = address.withPointer { bind(descriptor, $0, $1) }
    guard bound == 0 else {
      let error = Errno(last: "bind UDP port \(port)")
      close(descriptor)
      throw error
    }
    return descriptor
  }

  /// Opens TCP sockets that listen at a port of the loopback, for IPv4 and IPv6, as far as there are such.
  ///
  /// - Returns: the sockets, and the system's error where an address of this computer cannot be had, else 0.
  package static func loopbackListeners(at port: UInt16) -> (sockets: [Int32], fault: Int32) {
    var sockets: [Int32] = []
    var fault: Int32 = 0
    for address in ["127.0.0.1", "::1"].flatMap({ SocketAddress.resolve($0, port: Int(port)) }) {
      guard let descriptor = try? socket(address.family, SOCK_STREAM) else { continue }
      var yes: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
      let isBound = address.withPointer { bind(descriptor, $0, $1) } == 0
      guard isBound, listen(descriptor, 16) == 0 else {
        // A computer without IPv6 has no such address.
        if ![EADDRNOTAVAIL, EAFNOSUPPORT].contains(errno) { fault = errno }
        close(descriptor)
        continue
      }
      sockets.append(descriptor)
    }
    return (sockets, fault)
  }

  /// Begins to connect; the descriptor becomes writable when the attempt has succeeded or failed.
  static func tcp(_ address: SocketAddress) throws(Errno) -> Int32 {
    let descriptor = try socket(address.family, SOCK_STREAM)
    let result = address.withPointer { connect(descriptor, $0, $1) }
    guard result == 0 || errno == EINPROGRESS else {
      let error = Errno(last: "connect")
      close(descriptor)
      throw error
    }
    var noDelay: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, socklen_t(MemoryLayout<Int32>.size))
    return descriptor
  }

  /// Returns why a connection attempt failed; `nil` if it succeeded.
  static func connectionError(_ descriptor: Int32) -> Errno? {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
    return code == 0 ? nil : Errno(code: code, call: "connect")
  }

  /// Reads the next piece of a file.
  static func readPiece(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
  ) -> ChannelEvent {
    let count = read(descriptor, buffer.baseAddress, buffer.count)
    if count > 0 { return .bytes([UInt8](buffer[..<count])) }
    return .closed(count == 0 ? .ended : .failed(Errno(last: "read").description))
  }

  /// Closes a descriptor that is no longer needed.
  static func abandon(_ descriptor: Int32) {
    close(descriptor)
  }

  /// Opens a socket of generic netlink that receives the events of some groups.
  ///
  /// Needs no privilege. The kernel gives it an address when the first request is sent. `path` is a
  /// socket of packets that stands for the kernel.
  static func netlink(groups: [UInt32], at path: String? = nil) throws(Errno) -> Int32 {
    try netlink(genericNetlink, groups: groups, at: path)
  }

  /// Opens a socket of netlink that lists the addresses of this computer, and receives their changes.
  static func addresses(at path: String? = nil) throws(Errno) -> Int32 {
    try netlink(routes, groups: addressGroups, at: path)
  }

  private static func netlink(
    _ family: Int32, groups: [UInt32], at path: String?
  ) throws(Errno) -> Int32 {
    if let path { return try local(path, SOCK_SEQPACKET) }
    let descriptor = try socket(AF_NETLINK, SOCK_RAW, protocol: family)
    for group in groups {
      var group = group
      let size = socklen_t(MemoryLayout<UInt32>.size)
      guard setsockopt(descriptor, netlinkLevel, addMembership, &group, size) == 0 else {
        let error = Errno(last: "join group \(group) of netlink")
        close(descriptor)
        throw error
      }
    }
    return descriptor
  }

  /// Connects to a local socket of bytes. Such a connection is made at once, or refused.
  package static func stream(_ path: String) throws(Errno) -> Int32 { try local(path, SOCK_STREAM) }

  private static func local(_ path: String, _ type: __socket_type) throws(Errno) -> Int32 {
    let descriptor = try socket(AF_UNIX, type)
    do throws(Errno) {
      let result = try DaemonSocket.withAddress(of: path) { connect(descriptor, $0, $1) }
      guard result == 0 else { throw Errno(last: "connect \(path)") }
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// `NETLINK_ROUTE`, and `RTNLGRP_IPV4_IFADDR` and `RTNLGRP_IPV6_IFADDR` of linux/rtnetlink.h.
  private static let routes: Int32 = 0
  private static let addressGroups: [UInt32] = [5, 9]
  /// `NETLINK_GENERIC`, `SOL_NETLINK`, and `NETLINK_ADD_MEMBERSHIP` of linux/netlink.h.
  private static let genericNetlink: Int32 = 16
  private static let netlinkLevel: Int32 = 270
  private static let addMembership: Int32 = 1

  private static func socket(
    _ family: Int32, _ type: __socket_type, protocol number: Int32 = 0
  ) throws(Errno) -> Int32 {
    let flags = Int32(type.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = Glibc.socket(family, flags, number)
    guard descriptor >= 0 else { throw Errno(last: "socket") }
    return descriptor
  }
}

/// One address of a host name.
struct SocketAddress: Sendable {
  var family: Int32
  private var bytes: [UInt8]

  /// Resolves a host name. Waits for the network, so never call it on the host's queue.
  static func resolve(_ host: String, port: Int) -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var found: [SocketAddress] = []
    var next = list
    while let entry = next?.pointee {
      if let address = entry.ai_addr {
        let bytes = UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))
        found.append(SocketAddress(family: entry.ai_family, bytes: [UInt8](bytes)))
      }
      next = entry.ai_next
    }
    return found
  }

  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    bytes.withUnsafeBytes { raw in
      let pointer = raw.assumingMemoryBound(to: sockaddr.self)
      guard let base = pointer.baseAddress else { preconditionFailure("an address has bytes") }
      return body(base, socklen_t(bytes.count))
    }
  }
}
