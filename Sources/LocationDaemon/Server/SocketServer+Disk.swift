import LocationHost
import LocationModel

/// A connection whose last message is not stored yet.
struct AwaitingDisk {
  var connection: Int
  var payer: Payer
  /// The step that is to be on the disk.
  var step: Int
  var begin: Instant
}

// Who asks much waits for the disk alone: the queue stores what others ask meanwhile, and what depends on
// unstored changes is held back.
extension SocketServer {
  func beginToAwaitDisk() {
    host.onQueue { host in
      host.synced = { [weak self] step in self?.onQueue { $0.goOn(storedUpTo: step) } }
    }
  }

  /// Passes a client's request to the engine. A program that has used up half of what it may ask without a
  /// pause is not read until that is stored, and pays for this time, too; an answer, if there is one, comes
  /// after that for everybody.
  func take(
    _ request: Request, from client: ClientID, of number: Int, isAnswered: Bool
  ) {
    guard let connection = connections[number], !connection.isOwners, !isAnswered,
      shares.asksMuch(connection.payer, at: host.now.uptime)
    else { return host.onQueue { $0.take(request, from: client) } }
    let step = host.onQueue { $0.takeBeside(request, from: client) }
    guard let step, connections[number] != nil else { return }
    connection.pause()
    awaitingDisk.append(
      AwaitingDisk(
        connection: number, payer: connection.payer, step: step, begin: host.now.uptime))
  }

  private func goOn(storedUpTo step: Int) {
    let stored = awaitingDisk.filter { $0.step <= step }
    awaitingDisk.removeAll { $0.step <= step }
    for connection in stored {
      charge(connection.payer, since: connection.begin, pacing: .program)
      goOn(connection.connection)
    }
  }
}
