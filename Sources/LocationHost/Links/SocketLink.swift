import Dispatch
import Glibc
package import LocationModel
import Synchronization

/// Connects to an engine in another process, over the socket of its daemon.
package final class SocketLink: EngineLink {
  private let path: String
  private let noting: @Sendable (String) -> Void
  private let clients = Mutex<[ClientID: SocketClient]>([:])

  /// The greatest size of one message in bytes; the longest lists the records of a monitor.
  package static let longestMessage = 4 << 20

  /// Creates a link to the daemon at a path; `noting` is called with why there is no connection.
  package init(at path: String, noting: @escaping @Sendable (String) -> Void = { _ in }) {
    self.path = path
    self.noting = noting
  }

  package var now: Moment { HostClock.now }

  /// Connects the process. The daemon identifies it by itself; the description is not sent.
  ///
  /// If the daemon does not answer, the client has no state yet, and goes on trying to connect.
  package func connect(
    _ client: ClientDescription, receiving deliver: @escaping @Sendable (Delivery) -> Void
  ) -> (ClientID, ClientState) {
    let handshake: Handshake?
    do throws(Handshake.Fault) { handshake = try Handshake(at: path) } catch {
      noting("no location service at \(path): \(error)")
      handshake = nil
    }
    let id: ClientID = clients.withLock { clients in
      let id = ClientID((clients.keys.map(\.rawValue).max() ?? 0) + 1)
      clients[id] = SocketClient(at: path, handshake, noting: noting, receiving: deliver)
      return id
    }
    return (id, handshake?.state ?? ClientState())
  }

  package func send(_ request: Request, from client: ClientID) {
    clients.withLock { $0[client] }?.send(request)
  }

  package func disconnect(_ client: ClientID) {
    clients.withLock { $0.removeValue(forKey: client) }?.end()
  }
}
