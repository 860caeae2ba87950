import CoreLocation
import Foundation
import INTULocationManager
import LocationModel
import TestSupport

/// One random course of events at a coordinator.
struct Schedule {
  private var random: SeededRandom
  private(set) var observer: RequestObserver
  private var now = RequestTime(uptime: .zero, date: Date(timeIntervalSince1970: 1_700_000_000))

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    let states: [INTULocationServicesState] = [.notDetermined, .available, .available]
    observer = RequestObserver(services: states[Int.random(in: 0..<3, using: &random)])
  }

  mutating func run() throws(Violation) {
    for _ in 0..<Int.random(in: 4...24, using: &random) { try step() }
    try drain()
  }

  private mutating func step() throws(Violation) {
    switch Int.random(in: 0..<16, using: &random) {
    case 0...4: try observer.request(randomWish(), at: now)
    case 5...7: try observer.send(.location(randomLocation()), at: now)
    case 8:
      try observer.send(
        .failed(CLError(Bool.random(using: &random) ? .locationUnknown : .network)), at: now)
    case 9: try observer.send(.services(randomServices()), at: now)
    case 10, 11: try pass(.milliseconds(Int.random(in: 0...20_000, using: &random)))
    case 12, 13: try withRandomRequest { .cancel($0) }
    default: try withRandomRequest { .forceComplete($0) }
    }
  }

  private mutating func withRandomRequest(
    _ input: (INTULocationRequestID) -> RequestCoordinator.Input
  ) throws(Violation) {
    let made = observer.fates.count
    guard made > 0 else { return }
    try observer.send(input(Int.random(in: 1...made, using: &random)), at: now)
  }

  /// Lets time pass, waking the coordinator whenever it asks to be woken, and now and then too early.
  private mutating func pass(_ time: Duration) throws(Violation) {
    let end = now.uptime + time
    while let deadline = observer.coordinator.nextDeadline, deadline <= end {
      advance(to: max(deadline, now.uptime))
      try observer.send(.wake, at: now)
    }
    advance(to: end)
    if Bool.random(using: &random) { try observer.send(.wake, at: now) }
  }

  private mutating func advance(to uptime: Duration) {
    now.date += (uptime - now.uptime) / .seconds(1)
    now.uptime = uptime
  }

  private mutating func drain() throws(Violation) {
    try pass(.seconds(3600))
    for id in observer.fates.indices.map({ $0 + 1 }) {
      try observer.send(.cancel(id), at: now)
    }
    guard observer.coordinator.isAtRest, observer.coordinator.nextDeadline == nil else {
      throw Violation("the coordinator is not idle")
    }
  }

  private mutating func randomWish() -> LocationRequest.Mode {
    let levels = INTULocationAccuracy.allCases.dropFirst()
    let level = levels[Int.random(in: 1..<6, using: &random)]
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return .updates(level)
    case 1: return .significantChanges
    case 2: return .once(level, .unlimited)
    default:
      let time = Duration.seconds(Int.random(in: 1...30, using: &random))
      return .once(level, .limited(time, fromAuthorization: .random(using: &random)))
    }
  }

  private mutating func randomServices() -> INTULocationServicesState {
    let states = INTULocationServicesState.allCases + [.available, .available, .available]
    return states[Int.random(in: 0..<states.count, using: &random)]
  }

  /// Good or poor, new or old, and now and then none at all.
  private mutating func randomLocation() -> CLLocation {
    let accuracies = [-1.0, 3, 5, 12, 80, 900, 4_000, 20_000]
    let ages = [0.0, 0, 4, 14, 50, 250, 500, 2_000]
    return CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: 48, longitude: 11), altitude: 0,
      horizontalAccuracy: accuracies[Int.random(in: 0..<8, using: &random)], verticalAccuracy: -1,
      timestamp: now.date - ages[Int.random(in: 0..<8, using: &random)])
  }
}
