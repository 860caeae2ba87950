import Glibc
import LocationEngine
package import LocationModel
import LocationProviders
import LocationService

// Whether the processes of clients are in use (docs/decisions/0079).
extension LocationHost {
  /// Begins to observe the process of a client, and returns the client as it is used now.
  func observed(_ client: ClientDescription, as id: ClientID) -> ClientDescription {
    var client = client
    // The owner of a daemon is no process of its own.
    guard !client.app.isOwner else { return client }
    if let life = uses.follow(client.process ?? getpid(), as: id, at: now.uptime) {
      client.life = life
    }
    return client
  }

  /// Informs the engine of what has changed since the last call.
  package func settleUses() {
    for (client, life) in uses.changes(at: now.uptime) { move(client, to: life) }
  }

  /// Begins to follow the windows of the desktop.
  func beginToWatchWindows() {
    windows?.begin { [weak self] report in self?.enter { $0.take(report) } }
  }

  private func take(_ report: WindowReport) {
    switch report {
    case .windows(let source, let windows):
      for (client, life) in uses.take(windows, from: source, at: now.uptime) {
        move(client, to: life)
      }
    case .obstacle(let text): journal(.windows(text))
    }
  }

  /// Has a client's process looked at with the next event: it has left a delivery unread.
  package func suspect(_ client: ClientID) { uses.suspect(client) }

  /// Informs the engine that the system has frozen the client's process, or thawed it.
  package func freeze(_ client: ClientID, _ isFrozen: Bool) {
    if isFrozen {
      uses.note(client, woken: false)
    } else {
      move(client, to: uses.use(of: client).life)
    }
    step(.engine(.client(client, .frozen(isFrozen))))
  }

  /// Informs the engine that a suspended process was woken for an event: it runs in the background
  /// until its framework, or the system, shows otherwise.
  package func noteWoken(_ client: ClientID) {
    uses.note(client, woken: true)
    move(client, to: .background)
  }

  /// Notes that a suspended process is about to be woken for an event, or cannot be.
  package func expect(_ client: ClientID, woken: Bool) { uses.note(client, woken: woken) }

  /// Ends the suspension of an app in this process, which runs, whatever it has reported.
  func noteRunning(_ app: AppIdentity) {
    guard cutOff == nil else { return }
    enter { host in
      for client in host.connected where host.core.app(of: client) == app {
        host.noteWoken(client)
      }
    }
  }

  private func move(_ client: ClientID, to life: AppLife) {
    step(.engine(.client(client, .life(life))))
    guard let app = core.app(of: client) else { return }
    journal(.use(app, life, uses.use(of: client).ground.rawValue))
  }

  /// The lifecycle state of an app, and what it rests on; `nil` while it does not run.
  package func use(of app: AppIdentity) -> (life: AppLife, ground: String)? {
    guard let use = core.engine.use(of: app) else { return nil }
    if use.isFrozen { return (use.life, "frozen") }
    if use.isReported { return (use.life, "reported") }
    return (use.life, uses.use(of: use.client).ground.rawValue)
  }
}
