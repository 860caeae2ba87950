package import LocationModel

/// Random words of every kind. Each switch is over the cases themselves, so a new case does not
/// compile here until it has a sample.
package struct Samples {
  package var random: SeededRandom

  package init(seed: UInt64) {
    random = SeededRandom(seed: seed)
  }

  package mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  package mutating func flag() -> Bool { Bool.random(using: &random) }
  package mutating func number() -> Double { Double.random(in: -1e7...1e7, using: &random) }
  package mutating func maybe<Value>(_ make: (inout Samples) -> Value) -> Value? {
    flag() ? make(&self) : nil
  }

  package mutating func text() -> String {
    ["", "home", "Straße 5", "\"\\/\u{0}\n\u{1f}", "🧭 north", "a.b.c"][pick(6)]
  }

  package mutating func subscriber() -> SubscriberID {
    SubscriberID(UInt32.random(in: 0 ... .max, using: &random))
  }

  package mutating func time() -> UnixTime {
    UnixTime(nanoseconds: Int64.random(in: Int64.min...Int64.max, using: &random))
  }

  package mutating func member<Value: CaseIterable>(_: Value.Type = Value.self) -> Value {
    let all = Array(Value.allCases)
    return all[pick(all.count)]
  }

  package mutating func accuracyAuthorization() -> AccuracyAuthorization {
    flag() ? .full : .reduced
  }

  package mutating func coordinate() -> Coordinate {
    Coordinate(
      latitude: .random(in: -90...90, using: &random),
      longitude: .random(in: -180...180, using: &random))
  }

  package mutating func fix() -> Fix {
    var fix = Fix(
      coordinate: coordinate(), horizontalAccuracy: number().magnitude + 1, time: time(),
      origin: Fix.Origin(isSimulated: flag(), isAccessory: flag()))
    fix.altitude = maybe { $0.number() }
    fix.ellipsoidalAltitude = maybe { $0.number() }
    fix.verticalAccuracy = maybe { $0.number() }
    fix.speed = maybe { $0.number() }
    fix.speedAccuracy = maybe { $0.number() }
    fix.course = maybe { $0.number() }
    fix.courseAccuracy = maybe { $0.number() }
    fix.floor = maybe { $0.pick(9) - 2 }
    return fix
  }

  package mutating func identity() -> BeaconIdentity {
    BeaconIdentity(
      uuid: BeaconUUID(high: random.next(), low: random.next()),
      major: UInt16(pick(65_536)), minor: UInt16(pick(65_536)))
  }

  package mutating func constraint() -> BeaconConstraint {
    let one = identity()
    return BeaconConstraint(
      uuid: one.uuid, major: maybe { _ in one.major }, minor: maybe { _ in one.minor })
  }

  /// Triangles beside one another, the first with a hole.
  package mutating func outline() -> PolygonOutline {
    let (south, west) = (Double(pick(1_600_000)) / 1e4 - 80, Double(pick(3_400_000)) / 1e4 - 170)
    func ring(_ east: Double, _ size: Double) -> [Coordinate] {
      let corners = [(0.0, 0.0), (1, 0), (0.3, 1 / 3.0), (0, 0)]
      return corners.map {
        Coordinate(latitude: south + 0.01 + $0.1 * size, longitude: west + east + $0.0 * size)
      }
    }
    let hole = ring(0, 1).map {
      Coordinate(
        latitude: south + 0.02 + ($0.latitude - south - 0.01) / 4,
        longitude: west + 0.2 + ($0.longitude - west) / 4)
    }
    let parts =
      [[ring(0, 1), hole]] + (1...3).prefix(pick(3)).map { [ring(Double($0) * 1.5, 0.7)] }
    guard let outline = try? PolygonOutline(parts) else { fatalError("no polygon: \(parts)") }
    return outline
  }

  package mutating func target() -> ConditionTarget {
    switch pick(4) {
    case 0: .circle(Circle(center: coordinate(), radius: number()))
    case 1: .beacon(constraint())
    case 2: .polygon(outline())
    default: .unsupported
    }
  }

  package mutating func region() -> RegionDescription {
    RegionDescription(
      identifier: text(), target: target(),
      notices: RegionNotices(onEntry: flag(), onExit: flag(), onDisplay: flag()))
  }

  package mutating func evidence() -> CrossingEvidence {
    CrossingEvidence(
      firstFix: time(), lastFix: time(), fixes: pick(100), probability: 0.97,
      crossed: maybe { $0.time() }, decided: time(), distance: number(), spread: number(),
      fused: maybe { [$0.member(), $0.member()] })
  }

  package mutating func stay() -> StayEvidence {
    StayEvidence(
      firstFix: time(), lastFix: time(), fixes: pick(100), scatter: number(), place: member(),
      dwellSeconds: number(), decided: time())
  }

  package mutating func eventEvidence() -> EventEvidence {
    flag() ? .crossing(evidence()) : .stay(stay())
  }

  package mutating func event() -> ConditionEvent {
    var event = ConditionEvent(
      identifier: text(),
      state: [.unknown, .satisfied, .unsatisfied, .unmonitored][pick(4)], date: time(),
      diagnostics: ConditionDiagnostics(rawValue: UInt16(pick(1024))))
    event.refinement = maybe { $0.identity() }
    event.evidence = maybe { $0.evidence() }
    return event
  }

  package mutating func diagnostics() -> Diagnostics { Diagnostics(rawValue: UInt16(pick(1024))) }

  package mutating func update() -> LiveUpdate {
    LiveUpdate(fix: maybe { $0.fix() }, stationary: flag(), diagnostics: diagnostics())
  }

  package mutating func state() -> ClientState {
    var state = ClientState(
      authorization: AuthorizationReport(status: member(), accuracy: accuracyAuthorization()),
      servicesEnabled: flag(), lastFix: maybe { $0.fix() })
    state.equipment = Equipment(
      hasCompass: flag(), hasBeaconRadio: flag(), hasPositions: flag())
    state.regions = (0..<pick(3)).map { _ in region() }
    return state
  }

  package mutating func options() -> UpdateOptions {
    let meters = DesiredAccuracy.meters(number().magnitude)
    var options = UpdateOptions(
      accuracy: [.bestForNavigation, .best, meters, .reduced][pick(4)],
      distanceFilter: maybe { $0.number() }, activity: member(), pausesAutomatically: flag())
    options.allowsBackground = flag()
    options.showsIndicator = flag()
    return options
  }

  package mutating func heading() -> Heading {
    Heading(
      magneticHeading: number(), trueHeading: maybe { $0.number() },
      accuracy: maybe { $0.number() },
      field: maybe { DeviceVector(x: $0.number(), y: $0.number(), z: $0.number()) }, time: time())
  }

  package mutating func beacon() -> RangedBeacon {
    RangedBeacon(
      identity: identity(), proximity: member(), accuracy: maybe { $0.number() },
      rssi: maybe { -$0.pick(100) }, time: time())
  }

  package mutating func visit() -> Visit {
    var visit = Visit(
      arrival: maybe { $0.time() }, departure: maybe { $0.time() }, coordinate: coordinate(),
      horizontalAccuracy: number())
    visit.evidence = maybe { $0.eventEvidence() }
    return visit
  }

  package mutating func records() -> [NamedRecord] {
    (0..<pick(3)).map { _ in
      NamedRecord(
        identifier: text(), record: ConditionRecord(target: target(), lastEvent: event()))
    }
  }
}
