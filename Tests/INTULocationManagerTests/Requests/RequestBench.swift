import CoreLocation
import INTULocationManager

/// Runs a coordinator in virtual time and records its outputs and their times: `MM:SS  output`.
struct RequestBench {
  private(set) var coordinator = RequestCoordinator()
  private(set) var now = RequestTime(
    uptime: .zero, date: Date(timeIntervalSince1970: 1_700_000_000))
  private var lines: [String] = []

  init(_ services: INTULocationServicesState = .available) {
    send(.services(services))
  }

  mutating func send(_ input: RequestCoordinator.Input) {
    for output in coordinator.handle(input, at: now) {
      lines.append("\(clock)  \(Self.words(output))")
    }
  }

  mutating func request(
    _ id: Int, _ mode: LocationRequest.Mode, activityType: CLActivityType = .other,
    asking type: INTUAuthorizationType = .auto
  ) {
    send(.request(LocationRequest(id, mode, activityType: activityType, asking: type)))
  }

  /// Hands in a location that is off by some meters and some seconds old.
  mutating func locate(within accuracy: Double, age: TimeInterval = 0) {
    send(.location(location(within: accuracy, age: age)))
  }

  func location(
    within accuracy: Double, age: TimeInterval = 0, latitude: Double = 48, longitude: Double = 11
  ) -> CLLocation {
    CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
      horizontalAccuracy: accuracy, verticalAccuracy: -1, timestamp: now.date - age)
  }

  /// Lets time pass, waking the coordinator whenever it asks to be woken.
  mutating func run(for time: Duration) {
    let end = now.uptime + time
    while let deadline = coordinator.nextDeadline, deadline <= end {
      advance(to: deadline)
      send(.wake)
    }
    advance(to: end)
  }

  private mutating func advance(to uptime: Duration) {
    now.date += (uptime - now.uptime) / .seconds(1)
    now.uptime = uptime
  }

  /// All outputs of the coordinator, a line each.
  var transcript: String { lines.joined(separator: "\n") }

  /// The outputs about requests, without those to the hardware.
  var answers: String {
    lines.filter { !$0.contains("hardware") }.joined(separator: "\n")
  }

  private var clock: String {
    let seconds = Int(now.uptime / .seconds(1))
    return [seconds / 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }

  private static func words(_ output: RequestCoordinator.Output) -> String {
    switch output {
    case .hardware(let command): "hardware \(words(command))"
    case .askForAuthorization(let type): "ask \(type)"
    case .finish(let id, let answer): "\(id) ends: \(words(answer))"
    case .report(let id, let answer): "\(id) receives: \(words(answer))"
    case .forget(let id): "\(id) forgotten"
    case .finishHeading(let id, let status): "\(id) ends: \(status)"
    case .reportHeading(let id, let status): "\(id) receives: \(status)"
    case .ignored(_, let reason): "ignored: \(reason)"
    }
  }

  private static func words(_ command: HardwareCommand) -> String {
    switch command {
    case .desiredAccuracy(let level): "accuracy \(level)"
    case .activityType(let type): "activity \(type.rawValue)"
    case .startUpdatingLocation: "on"
    case .stopUpdatingLocation: "off"
    case .startSignificantChanges: "significant on"
    case .stopSignificantChanges: "significant off"
    case .startUpdatingHeading: "heading on"
    case .stopUpdatingHeading: "heading off"
    }
  }

  private static func words(_ answer: LocationAnswer) -> String {
    let place = answer.location.map { "\(Int($0.horizontalAccuracy)) m" } ?? "nowhere"
    return "\(answer.status), \(place), \(answer.achievedAccuracy)"
  }
}
