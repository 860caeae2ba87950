import CoreLocation
import LocationLifecycle

/// An app that watches by one service, for as long as it may: what it receives while it does not run
/// starts it again.
///
///     LaunchedApp monitor|region|visits|changes [MARK]
///     LaunchedApp quits
///     LaunchedApp background
///     LaunchedApp brief add|remove|start|stop|visits|changes|list
///     LaunchedApp asks
///     LaunchedApp services
///     LaunchedApp variables
///
/// One that quits watches a region, and ends as by the person once it is inside.
/// In the background it goes on with a session, which it ends at the first place. The brief form changes what it watches, and ends at once.
/// When MARK is a file that is there, it removes the file and crashes before it learns of an event.
@main
struct LaunchedApp {
  static func main() async {
    say("started \(ProcessInfo.processInfo.environment["LOCATIOND_LAUNCH"] ?? "by hand")")
    let service = CommandLine.arguments.dropFirst().first
    if service == "monitor" { return await monitor() }
    if service == "background" { return await background() }
    if service == "services" { return services() }
    if service == "variables" { return variables() }
    if service == "asks" { return await asks() }
    if service == "brief" { return await brief(CommandLine.arguments.dropFirst(2).first) }
    let listener = Listener()
    let manager = CLLocationManager()
    crashIfMarked()
    manager.delegate = listener
    switch service {
    case "region", "quits":
      manager.startMonitoring(
        for: CLCircularRegion(center: home, radius: 200, identifier: "home"))
    case "visits": manager.startMonitoringVisits()
    case "changes": manager.startMonitoringSignificantLocationChanges()
    default: say("monitor, region, visits, or changes?")
    }
    try? await Task.sleep(for: .seconds(600))
    withExtendedLifetime((manager, listener)) {}
  }

  /// Says whether services are on, and how long that took.
  private static func services() {
    let begin = ContinuousClock.now
    let areOn = CLLocationManager.locationServicesEnabled()
    let time = ContinuousClock.now - begin
    say("services \(areOn ? "on" : "off") in \(time < .milliseconds(50) ? "time" : "\(time)")")
  }

  /// Says what its environment is.
  private static func variables() {
    for (name, value) in ProcessInfo.processInfo.environment.sorted(by: { $0.key < $1.key }) {
      say("variable \(name)=\(value)")
    }
    say("variables end")
  }

  private static func asks() async {
    let listener = Listener()
    let manager = CLLocationManager()
    manager.delegate = listener
    manager.requestWhenInUseAuthorization()
    say("asks, status \(manager.authorizationStatus.rawValue)")
    try? await Task.sleep(for: .seconds(600))
    withExtendedLifetime((manager, listener)) {}
  }

  private static func brief(_ change: String?) async {
    let manager = CLLocationManager()
    let region = CLCircularRegion(center: home, radius: 200, identifier: "region")
    switch change {
    case "add":
      await CLMonitor("places").add(
        CLMonitor.CircularGeographicCondition(center: home, radius: 200), identifier: "condition")
      _exit(0)
    case "remove":
      await CLMonitor("places").remove("condition")
      _exit(0)
    case "start":
      manager.startMonitoring(for: region)
      _exit(0)
    case "stop":
      manager.stopMonitoring(for: region)
      _exit(0)
    case "visits":
      manager.startMonitoringVisits()
      _exit(0)
    case "changes":
      manager.startMonitoringSignificantLocationChanges()
      _exit(0)
    default:
      let names = await CLMonitor("places").identifiers + manager.monitoredRegions.map(\.identifier)
      say("watches \(names.sorted().joined(separator: " "))")
    }
  }

  private static func background() async {
    let session = CLBackgroundActivitySession()
    AppLifecycle.enter(.background)
    do {
      for try await update in CLLocationUpdate.liveUpdates() where update.location != nil {
        session.invalidate()
      }
    } catch { say("\(error)") }
  }

  private static func monitor() async {
    let session = CLServiceSession(authorization: .always)
    let monitor = await CLMonitor("places")
    crashIfMarked()
    await monitor.add(
      CLMonitor.CircularGeographicCondition(center: home, radius: 200), identifier: "home")
    do {
      for try await event in await monitor.events {
        let outside = event.conditionUnsupported ? "unsupported" : "out"
        say("\(event.identifier) \(event.state == .satisfied ? "in" : outside)")
      }
    } catch { say("\(error)") }
    withExtendedLifetime(session) {}
  }

  private static let home = CLLocationCoordinate2D(latitude: 48.5, longitude: 11.5)

  private static func crashIfMarked() {
    guard let mark = CommandLine.arguments.dropFirst(2).first, unlink(mark) == 0 else { return }
    say("crashes")
    exit(1)
  }
}

private final class Listener: NSObject, CLLocationManagerDelegate {
  func locationManager(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
  ) {
    if CommandLine.arguments.dropFirst().first == "quits", state == .inside {
      AppLifecycle.enter(.ended)
      // The daemon has taken the report once it has taken this.
      manager.stopMonitoring(
        for: CLCircularRegion(center: CLLocationCoordinate2D(), radius: 1, identifier: "-"))
    }
    say("\(region.identifier) is \(state == .inside ? "inside" : "outside")")
  }

  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    say("\(region.identifier) in")
  }

  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    say("\(region.identifier) out")
  }

  func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
    if visit.departureDate == .distantFuture {
      say("visit begins")
    } else {
      say(visit.arrivalDate == .distantPast ? "visit ends" : "visit ends that began")
    }
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    say("error \((error as NSError).code)")
  }

  func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  ) {
    say("\(region?.identifier ?? "") failed \((error as NSError).code)")
  }

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    for location in locations { say("change to \(location.coordinate.latitude)") }
  }
}

func say(_ text: String) {
  FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}
