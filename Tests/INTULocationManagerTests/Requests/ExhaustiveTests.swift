import CoreLocation
import INTULocationManager
import TestSupport
import Testing

/// Every course of up to six events over three simultaneous requests.
///
/// Courses that lead to the same books go on together and are counted, so that all of them are
/// tried although few are walked.
@Suite("Of three simultaneous requests")
struct ExhaustiveTests {
  enum Event: Hashable, CaseIterable {
    case good, poor, transientFailure, failure, granted, denied, timeout
    case cancel1, cancel2, cancel3, force1, force2, force3
  }

  /// A coordinator and its observer at some time.
  struct Situation: Hashable {
    var observer: RequestObserver
    var now = RequestTime(uptime: .zero, date: Date(timeIntervalSince1970: 1_700_000_000))
  }

  static let origin = Date(timeIntervalSince1970: 1_700_000_000)
  static let good = location(within: 3)
  static let poor = location(within: 900)

  static func location(within accuracy: Double) -> CLLocation {
    CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: 48, longitude: 11), altitude: 0,
      horizontalAccuracy: accuracy, verticalAccuracy: -1, timestamp: origin)
  }

  static let tenSeconds = LocationRequest.Timeout.limited(.seconds(10), fromAuthorization: false)
  static let fromYesOn = LocationRequest.Timeout.limited(.seconds(4), fromAuthorization: true)

  @Test(
    "every one ends exactly once, in time, and never after it was canceled",
    arguments: [INTULocationServicesState.notDetermined, .available],
    [
      [
        LocationRequest.Mode.once(.city, tenSeconds), .once(.room, fromYesOn),
        .once(.block, .unlimited),
      ],
      [.once(.room, tenSeconds), .updates(.house), .once(.neighborhood, fromYesOn)],
      [.once(.room, tenSeconds), .updates(.city), .significantChanges],
    ])
  func interleavings(
    _ services: INTULocationServicesState, _ wishes: [LocationRequest.Mode]
  ) throws {
    var situation = Situation(observer: RequestObserver(services: services))
    for mode in wishes { try situation.observer.request(mode, at: situation.now) }
    var layer = [situation: 1]
    var courses = 0
    for _ in 1...6 {
      var next: [Situation: Int] = [:]
      for (situation, count) in layer {
        for event in Event.allCases {
          next[try after(event, situation), default: 0] += count
        }
      }
      layer = next
      courses += layer.values.reduce(0, +)
      for situation in layer.keys { try end(situation) }
    }
    let expected = (1...6).reduce(0) { sum, length in
      sum + (1...length).reduce(1) { power, _ in power * Event.allCases.count }
    }
    #expect(courses == expected)
  }

  private func after(_ event: Event, _ situation: Situation) throws -> Situation {
    var next = situation
    try next.send(event)
    return next
  }

  /// Ends a course: time passes, then nobody who had a limit waits; the others are canceled, and
  /// the coordinator is at rest.
  private func end(_ situation: Situation) throws {
    var last = situation
    while last.observer.coordinator.nextDeadline != nil { try last.send(.timeout) }
    for event in [Event.cancel1, .cancel2, .cancel3] { try last.send(event) }
    guard last.observer.coordinator.isAtRest, !last.observer.fates.contains(.live) else {
      throw Violation("somebody waits, or something is on")
    }
  }
}

extension ExhaustiveTests.Situation {
  fileprivate mutating func send(_ event: ExhaustiveTests.Event) throws(Violation) {
    switch event {
    case .good: try observer.send(.location(ExhaustiveTests.good), at: now)
    case .poor: try observer.send(.location(ExhaustiveTests.poor), at: now)
    case .transientFailure: try observer.send(.failed(CLError(.locationUnknown)), at: now)
    case .failure: try observer.send(.failed(CLError(.network)), at: now)
    case .granted: try observer.send(.services(.available), at: now)
    case .denied: try observer.send(.services(.denied), at: now)
    case .timeout: try pass()
    case .cancel1: try observer.send(.cancel(1), at: now)
    case .cancel2: try observer.send(.cancel(2), at: now)
    case .cancel3: try observer.send(.cancel(3), at: now)
    case .force1: try observer.send(.forceComplete(1), at: now)
    case .force2: try observer.send(.forceComplete(2), at: now)
    case .force3: try observer.send(.forceComplete(3), at: now)
    }
  }

  /// Lets time pass to the next deadline, or wakes the coordinator for nothing.
  private mutating func pass() throws(Violation) {
    if let deadline = observer.coordinator.nextDeadline {
      now.date += (deadline - now.uptime) / .seconds(1)
      now.uptime = deadline
    }
    try observer.send(.wake, at: now)
  }
}

@Suite("The observer of a coordinator")
struct RequestObserverTests {
  var observer = RequestObserver(services: .available)
  let now = RequestTime(uptime: .zero, date: ExhaustiveTests.origin)

  @Test("objects to a second last word, and to any word after it")
  mutating func lastWord() throws {
    try observer.request(.updates(.city), at: now)
    try observer.send(.cancel(1), at: now)
    #expect(throws: Violation.self) { try observer.check(.forget(1)) }
  }

  @Test("objects to hardware that is switched on twice, or while nobody needs it")
  mutating func hardware() throws {
    try observer.check(.hardware(.startUpdatingLocation))
    #expect(throws: Violation.self) { try observer.check(.hardware(.startUpdatingLocation)) }
    #expect(throws: Violation.self) { try observer.send(.wake, at: now) }
  }

  @Test("objects to a request that goes on after its time")
  mutating func time() throws {
    let limit = LocationRequest.Timeout.limited(.seconds(10), fromAuthorization: false)
    try observer.request(.once(.room, limit), at: now)
    let early = RequestTime(uptime: .seconds(9), date: now.date)
    try observer.send(.wake, at: early)
    #expect(observer.fates == [.live])
    try observer.send(.wake, at: RequestTime(uptime: .seconds(10), date: now.date))
    #expect(observer.fates == [.answered])
  }
}
