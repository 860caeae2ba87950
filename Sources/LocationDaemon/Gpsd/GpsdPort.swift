import Dispatch
import Glibc
import LocationHost
import LocationLink
import LocationModel
import LocationProviders

/// The port at which gpsd's programs are served, and their connections; lives on the server's queue.
struct GpsdPort {
  /// The port that the configuration names; `nil` where it names none.
  var number: UInt16?
  /// Why no program is served, and whether another program has the port; `nil` if they are served.
  var fault: (reason: String, isTaken: Bool)?
  /// The number of connections that a bound has closed.
  var closed = 0
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

  /// What the owner sees; `nil` where the configuration names no port.
  var status: GpsdPortStatus? {
    guard let number else { return nil }
    let state = fault.map { $0.isTaken ? "taken" : "refused" } ?? "serving"
    var status = GpsdPortStatus(port: Int(number), state: state, reason: fault?.reason)
    (status.programs, status.closed) = (machine.clientCount, closed)
    return status
  }

  func end() {
    for acceptor in acceptors { acceptor.cancel() }
    for connection in connections.values { connection.end() }
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
    // Otherwise the kernel keeps megabytes for a program that does not read.
    var room = Self.mostSending
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout.size(ofValue: room)))
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
    writer.write(bytes, limit: GpsdServer.mostUnread, on: queue, writable: writable)
  }

  func flush() { writer.flush() }

  /// Ends, without what the program has not read.
  func cut() {
    var discard = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &discard,
      socklen_t(MemoryLayout.size(ofValue: discard)))
    end()
  }

  func end() {
    writer.end()
    reader.cancel()
  }

  /// Bytes that the kernel keeps for a program beside those that wait. Chosen: many epochs of any
  /// receiver.
  private static let mostSending: Int32 = 65_536
}
