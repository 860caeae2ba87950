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
    writer.write(bytes, limit: GpsdServer.mostUnread, on: queue, writable: writable)
  }

  func flush() { writer.flush() }

  func end() {
    writer.end()
    reader.cancel()
  }
}
