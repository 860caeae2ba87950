import CoreLocation
import Foundation
import TestSupport
import LocationDaemon
import LocationEngine
import LocationHost
import LocationModel
import LocationProviders

/// How an app of these tests reaches its engine.
enum Transport: String, CaseIterable, Sendable {
  /// The engine runs in the app's own process.
  case inProcess
  /// The engine is behind the socket of a daemon.
  case daemon
}

/// One app over one transport, with the engine's person at hand.
final class Connected: Sendable {
  private let host: LocationHost
  let app: AppIdentity
  private let client: LocationClient
  private let server: SocketServer?
  private let folder: TemporaryFolder

  /// Sources are URLs. Nobody has decided about the app yet.
  init(_ transport: Transport, _ sources: String...) throws {
    folder = try TemporaryFolder()
    let sources = try sources.map { try Source(url: $0) }
    let state = StateFolder(path: folder.file("state"))
    try state.create()
    host = LocationHost(sources: sources, keeper: StateKeeper(folder: state))
    // The daemon takes the identity from the kernel; in process the app says the same itself.
    app = AppIdentity(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    let description = ClientDescription(
      app: app, manifest: Manifest(file: "\(app.name).plist"))
    switch transport {
    case .inProcess:
      server = nil
      client = LocationClient(description, over: host)
    case .daemon:
      let socket = folder.file("socket")
      let facts = DaemonFacts(folder: state, options: try DaemonOptions([]), variables: [:])
      server = SocketServer(
        try DaemonSocket.listen(at: socket), for: host, journal: DaemonJournal([:]), facts: facts)
      client = LocationClient(description, over: SocketLink(at: socket))
    }
  }

  /// The person decides; what the app asks afterwards comes afterwards, over the socket, too.
  func decide(_ setting: AuthorizationSetting, precise: Bool? = nil) {
    host.pass(.setting(.authorization(app, setting)))
    if let precise { host.pass(.setting(.precise(app, precise))) }
    waitForEngine()
  }

  /// The person turns the switch of the whole machine.
  func turnServices(on: Bool) {
    host.pass(.setting(.services(on: on)))
    waitForEngine()
  }

  /// Until it has handled earlier deliveries: its answer comes after them.
  private func waitForEngine() { _ = host.sourceReports() }

  /// Runs `body` as the app.
  func run<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await LocationClient.$bound.withValue(client) { try await body() }
  }
}

extension Connected {
  /// Runs `body` as the app, with a manager and what its delegate receives.
  func run<Result>(
    _ body: (CLLocationManager, DelegateLog) async throws -> Result
  ) async throws -> Result {
    let log = DelegateLog()
    return try await run {
      let manager = CLLocationManager()
      manager.delegate = log
      return try await body(manager, log)
    }
  }
}

/// What a delegate receives, one word after the other.
final class DelegateLog: NSObject, CLLocationManagerDelegate, Sendable {
  let words = Events<String>()

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    words.add("authorization \(manager.authorizationStatus.rawValue)")
  }

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    for location in locations { words.add("location \(location.coordinate.latitude)") }
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    words.add("error \((error as NSError).code)")
  }

  func locationManager(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
  ) {
    words.add("\(region.identifier) is \(state.rawValue)")
  }

  func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
    words.add("monitors \(region.identifier)")
  }

  func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  ) {
    words.add("\(region?.identifier ?? "") failed \((error as NSError).code)")
  }

  func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
    words.add("heading")
  }

  func locationManager(
    _ manager: CLLocationManager, didFailRangingFor constraint: CLBeaconIdentityConstraint,
    error: any Error
  ) {
    words.add("ranging failed")
  }

  func next(_ word: String) async throws {
    _ = try await words.next { $0 == word }
  }
}
