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
    /// Why its process may set nothing: it is in a sandbox.
    var refusal: AccessRefusal?
  }

  private let queue: DispatchQueue
  private let path: String
  private let simulate: Simulate
  private let acceptor: any DispatchSourceRead
  private var connections: [Int: Connection] = [:]
  private var lastConnection = 0
  private var control = SimulationControl()

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
    let refusal = Self.sandbox(of: descriptor, pid: pid).map {
      AccessRefusal(reason: $0, next: "run it outside of the sandbox")
    }
    lastConnection += 1
    let number = lastConnection
    nonisolated(unsafe) weak let server = self
    let channel = try? DescriptorChannel(descriptor: descriptor, on: queue) { event in
      server?.receive(event, of: number)
    }
    guard let channel else { return }
    connections[number] = Connection(channel: channel, refusal: refusal)
  }

  /// Returns why the process that has connected is in a sandbox; `nil` if it is in none. A
  /// descriptor holds the process meanwhile, so that its number cannot pass to another one.
  private static func sandbox(of descriptor: Int32, pid: Int32) -> String? {
    let process = linux_peer_process(descriptor, pid)
    guard process >= 0 else { return "process \(pid) has ended" }
    defer { close(process) }
    let fault = PeerIsolation.fault(of: pid)
    return linux_is_running(process) == 0 ? "process \(pid) has ended" : fault
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
        let reply = try reply(to: call, of: number)
        connection.channel.write(frame(reply.json), on: queue) {}
        // Who does not read small replies asks for no more.
        guard connection.channel.isWritten else { return drop(number) }
      }
    } catch { drop(number) }
  }

  private func drop(_ number: Int) {
    connections.removeValue(forKey: number)?.channel.end()
    if control.leave(number) { _ = simulate(.end) }
  }

  private func reply(to call: LinkCall, of number: Int) throws(CodingFault) -> LinkReply {
    if let refusal = connections[number]?.refusal { return Self.refused(refusal) }
    switch try AdministrationRequest(call) {
    case .simulate(let fix, let isHeld):
      if let refusal = control.refusal(of: number, isHeld: isHeld) {
        return Self.refused(refusal)
      }
      if let fault = simulate(isHeld ? .hold(fix) : .fix(fix)) {
        return Self.refused(AccessRefusal(reason: fault))
      }
      _ = control.begin(number, isHeld: isHeld)
      return LinkReply()
    case .endSimulation:
      let ended = control.clear()
      if ended { _ = simulate(.end) }
      return LinkReply(.fields(["ended": ended.json]))
    default:
      return LinkReply(
        .fields(["method": call.method.json]), error: "\(LinkInterface.service).MethodNotFound")
    }
  }

  private static func refused(_ refusal: AccessRefusal) -> LinkReply {
    LinkReply(refusal.json, error: "\(AdministrationInterface.name).Refused")
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
