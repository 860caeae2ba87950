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

  /// A desk and its witness at some time.
  struct Situation: Hashable {
    var witness: RequestObserver
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

  static let tenSeconds = LocationRequest.Patience.limited(.seconds(10), fromAuthorization: false)
  static let fromYesOn = LocationRequest.Patience.limited(.seconds(4), fromAuthorization: true)

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
    var situation = Situation(witness: RequestObserver(services: services))
    for mode in wishes { try situation.witness.request(mode, at: situation.now) }
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
  /// the desk is at rest.
  private func end(_ situation: Situation) throws {
    var last = situation
    while last.witness.coordinator.nextDeadline != nil { try last.send(.timeout) }
    for event in [Event.cancel1, .cancel2, .cancel3] { try last.send(event) }
    guard last.witness.coordinator.isAtRest, !last.witness.fates.contains(.live) else {
      throw Violation("somebody waits, or something is on")
    }
  }
}

extension ExhaustiveTests.Situation {
  fileprivate mutating func send(_ event: ExhaustiveTests.Event) throws(Violation) {
    switch event {
    case .good: try witness.send(.location(ExhaustiveTests.good), at: now)
    case .poor: try witness.send(.location(ExhaustiveTests.poor), at: now)
    case .transientFailure: try witness.send(.failed(CLError(.locationUnknown)), at: now)
    case .failure: try witness.send(.failed(CLError(.network)), at: now)
    case .granted: try witness.send(.services(.available), at: now)
    case .denied: try witness.send(.services(.denied), at: now)
    case .timeout: try pass()
    case .cancel1: try witness.send(.cancel(1), at: now)
    case .cancel2: try witness.send(.cancel(2), at: now)
    case .cancel3: try witness.send(.cancel(3), at: now)
    case .force1: try witness.send(.forceComplete(1), at: now)
    case .force2: try witness.send(.forceComplete(2), at: now)
    case .force3: try witness.send(.forceComplete(3), at: now)
    }
  }

  /// Lets time pass to the next deadline, or wakes the desk for nothing.
  private mutating func pass() throws(Violation) {
    if let deadline = witness.coordinator.nextDeadline {
      now.date += (deadline - now.uptime) / .seconds(1)
      now.uptime = deadline
    }
    try witness.send(.wake, at: now)
  }
}

@Suite("The witness of a desk")
struct RequestObserverTests {
  var witness = RequestObserver(services: .available)
  let now = RequestTime(uptime: .zero, date: ExhaustiveTests.origin)

  @Test("objects to a second last word, and to any word after it")
  mutating func lastWord() throws {
    try witness.request(.updates(.city), at: now)
    try witness.send(.cancel(1), at: now)
    #expect(throws: Violation.self) { try witness.hear(.forget(1)) }
  }

  @Test("objects to hardware that is switched on twice, or while nobody needs it")
  mutating func hardware() throws {
    try witness.hear(.hardware(.startUpdatingLocation))
    #expect(throws: Violation.self) { try witness.hear(.hardware(.startUpdatingLocation)) }
    #expect(throws: Violation.self) { try witness.send(.wake, at: now) }
  }

  @Test("objects to a request that goes on after its time")
  mutating func time() throws {
    let limit = LocationRequest.Patience.limited(.seconds(10), fromAuthorization: false)
    try witness.request(.once(.room, limit), at: now)
    let early = RequestTime(uptime: .seconds(9), date: now.date)
    try witness.send(.wake, at: early)
    #expect(witness.fates == [.live])
    try witness.send(.wake, at: RequestTime(uptime: .seconds(10), date: now.date))
    #expect(witness.fates == [.answered])
  }
}
