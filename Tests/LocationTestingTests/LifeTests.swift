import CoreLocation
import Dispatch
import LocationTesting
import Synchronization
import Testing

/// The deliveries of a monitor to an app, over all its processes.
final class States: Sendable {
  private let states = Mutex<[CLMonitor.Event.State]>([])
  var all: [CLMonitor.Event.State] { states.withLock { $0 } }
  func add(_ state: CLMonitor.Event.State) { states.withLock { $0.append(state) } }
}

final class Launches: Sendable {
  private let number = Mutex(0)
  var count: Int { number.withLock { $0 } }
  func add() { number.withLock { $0 += 1 } }
}

@Suite("The life of an app")
struct LifeTests {
  static let home = CLLocationCoordinate2D(latitude: 52.52, longitude: 13.40)
  static let shop = CLLocationCoordinate2D(latitude: 52.535, longitude: 13.40)
  let device = SimulatedDevice(at: home)
  let app: SimulatedApp
  let states = States()
  let launches = Launches()

  init() {
    app = device.app("com.example.life")
    device.person(answers: .allowWhileUsing, .changeToAlways, after: .zero)
    app.setPermission(.always)
  }

  /// What the app does whenever its process begins.
  private func begin() async {
    let monitor = await CLMonitor("shops")
    await monitor.add(
      CLMonitor.CircularGeographicCondition(center: Self.shop, radius: 150), identifier: "shop")
    let session = CLServiceSession(authorization: .always)
    launches.add()
    do {
      for try await event in await monitor.events { states.add(event.state) }
    } catch {}
    session.invalidate()
  }

  private func walk() -> Route { Route(through: [Self.home, Self.shop], speed: 1.4) }

  @Test("LIFE-1: begins again when an event waits for it, and gets the event")
  func relaunch() async throws {
    app.whenLaunched { [self] in await begin() }
    app.moveToForeground()
    try await device.advance(by: .seconds(60))
    #expect(launches.count == 1)
    app.terminate()
    device.travel(walk())
    try await device.advance(by: .seconds(10 * 60))
    #expect(!app.isRunning)
    try await device.advance(by: .seconds(30 * 60))
    #expect(launches.count == 2)
    #expect(states.all.last == .satisfied)
  }

  @Test("LIFE-7: stays away after a reboot of a locked device, and finds its monitor again after")
  func reboot() async throws {
    app.whenLaunched { [self] in await begin() }
    app.moveToForeground()
    try await device.advance(by: .seconds(60))
    device.reboot(locked: true)
    device.travel(walk())
    try await device.advance(by: .seconds(40 * 60))
    #expect(launches.count == 1)
    #expect(!app.isRunning)
    device.unlock()
    app.moveToForeground()
    try await device.advance(by: .seconds(10 * 60))
    #expect(launches.count == 2)
    #expect(states.all.last == .satisfied)
  }

  @Test(
    "LIFE-1, LIFE-7: is started after a reboot for a pending event, once the person has unlocked")
  func startedAfterReboot() async throws {
    app.whenLaunched { [self] in await begin() }
    app.moveToForeground()
    try await device.advance(by: .seconds(60))
    device.reboot(locked: true)
    device.travel(walk())
    try await device.advance(by: .seconds(40 * 60))
    #expect(launches.count == 1)
    device.unlock()
    try await device.advance(by: .seconds(10 * 60))
    #expect(launches.count == 2)
    #expect(states.all.last == .satisfied)
  }

  @Test("LIFE-1: what canceled code still asks for comes after the reboot that canceled it")
  func canceledByReboot() async throws {
    @Sendable func region() -> CLCircularRegion {
      CLCircularRegion(center: Self.shop, radius: 150, identifier: "shop")
    }
    app.whenLaunched {
      CLLocationManager().startMonitoring(for: region())
      await withTaskCancellationHandler {
        try? await Task.sleep(for: .seconds(86_400))
      } onCancel: {
        CLLocationManager().stopMonitoring(for: region())
      }
    }
    app.moveToForeground()
    try await device.advance(by: .seconds(60))
    app.perform { device.reboot() }
    try await device.advance(by: .seconds(60))
    let regions = try await app.run {
      let manager = CLLocationManager()
      try await device.advance(by: .seconds(1))
      return manager.monitoredRegions.map(\.identifier)
    }
    #expect(regions == ["shop"])
  }

  @Test("LIFE-4: goes on for events though the person ended it from the switcher")
  func forceQuit() async throws {
    app.whenLaunched { [self] in await begin() }
    app.moveToForeground()
    try await device.advance(by: .seconds(60))
    app.forceQuit()
    device.travel(walk())
    try await device.advance(by: .seconds(40 * 60))
    #expect(launches.count == 2)
  }

  @Test("LIFE-4: stays away until it is opened where the device honors that the person ended it")
  func honoredForceQuit() async throws {
    app.whenLaunched { [self] in await begin() }
    device.honorForceQuit()
    app.moveToForeground()
    try await device.advance(by: .seconds(60))
    app.forceQuit()
    device.travel(walk())
    try await device.advance(by: .seconds(10 * 60))
    device.reboot()
    try await device.advance(by: .seconds(30 * 60))
    #expect(launches.count == 1)
    app.moveToForeground()
    try await device.advance(by: .seconds(10 * 60))
    #expect(launches.count == 2)
    #expect(states.all.last == .satisfied)
  }

  @Test("SIM-12, AUTH-7: is restricted and set free again, and must ask anew after a reset")
  func restriction() async throws {
    try await app.run {
      let manager = CLLocationManager()
      #expect(manager.authorizationStatus == .authorizedAlways)
      app.setRestricted(true)
      try await device.advance(by: .seconds(1))
      #expect(manager.authorizationStatus == .restricted)
      app.setRestricted(false)
      try await device.advance(by: .seconds(1))
      #expect(manager.authorizationStatus == .authorizedAlways)
      device.resetLocationPrivacy()
      try await device.advance(by: .seconds(1))
      #expect(manager.authorizationStatus == .notDetermined)
    }
  }

  /// The app leaves a region, and its only manager has no delegate; then it does something, and two
  /// managers get delegates, one after the other: what these receive.
  private func leaveUndelivered(_ meanwhile: () -> Void = {}) async throws -> [[String]] {
    app.moveToForeground()
    return try await app.run {
      let deaf = CLLocationManager()
      deaf.startMonitoring(
        for: CLCircularRegion(center: Self.home, radius: 200, identifier: "home"))
      try await device.advance(by: .seconds(120))
      device.travel(walk())
      try await device.advance(by: .seconds(30 * 60))
      meanwhile()
      try await device.advance(by: .seconds(1))
      let listeners = [RegionListener(), RegionListener()]
      let managers = listeners.map { _ in CLLocationManager() }
      for (manager, listener) in zip(managers, listeners) {
        manager.delegate = listener
        try await device.advance(by: .seconds(1))
      }
      return listeners.map(\.received.values)
    }
  }

  @Test("MODEL-4: reports the authorization to a delegate that is set later, once")
  func lateDelegateOfAuthorization() async throws {
    app.moveToForeground()
    try await app.run {
      let manager = CLLocationManager()
      manager.startUpdatingLocation()
      try await device.advance(by: .seconds(10))
      let listener = AuthorizationListener()
      manager.delegate = listener
      try await device.advance(by: .seconds(1))
      #expect(listener.calls == 1)
      manager.delegate = nil
      manager.delegate = listener
      try await device.advance(by: .seconds(1))
      #expect(listener.calls == 1)
    }
  }

  @Test("LIFE-5: receives what waited for a delegate when one of its managers has one, and once")
  func lateDelegate() async throws {
    #expect(try await leaveUndelivered() == [["left home"], []])
  }

  @Test("AUTH-8: receives nothing that waited for a delegate once it may not know of it any more")
  func lateDelegateOfDenied() async throws {
    let received = try await leaveUndelivered {
      app.setPermission(.never)
      app.setPermission(.always)
    }
    #expect(received == [[], []])
  }

  @Test("is its own: two apps of one device do not share what they may know")
  func twoApps() async throws {
    let other = device.app("com.example.other")
    other.setPermission(.never)
    let received = Log<Int>()
    for (index, app) in [app, other].enumerated() {
      app.whenLaunched {
        do {
          for try await update in CLLocationUpdate.liveUpdates() where update.location != nil {
            received.add(index)
          }
        } catch {}
      }
      app.moveToForeground()
    }
    try await device.advance(by: .seconds(30))
    #expect(received.values.count > 25)
    #expect(!received.values.contains(1))
  }

  @Test("runs on its own device though the test's task was last resumed by another")
  func secondDevice() async throws {
    try await device.advance(by: .seconds(1))
    let other = SimulatedDevice(at: Self.home)
    let app = other.app("com.example.second")
    app.setPermission(.always)
    let received = Log<Bool>()
    app.whenLaunched {
      do {
        for try await update in CLLocationUpdate.liveUpdates() where update.location != nil {
          received.add(true)
        }
      } catch {}
    }
    app.moveToForeground()
    try await other.advance(by: .seconds(30))
    #expect(received.values.count > 25)
  }

  @Test("reaches code on Dispatch's threads when asked to")
  func leavesTheTree() async throws {
    let received = Log<Date>()
    try await app.run {
      DispatchQueue.global().async {
        self.app.perform {
          _ = Task {
            for try await update in CLLocationUpdate.liveUpdates() where update.location != nil {
              received.add(update.location?.timestamp ?? .distantPast)
              if received.values.count == 20 { break }
            }
          }
        }
      }
      try await device.advance(by: .seconds(1))
      // Whatever real time that took, the loop is there now.
      while received.values.count < 20 { try await device.advance(by: .seconds(1)) }
    }
    #expect(received.values == received.values.sorted())
  }
}

@Suite("A simulated clock")
struct SimulatedClockTests {
  @Test("sleeps in the device's time, exactly, and ends early when canceled")
  func sleep() async throws {
    let device = SimulatedDevice(at: LifeTests.home)
    try await device.app("com.example.clock").run {
      let clock = device.clock
      let woken = Log<Duration>()
      let begin = clock.now
      Task {
        try await clock.sleep(for: .nanoseconds(1_234_567_891))
        woken.add(begin.duration(to: clock.now))
      }
      let long = Task {
        do { try await clock.sleep(for: .seconds(10_000)) } catch {
          woken.add(begin.duration(to: clock.now))
        }
      }
      Task {
        try await clock.sleep(for: .seconds(60))
        long.cancel()
      }
      try await device.advance(by: .seconds(100))
      #expect(woken.values == [.nanoseconds(1_234_567_891), .seconds(60)])
      #expect(begin.duration(to: clock.now) == .seconds(100))
    }
  }
}

/// What a delegate learns of regions.
private final class RegionListener: NSObject, CLLocationManagerDelegate {
  let received = Log<String>()

  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    received.add("entered \(region.identifier)")
  }

  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    received.add("left \(region.identifier)")
  }
}

private final class AuthorizationListener: NSObject, CLLocationManagerDelegate {
  var calls = 0

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) { calls += 1 }
}
