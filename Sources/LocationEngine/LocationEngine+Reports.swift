package import LocationModel

/// One condition as its owner sees it from outside.
package struct ConditionReport: Hashable, Sendable {
  package var key: ConditionKey
  package var target: ConditionTarget
  package var state: MonitoredState
  /// When the state was observed.
  package var date: UnixTime
}

// What a person who looks after the machine may ask of the engine.
extension LocationEngine {
  /// What everybody monitors, in the order of the keys.
  package var conditionReports: [ConditionReport] {
    conditions.conditions.sorted { $0.key < $1.key }.map { key, condition in
      let state = MonitoredState(condition.observation.state)
      return ConditionReport(
        key: key, target: condition.target, state: condition.isWatched ? state : .unmonitored,
        date: condition.observation.date)
    }
  }

  /// What a process asks for now, in the words of the link.
  package func services(of client: ClientID) -> [String] {
    guard let app = app(of: client), let desk = desks.first(where: { $0.app == app }) else {
      return []
    }
    let asked: [(String, Bool)] = [
      ("updates", desk.standard.entries.contains { $0.client == client }),
      ("live", desk.live.entries.contains { $0.client == client }),
      ("significantChanges", desk.significant.entries.contains { $0.client == client }),
      ("heading", desk.heading.entries.contains { $0.client == client }),
      ("ranging", desk.ranging.contains { $0.client == client }),
      (
        desk.authorization.beacon == .allowed ? "advertising" : "advertising (not allowed)",
        desk.advertising.contains { $0.client == client }
      ),
      ("monitor", desk.monitors.contains { $0.client == client }),
      ("visits", visits.isListening(app)),
      ("regions", !conditions.regions(of: app).isEmpty),
    ]
    return asked.filter(\.1).map(\.0)
  }

  /// The apps that have a process, one entry for each process.
  package var runningApps: [AppIdentity] {
    desks.flatMap { desk in desk.processes.map { _ in desk.app } }
  }
}
