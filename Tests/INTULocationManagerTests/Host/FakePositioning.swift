import CoreLocation

@testable import INTULocationManager

/// A location manager that records its calls, and sends the events of a test.
@MainActor
final class FakePositioning: Positioning {
  var onEvent: ((PositioningEvent) -> Void)?
  var services = INTULocationServicesState.available
  var headingServices = INTUHeadingServicesState.available
  private(set) var commands: [HardwareCommand] = []
  private(set) var questions: [INTUAuthorizationType] = []
  private(set) var settings: [ManagerSetting] = []

  nonisolated init() {}

  func carryOut(_ command: HardwareCommand) { commands.append(command) }
  func askForAuthorization(_ type: INTUAuthorizationType) { questions.append(type) }
  func change(_ setting: ManagerSetting) { settings.append(setting) }

  func send(_ event: PositioningEvent) { onEvent?(event) }

  /// A location that is off by some meters, now.
  func locate(within accuracy: Double) {
    send(
      .location(
        CLLocation(
          coordinate: CLLocationCoordinate2D(latitude: 48, longitude: 11), altitude: 0,
          horizontalAccuracy: accuracy, verticalAccuracy: -1, timestamp: FakeClock.date)))
  }

  /// Changes the state and says so.
  func change(to services: INTULocationServicesState) {
    self.services = services
    send(.servicesChanged)
  }
}

/// Virtual time; its date stands still.
@MainActor
final class FakeClock: RequestClock {
  nonisolated static let date = Date(timeIntervalSince1970: 1_700_000_000)
  private var uptime = Duration.zero
  private var alarm: (deadline: Duration, ring: @MainActor () -> Void)?

  nonisolated init() {}

  var now: RequestTime { RequestTime(uptime: uptime, date: Self.date) }

  func setAlarm(at deadline: Duration?, _ ring: @escaping @MainActor () -> Void) {
    alarm = deadline.map { ($0, ring) }
  }

  func run(for time: Duration) {
    let end = uptime + time
    while let alarm, alarm.deadline <= end {
      uptime = alarm.deadline
      self.alarm = nil
      alarm.ring()
    }
    uptime = end
  }
}

/// A manager over a fake, and what its blocks have received.
@MainActor
struct Desktop {
  let positioning = FakePositioning()
  let clock = FakeClock()
  let manager: INTULocationManager
  let diary = Diary()

  init() {
    let (positioning, clock) = (positioning, clock)
    manager = INTULocationManager(positioning: { positioning }, clock: { clock })
  }

  /// Waits until all that was posted to the main queue before has run.
  nonisolated func settle() async {
    await withCheckedContinuation { done in
      DispatchQueue.main.async { done.resume() }
    }
  }
}

/// Lines written by blocks.
@MainActor
final class Diary {
  private(set) var lines: [String] = []

  nonisolated init() {}

  func note(_ line: String) { lines.append(line) }

  /// A block that writes down what it receives.
  func block(_ name: String) -> INTULocationRequestBlock {
    { location, accuracy, status in
      let place = location.map { "\(Int($0.horizontalAccuracy)) m" } ?? "nowhere"
      self.note("\(name): \(status), \(place), \(accuracy)")
    }
  }
}

/// A heading as a test wants it.
final class FakeHeading: CLHeading {
  var magnetic: CLLocationDirection = 12
  var north: CLLocationDirection = 15
  var error: CLLocationDirection = 5

  override var magneticHeading: CLLocationDirection { magnetic }
  override var trueHeading: CLLocationDirection { north }
  override var headingAccuracy: CLLocationDirection { error }
}
