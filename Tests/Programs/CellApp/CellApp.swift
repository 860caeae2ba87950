import CoreLocation
import LocationLifecycle

/// An app of the delivery table: it begins some services, and reports what it receives.
///
///     CellApp KEY PIPE SERVICES AIDS
///
/// SERVICES and AIDS are words with commas between them. An aid keeps the app in use: `activity`
/// is a background activity session, `session` a service session with the goal of Always, and
/// `continuous` standard updates that go on in the background.
///
/// SIGUSR1 has it ask the daemon something, and report `pong` when the answer is there; SIGUSR2 has
/// it request one location, or an address; SIGTERM is the person who ends it.
@main
@MainActor
struct CellApp {
  private static let listener = Listener()
  private static var managers: [CLLocationManager] = []
  private static var sessions: [any Sendable] = []
  private static var signals: [any DispatchSourceSignal] = []
  private static var pings: [Ping] = []

  static func main() {
    on(SIGUSR1) { ping { say("pong") } }
    on(SIGUSR2) { act() }
    on(SIGTERM) {
      AppLifecycle.enter(.ended)
      ping {
        say("quits")
        exit(0)
      }
    }
    say("started \(ProcessInfo.processInfo.environment["LOCATIOND_LAUNCH"] ?? "by hand")")
    for aid in words(4) { help(aid) }
    Task {
      for service in words(3) { await begin(service) }
      ping { ping { say("ready") } }
    }
    RunLoop.main.run()
  }

  private static func words(_ index: Int) -> [String] {
    Lines.argument(index).split(separator: ",").map(String.init)
  }

  private static func on(_ number: Int32, _ body: @escaping @MainActor () -> Void) {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
    source.setEventHandler { MainActor.assumeIsolated(body) }
    source.activate()
    signals.append(source)
  }

  /// A manager whose delegate reports what it receives.
  private static func manager() -> CLLocationManager {
    let manager = CLLocationManager()
    manager.delegate = listener
    managers.append(manager)
    return manager
  }

  private static func help(_ aid: String) {
    switch aid {
    case "activity": sessions.append(CLBackgroundActivitySession())
    case "session": sessions.append(CLServiceSession(authorization: .always))
    case "continuous":
      let manager = CLLocationManager()
      managers.append(manager)
      manager.allowsBackgroundLocationUpdates = true
      manager.pausesLocationUpdatesAutomatically = false
      manager.startUpdatingLocation()
    default: say("unknown aid \(aid)")
    }
  }

  private static func begin(_ service: String) async {
    switch service {
    case "standard": manager().startUpdatingLocation()
    case "significantChange": manager().startMonitoringSignificantLocationChanges()
    case "visits": manager().startMonitoringVisits()
    case "region":
      manager().startMonitoring(
        for: CLCircularRegion(center: Places.home, radius: 200, identifier: "home"))
    case "beaconRegion":
      manager().startMonitoring(for: CLBeaconRegion(uuid: Places.beacon, identifier: "beacon"))
    case "ranging":
      manager().startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: Places.beacon))
    case "heading":
      await findCompass()
      manager().startUpdatingHeading()
    case "liveUpdates": iterateUpdates()
    case "monitor": await iterateEvents()
    case "diagnostics": iterateDiagnostics()
    case "oneShot", "geocoder": break
    default: say("unknown service \(service)")
    }
  }

  /// Asks the daemon until it has found the compass of a receiver, which has just sent a heading.
  private static func findCompass() async {
    for _ in 0..<1000 where !CLLocationManager.headingAvailable() {
      await withCheckedContinuation { answer in ping { answer.resume() } }
    }
  }

  private static func iterateUpdates() {
    Task {
      do {
        for try await update in CLLocationUpdate.liveUpdates() {
          if update.location != nil { say("update") }
          if update.insufficientlyInUse { say("insufficientlyInUse") }
        }
      } catch { say("error \(error)") }
    }
  }

  private static func iterateEvents() async {
    let monitor = await CLMonitor("places")
    await monitor.add(
      CLMonitor.CircularGeographicCondition(center: Places.home, radius: 200), identifier: "home")
    Task {
      do {
        for try await event in await monitor.events where event.state == .satisfied {
          say("event")
        }
      } catch { say("error \(error)") }
    }
  }

  private static func iterateDiagnostics() {
    let session = CLServiceSession(authorization: .whenInUse)
    sessions.append(session)
    Task {
      do {
        for try await diagnostic in session.diagnostics {
          say(diagnostic.authorizationDenied ? "denied" : "undenied")
        }
      } catch { say("error \(error)") }
    }
  }

  /// Does what is done once.
  private static func act() {
    for service in words(3) {
      switch service {
      case "oneShot":
        let manager = manager()
        manager.desiredAccuracy = kCLLocationAccuracyHundredMeters
        listener.once.append(manager)
        manager.requestLocation()
      case "geocoder":
        Task {
          let location = CLLocation(latitude: 48.1372, longitude: 11.5755)
          let places = try? await CLGeocoder().reverseGeocodeLocation(location)
          say(places?.isEmpty == false ? "placemark" : "no placemark")
        }
      default: break
      }
    }
    ping { say("acted") }
  }

  /// Asks the daemon something, and goes on when everything before the answer has been received.
  private static func ping(_ goOn: @escaping @MainActor () -> Void) {
    let ping = Ping(goOn)
    pings.append(ping)
    ping.begin()
  }
}

/// The places of the test.
enum Places {
  static let home = CLLocationCoordinate2D(latitude: 48.5, longitude: 11.5)
  static let beacon = UUID(uuidString: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0") ?? UUID()
}

/// A manager that was just created, whose first callback the daemon causes (AUTH-11).
final class Ping: NSObject, CLLocationManagerDelegate {
  private let manager = CLLocationManager()
  private var goOn: (@MainActor () -> Void)?

  init(_ goOn: @escaping @MainActor () -> Void) {
    self.goOn = goOn
  }

  func begin() { manager.delegate = self }

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    guard let goOn else { return }
    self.goOn = nil
    MainActor.assumeIsolated(goOn)
  }
}

final class Listener: NSObject, CLLocationManagerDelegate {
  /// The managers that have requested one location.
  var once: [CLLocationManager] = []

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    for _ in locations {
      say(once.contains { $0 === manager } ? "once" : changes(manager) ? "change" : "fix")
    }
  }

  /// Whether the app has no manager with standard updates that report here.
  private func changes(_ manager: CLLocationManager) -> Bool {
    Lines.argument(3).contains("significantChange")
  }

  func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) { say("visit") }

  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    say("entered")
  }

  func locationManager(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
  ) {
    say(state == .inside ? "inside" : state == .outside ? "outside" : "somewhere")
  }

  func locationManager(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon],
    satisfying constraint: CLBeaconIdentityConstraint
  ) {
    for beacon in beacons { say("ranged \(beacon.timestamp.timeIntervalSince1970)") }
  }

  func locationManager(_ manager: CLLocationManager, didUpdateHeading heading: CLHeading) {
    say("heading \(Int(heading.magneticHeading))")
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    say("error \((error as NSError).code)")
  }

  func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  ) {
    say("error \((error as NSError).code)")
  }
}
