import LocationEngine
import LocationModel

/// Random worlds with faults, and the rules that must hold in each of them.
package enum Soak {
  /// A rule that did not hold.
  package struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
    package var seed: UInt64
    package var at: Duration
    package var rule: String

    package var description: String { "seed \(seed), after \(at): \(rule)" }
  }

  /// Runs the world of a seed; returns its summary, or the first rule that was broken.
  ///
  /// The way has so many legs.
  package static func run(
    seed: UInt64, legs: Int = 8
  ) throws(Violation) -> Simulation.Summary {
    var chance = Chance(seed: seed, legs: legs)
    let scenario = chance.scenario()
    var simulation = Simulation(
      scenario.world(seed: seed), circles: scenario.circles, beacons: scenario.beacons)
    var rules = Invariants()
    do {
      try simulation.run(until: scenario.end) { event, now in
        if let rule = rules.broken(by: event, at: now) {
          throw Violation(seed: seed, at: now.uptime - .start, rule: rule)
        }
      }
    } catch {
      guard let violation = error as? Violation else { fatalError("\(error)") }
      throw violation
    }
    if let rule = rules.broken(bySilenceUntil: simulation.world.now) {
      throw Violation(seed: seed, at: scenario.end, rule: rule)
    }
    return simulation.summary
  }
}

/// What must hold whatever happens.
struct Invariants {
  private var authorization = AuthorizationReport(status: .notDetermined)
  private var lastDate: UnixTime?
  private var delivered: [String: ConditionEvent] = [:]
  private var lastDelivery = Instant.start
  private var isExplained = false

  /// The rule that an event breaks; `nil` for none.
  mutating func broken(by event: SimulationEvent, at now: Moment) -> String? {
    switch event {
    case .authorization(let report): authorization = report
    case .update(let update): return broken(by: update, at: now)
    case .standard(.fixes), .significant:
      if !authorization.status.isGranted { return "a location came without authorization" }
    case .condition(let event): return broken(by: event)
    case .visit(let visit):
      guard let arrival = visit.arrival, let departure = visit.departure else { return nil }
      if departure < arrival { return "a visit ended before it began" }
    case .standard, .region, .demand, .asked, .advertising, .life: break
    }
    return nil
  }

  /// The rule that the silence up to now breaks (LIVE-18); `nil` for none.
  func broken(bySilenceUntil now: Moment) -> String? {
    guard !isExplained, now.uptime.seconds(since: lastDelivery) > Self.longestSilence else {
      return nil
    }
    return "live updates were silent for more than \(Self.longestSilence) s without a reason"
  }

  private mutating func broken(by update: LiveUpdate, at now: Moment) -> String? {
    if let rule = broken(bySilenceUntil: now) { return rule }
    lastDelivery = now.uptime
    isExplained = update.stationary || !update.diagnostics.isEmpty
    guard let fix = update.fix else {
      return update.diagnostics.isEmpty ? "an update says neither where nor why not" : nil
    }
    if !authorization.status.isGranted { return "a location came without authorization" }
    if !update.stationary, let lastDate, fix.time < lastDate - Self.clockStep {
      return "the dates of live updates went back"
    }
    lastDate = fix.time
    return nil
  }

  /// A state is delivered when it changes, and once more when diagnostics end; only a change has
  /// evidence, and each has (MON-21, MON-37a).
  private mutating func broken(by event: ConditionEvent) -> String? {
    let before = delivered[event.identifier]
    delivered[event.identifier] = event
    guard event.diagnostics.isEmpty, event.state == .satisfied || event.state == .unsatisfied else {
      return nil
    }
    let name = "condition \(event.identifier)"
    guard let before, before.state == event.state else {
      return event.evidence == nil ? "\(name) became \(event.state.rawValue) without evidence" : nil
    }
    if before.diagnostics.isEmpty { return "\(name) became \(event.state.rawValue) twice" }
    return event.evidence == nil ? nil : "\(name) has evidence for no change"
  }

  /// Seconds (LIVE-18).
  private static let longestSilence = 10.5
  /// A receiver whose clock was set moves its dates with it.
  private static let clockStep = Duration.seconds(3600)
}

/// Makes scenarios out of a seed.
private struct Chance {
  private var random: SeededRandom
  private let seed: UInt64
  private let legs: Int

  init(seed: UInt64, legs: Int) {
    random = SeededRandom(seed: seed)
    self.seed = seed
    self.legs = legs
  }

  mutating func scenario() -> Scenario {
    var scenario = Scenario()
    scenario.seed = seed
    scenario.origin = Coordinate(latitude: number(-60...60), longitude: number(-179...179))
    scenario.start = pick(VirtualReceiver.Start.allCases)
    scenario.journey = journey(from: scenario.origin)
    scenario.end = .seconds(scenario.journey.duration.inSeconds.rounded())
    for index in 0..<3 {
      let moment = Duration.seconds(number(0...scenario.end.inSeconds).rounded())
      let circle = Circle(
        center: scenario.journey.truth(at: moment).coordinate, radius: number(50...400))
      scenario.circles.append(Simulation.NamedCircle(identifier: "\(index)", circle: circle))
    }
    for _ in 0..<6 {
      let at = Duration.seconds(number(0...scenario.end.inSeconds).rounded())
      scenario.events.append(Scenario.Event(at: at, worldEvent: worldEvent(), text: ""))
    }
    return scenario
  }

  private mutating func journey(from origin: Coordinate) -> Journey {
    var journey = Journey(from: origin)
    for _ in 0..<legs {
      let sky = pick([Sky.open, .open, .open, .street, .indoors, .none])
      if number(0...1) < 0.35 {
        journey.stay(for: .seconds(number(30...1800).rounded()), sky: sky)
      } else {
        journey.move(
          number(100...3000), towards: number(0...360), speed: pick([1.4, 5, 14, 33]), sky: sky)
      }
    }
    return journey
  }

  private mutating func worldEvent() -> WorldEvent {
    let app = Simulation.app
    switch Int(number(0...9.999)) {
    case 0: return .fault(0, .silent)
    case 1: return .fault(0, .unplugged)
    case 2: return .fault(0, .lies(claim: 2, off: 200, towards: number(0...360)))
    case 3: return .input(.setting(.services(on: false)))
    case 4: return .input(.setting(.services(on: true)))
    case 5: return .input(.setting(.authorization(app, pick(AuthorizationSetting.allCases))))
    case 6: return .input(.setting(.precise(app, number(0...1) < 0.5)))
    case 7: return .sky(pick(Sky.allCases))
    case 8: return .input(.setting(.authorization(app, .always)))
    default: return .fault(0, nil)
    }
  }

  private mutating func number(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound
      + (range.upperBound - range.lowerBound) * Double(random.next() >> 11) * 0x1p-53
  }

  private mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[Int(random.next() % UInt64(choices.count))]
  }
}
