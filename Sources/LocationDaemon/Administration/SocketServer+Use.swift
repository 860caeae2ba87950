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
    _ fix: Fix, isHeld: Bool, by number: Int
  ) throws(AdministrationFault) {
    guard facts.allowsSimulation else {
      throw AdministrationFault(
        reason: "the configuration does not allow to set the place of all apps from outside",
        next: "allow-simulation = yes in the configuration of locationd, then: systemctl reload "
          + "locationd, or SIGHUP")
    }
    if let refusal = owner.simulation.refusal(of: number, isHeld: isHeld) {
      throw AdministrationFault(reason: refusal.reason, next: refusal.next)
    }
    if let fault = host.onQueue({ $0.simulate(isHeld ? .hold(fix) : .fix(fix)) }) {
      throw AdministrationFault(reason: fault)
    }
    guard owner.simulation.begin(number, isHeld: isHeld) else { return }
    journal.write(.source, "a place is set from outside, in place of all sources")
    sendUses()
  }

  /// Ends the simulation in the engine.
  func restoreSources() {
    _ = host.onQueue { $0.simulate(.end) }
    journal.write(.source, "the place is that of the sources again")
    sendUses()
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
