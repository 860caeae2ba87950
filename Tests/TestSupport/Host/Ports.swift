import CLinux
import Dispatch
package import Foundation
import LocationHost
import Synchronization

/// A pseudo terminal: the test writes at one end what the receiver at the other end would send.
package final class Terminal: Sendable {
  package let path: String
  private let controller: Mutex<Int32?>

  package init() throws {
    var descriptor: Int32 = -1
    var name = [CChar](repeating: 0, count: 128)
    let code = linux_open_pty(&descriptor, &name, UInt(name.count))
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    controller = Mutex(descriptor)
    // gpsd gives up its rights before it opens the device.
    chmod(path, 0o666)
  }

  deinit { unplug() }

  /// As when the cable is pulled.
  package func unplug() {
    controller.withLock {
      if let descriptor = $0 { close(descriptor) }
      $0 = nil
    }
  }

  package func write(_ bytes: [UInt8]) {
    controller.withLock {
      guard let descriptor = $0 else { return }
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      _ = Glibc.write(descriptor, bytes, bytes.count)
    }
  }

  /// The speed that the program at the other end has set.
  package var speed: speed_t {
    controller.withLock {
      var settings = termios()
      guard let descriptor = $0, tcgetattr(descriptor, &settings) == 0 else { return 0 }
      return cfgetospeed(&settings)
    }
  }
}

/// Sockets on the loopback.
package enum Loopback {
  /// How many ports this process has asked for.
  private static let asked = Atomic<Int>(0)

  /// A port that nobody has, for a server that the test starts, ends, and starts again. No connection gets it as
  /// its own end by chance (those of Linux begin at 32768), nor a second test, of this process or another one.
  package static func freePort(_ type: __socket_type = SOCK_STREAM) throws -> Int {
    let (first, count) = (10_000, 22_000)
    for _ in 0..<count {
      let number = asked.wrappingAdd(1, ordering: .relaxed).newValue
      let port = first + (Int(getpid()) * 101 + number) % count
      let descriptor = socket(AF_INET, Int32(type.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      defer { close(descriptor) }
      if (try? bound(descriptor, port: port)) != nil, claim(port) { return port }
    }
    throw POSIXError(.EADDRINUSE)
  }

  /// A file with a byte for each port, on which the kernel keeps the locks of a process until it ends.
  private static let claims = open(
    "/tmp/meridian-test-ports-\(getuid())", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)

  /// Whether no other process of tests has asked for a port.
  private static func claim(_ port: Int) -> Bool {
    var byte = flock()
    byte.l_type = Int16(F_WRLCK)
    byte.l_start = port
    byte.l_len = 1
    return fcntl(claims, F_SETLK, &byte) == 0
  }

  fileprivate static func bound(_ descriptor: Int32, port: Int = 0) throws -> Int {
    let code = withUnsafeBytes(of: address(port: port)) {
      bind(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    guard code == 0 else { throw POSIXError(.EADDRINUSE) }
    return try self.port(of: descriptor)
  }

  /// The port at this end of a socket of IPv4.
  package static func port(of descriptor: Int32) throws -> Int {
    var address = address(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutableBytes(of: &address) {
      getsockname(
        descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
    }
    guard code == 0 else { throw POSIXError(.EBADF) }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  package static func address(port: Int, last: UInt8 = 1) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = (UInt32(0x7f00_0000) + UInt32(last)).bigEndian
    return address
  }

  /// Connects a socket of IPv4; returns whether somebody listens.
  package static func connect(_ descriptor: Int32, port: Int) -> Bool {
    withUnsafeBytes(of: address(port: port)) {
      Glibc.connect(
        descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    } == 0
  }

  /// The body that a port of this machine answers a GET with; `nil` where nobody does.
  package static func get(_ path: String, port: Int) -> String? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    guard connect(descriptor, port: port),
      send(Array("GET \(path) HTTP/1.0\r\n\r\n".utf8), descriptor)
    else { return nil }
    var (bytes, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.range(of: "\r\n\r\n").map { String(text[$0.upperBound...]) }
  }

  /// Sends all of it; returns whether the other side has taken it.
  package static func send(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
    var left = bytes[...]
    while !left.isEmpty {
      let count = left.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      left = left.dropFirst(count)
    }
    return true
  }
}

/// A receiver on the network: whoever connects receives what the test writes.
package final class Server: Sendable {
  package let port: Int
  private let listener: Int32
  // A dispatch source may be canceled from any thread; the compiler cannot know.
  private nonisolated(unsafe) let source: any DispatchSourceRead
  private let clients: Clients
  /// One for each client that came.
  package let arrivals = Events<Void>()

  private final class Clients: Sendable {
    let descriptors = Mutex<[Int32]>([])
  }

  package convenience init() throws {
    let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let listener = socket(AF_INET, flags, 0)
    let port = try Loopback.bound(listener)
    listen(listener, 4)
    self.init(listening: listener, port: port)
  }

  /// A server at the path of a socket, which has no port.
  package convenience init(at path: String) throws {
    self.init(listening: try DaemonSocket.listen(at: path), port: 0)
  }

  private init(listening descriptor: Int32, port: Int) {
    (listener, self.port) = (descriptor, port)
    let (clients, arrivals) = (Clients(), arrivals)
    self.clients = clients
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
    source.setEventHandler {
      let client = accept(descriptor, nil, nil)
      guard client >= 0 else { return }
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      clients.descriptors.withLock { $0.append(client) }
      arrivals.add(())
    }
    source.setCancelHandler { close(descriptor) }
    source.activate()
  }

  deinit {
    hangUp()
    source.cancel()
  }

  /// How many came so far, and were not hung up on.
  package var connections: Int { clients.descriptors.withLock { $0.count } }

  package func write(_ bytes: [UInt8]) {
    clients.descriptors.withLock {
      for client in $0 { _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    }
  }

  package func hangUp() {
    clients.descriptors.withLock {
      for client in $0 { close(client) }
      $0 = []
    }
  }
}

/// Sends datagrams to a port of this machine, from an address of its loopback network.
package func sendDatagram(_ bytes: [UInt8], to port: Int, from last: UInt8 = 1) {
  let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  defer { close(descriptor) }
  var own = Loopback.address(port: 0, last: last)
  withUnsafePointer(to: &own) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      _ = bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  var address = Loopback.address(port: port)
  withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      _ = sendto(
        descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
}
