import CLinux
import Dispatch
import Glibc
import LocationCoding
import LocationEngine
import LocationLink
import LocationModel
import LocationProviders

/// Serves `Simulate` and `EndSimulation` of the administration to programs of the same user, for
/// the engine of one app's own process.
///
/// Lives on the host's queue and never leaves it.
final class SimulationServer {
  /// Carries out a request; returns why it cannot be carried out, or `nil`.
  typealias Simulate = @Sendable (SimulatedPosition.Request) -> String?

  private struct Connection {
    var channel: DescriptorChannel
    var frames = FrameSplitter(limit: SimulationServer.longestMessage)
  }

  private let queue: DispatchQueue
  private let path: String
  private let simulate: Simulate
  private let acceptor: any DispatchSourceRead
  private var connections: [Int: Connection] = [:]
  private var lastConnection = 0
  /// The connection whose end ends the simulation; `nil` for none, or one that is held.
  private var simulator: Int?

  /// Listens at a path that only this user can reach, and removes what ended processes have left.
  init(at path: String, on queue: DispatchQueue, simulate: @escaping Simulate) throws(Errno) {
    SimulationSocket.removeLeftovers(beside: path)
    let listener = try DaemonSocket.listen(at: path, mode: 0o600)
    _ = fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) | O_NONBLOCK)
    (self.path, self.queue, self.simulate) = (path, queue, simulate)
    acceptor = DispatchSource.makeReadSource(fileDescriptor: listener, queue: queue)
    acceptor.setCancelHandler { close(listener) }
    // The server is on the same queue, and canceled before it goes.
    nonisolated(unsafe) weak let server = self
    acceptor.setEventHandler { server?.accept(from: listener) }
    acceptor.activate()
  }

  /// Ends all connections, and removes the socket.
  func end() {
    acceptor.cancel()
    for connection in connections.values { connection.channel.end() }
    connections = [:]
    unlink(path)
  }

  private func accept(from listener: Int32) {
    let descriptor = linux_accept(listener)
    guard descriptor >= 0 else { return }
    var (pid, user, group): (Int32, UInt32, UInt32) = (0, 0, 0)
    let code = linux_peer_credentials(descriptor, &pid, &user, &group)
    guard code == 0, user == getuid(), connections.count < Self.mostConnections else {
      close(descriptor)
      return
    }
    lastConnection += 1
    let number = lastConnection
    nonisolated(unsafe) weak let server = self
    let channel = try? DescriptorChannel(descriptor: descriptor, on: queue) { event in
      server?.receive(event, of: number)
    }
    if let channel { connections[number] = Connection(channel: channel) }
  }

  private func receive(_ event: ChannelEvent, of number: Int) {
    guard case .bytes(let bytes) = event, var connection = connections[number] else {
      return drop(number)
    }
    do throws(CodingFault) {
      let messages = try connection.frames.take(bytes)
      connections[number] = connection
      for message in messages {
        let call = try LinkCall(json: JSON(parsing: message))
        send(try reply(to: call, of: number), to: connection)
      }
    } catch { drop(number) }
  }

  private func drop(_ number: Int) {
    connections.removeValue(forKey: number)?.channel.end()
    if simulator == number { end(simulation: number) }
  }

  private func end(simulation: Int?) {
    simulator = nil
    _ = simulate(.end)
  }

  private func reply(to call: LinkCall, of number: Int) throws(CodingFault) -> LinkReply {
    switch try AdministrationRequest(call) {
    case .simulate(let fix, let hold):
      if let fault = simulate(hold ? .hold(fix) : .fix(fix)) {
        return LinkReply(
          .fields(["reason": fault.json]), error: "\(AdministrationInterface.name).Refused")
      }
      simulator = hold ? nil : number
      isSimulating = true
      return LinkReply()
    case .endSimulation:
      defer { isSimulating = false }
      if isSimulating { end(simulation: nil) }
      return LinkReply(.fields(["ended": isSimulating.json]))
    default:
      return LinkReply(
        .fields(["method": call.method.json]), error: "\(LinkInterface.service).MethodNotFound")
    }
  }

  /// Whether a place is set from outside.
  private var isSimulating = false

  private func send(_ reply: LinkReply, to connection: Connection) {
    // Small replies to requests that wait for them: there is always room.
    connection.channel.write(frame(reply.json), on: queue) {}
  }

  /// Chosen: one command that plays, and a few that set and clear.
  private static let mostConnections = 8
  /// Bytes of the longest request. Chosen: a fix has less than a thousand.
  private static let longestMessage = 8192
}

/// The sockets by which the places of apps with an engine of their own are set.
package enum SimulationSocket {
  /// The folder of the sockets of one user; `nil` without a runtime folder.
  package static func folder(_ variables: [String: String]) -> String? {
    variables["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 + "/meridian" : nil }
  }

  package static func path(of pid: Int32, in folder: String) -> String { "\(folder)/\(pid).sock" }

  /// The processes that have a socket, in order.
  package static func processes(in folder: String) -> [Int32] {
    SmallFile.names(in: folder).compactMap { name in
      name.hasSuffix(".sock") ? Int32(name.dropLast(5)) : nil
    }.sorted()
  }

  /// Creates the folder, and removes the sockets of processes that have ended.
  static func removeLeftovers(beside path: String) {
    guard let slash = path.lastIndex(of: "/") else { return }
    let folder = String(path[..<slash])
    mkdir(folder, 0o700)
    for pid in processes(in: folder) where kill(pid, 0) != 0 && errno == ESRCH {
      unlink(Self.path(of: pid, in: folder))
    }
  }
}
