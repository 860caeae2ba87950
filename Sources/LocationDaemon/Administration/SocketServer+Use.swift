import LocationCoding
import LocationEngine
import LocationHost
import LocationLink
import LocationModel
import LocationService

// What the owner follows of the use of the location, and the place that the owner sets.
extension SocketServer {
  // MARK: Use

  func followUse(_ number: Int) {
    guard !owner.useFollowers.contains(number) else { return }
    owner.useFollowers.append(number)
    let status = useStatus
    if owner.useFollowers.count == 1 { owner.lastUse = status }
    answer(number, .fields(["use": status.json]), continues: true)
  }

  /// Sends the state of now to all who follow it, if it has changed.
  func sendUses() {
    guard !owner.useFollowers.isEmpty else { return }
    let status = useStatus
    guard status != owner.lastUse else { return }
    owner.lastUse = status
    for number in owner.useFollowers {
      answer(number, .fields(["use": status.json]), continues: true)
    }
  }

  private var useStatus: UseStatus {
    host.onQueue { host in
      UseStatus(
        apps: host.core.engine.locationUses.map { UseStatus.App($0) },
        servicesEnabled: host.core.engine.areServicesOn,
        isSimulated: host.core.engine.simulatedFix != nil)
    }
  }

  // MARK: A place from outside (SIM-15)

  /// Sets the place; one that is not held ends with the connection.
  func simulate(
    _ request: SimulatedPosition.Request, by number: Int
  ) throws(AdministrationFault) {
    guard facts.allowsSimulation else {
      throw AdministrationFault(
        reason: "the place of this machine may not be set from outside; next: allow-simulation = "
          + "yes in the configuration of locationd, then: systemctl reload locationd")
    }
    if let fault = host.onQueue({ $0.simulate(request) }) {
      throw AdministrationFault(reason: fault)
    }
    let isNew = !owner.isSimulating
    owner.isSimulating = true
    if case .hold = request { owner.simulator = nil } else { owner.simulator = number }
    guard isNew else { return }
    journal.write(.source, "a place is set from outside, in place of all sources")
    sendUses()
  }

  /// Returns whether there was a simulation.
  func endSimulation() -> Bool {
    owner.simulator = nil
    guard owner.isSimulating else { return false }
    owner.isSimulating = false
    _ = host.onQueue { $0.simulate(.end) }
    journal.write(.source, "the place is that of the sources again")
    sendUses()
    return true
  }
}

extension UseStatus.App {
  init(_ use: LocationUse) {
    self.init(
      app: use.app.name, isActive: use.isActive, isInBackground: use.isInBackground,
      calibrates: use.calibrates)
    program = use.program?.path
    user = use.program?.user
  }
}
