import Dispatch
import Glibc
import LocationHost
import LocationModel
import LocationProviders

/// The port at which gpsd's programs are served, and their connections; lives on the server's queue.
struct GpsdPort {
  var machine = GpsdServer(receivers: [])
  /// The places of the receivers among the sources, in the order in which the machine has them.
  var sources: [Int] = []
  var acceptors: [any DispatchSourceRead] = []
  var connections: [Int: GpsdConnection] = [:]
  var lastConnection = 0
  /// All of them together, as an app of the engine.
  var client: ClientID?
  var state: ClientState?
  /// The deadline for which a wake is scheduled.
  var armed: Instant?

  /// Whether they may know where the device is: exactly, as sentences have it.
  var isAllowed: Bool {
    guard let state else { return false }
    return state.servicesEnabled && state.authorization.status.isGranted
      && state.authorization.accuracy == .full
  }

  func end() {
    for acceptor in acceptors { acceptor.cancel() }
    for connection in connections.values { connection.end() }
  }

  /// Sockets that listen at a port of this computer, for IPv4 and IPv6, as far as there are such.
  static func listen(at port: UInt16) -> (sockets: [Int32], fault: Int32) {
    var sockets: [Int32] = []
    var fault: Int32 = 0
    for family in [AF_INET, AF_INET6] {
      let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
      let descriptor = socket(family, kind, 0)
      guard descriptor >= 0 else { continue }
      var yes: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
      guard bind(descriptor, family, port), Glibc.listen(descriptor, 16) == 0 else {
        // A computer without IPv6 has no such address.
        if family == AF_INET { fault = errno }
        close(descriptor)
        continue
      }
      sockets.append(descriptor)
    }
    return (sockets, fault)
  }

  private static func bind(_ descriptor: Int32, _ family: Int32, _ port: UInt16) -> Bool {
    if family == AF_INET {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      return withUnsafeBytes(of: &address) { bytes in
        bytes.withMemoryRebound(to: sockaddr.self) {
          Glibc.bind(descriptor, $0.baseAddress, socklen_t(bytes.count)) == 0
        }
      }
    }
    var yes: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &yes, 4)
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_addr = in6addr_loopback
    return withUnsafeBytes(of: &address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) {
        Glibc.bind(descriptor, $0.baseAddress, socklen_t(bytes.count)) == 0
      }
    }
  }
}

/// A connection of a program to the port.
final class GpsdConnection {
  private let descriptor: Int32
  private let reader: any DispatchSourceRead
  private var writer: BufferedWriter
  private let queue: DispatchQueue

  init(
    _ descriptor: Int32, on queue: DispatchQueue, readable: @escaping @Sendable () -> Void
  ) {
    self.descriptor = descriptor
    writer = BufferedWriter(descriptor)
    self.queue = queue
    reader = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    reader.setEventHandler(handler: readable)
    reader.setCancelHandler { close(descriptor) }
    reader.activate()
  }

  /// What it has sent, at most some; `nil` when it has ended.
  func read() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    if count > 0 { return Array(bytes[..<count]) }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil
  }

  /// Sends now what can be sent, and the rest later; returns whether little enough waits.
  func send(_ bytes: [UInt8], writable: @escaping @Sendable () -> Void) -> Bool {
    writer.write(bytes, limit: Self.mostUnsent, on: queue, writable: writable)
  }

  func flush() { writer.flush() }

  func end() {
    writer.end()
    reader.cancel()
  }

  /// Bytes. Chosen: a minute of a receiver with ten epochs a second, and more than a program needs
  /// that reads at all.
  private static let mostUnsent = 262_144
}
