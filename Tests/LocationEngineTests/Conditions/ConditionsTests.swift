import LocationModel
import TestSupport
import Testing

@testable import LocationEngine

/// An engine part with one app, its regions, and its monitor, in virtual time.
struct ConditionsWorld {
  static let app = AppIdentity("org.example.walk")
  static let monitor = MonitorKey(app: app, name: "places")

  var bench: Bench<Conditions>
  /// The durable state, as a store would hold it.
  var entries: [StateKey: [UInt8]] = [:]
  private var seen = 0
  /// The number of the last event that the monitor's loop received.
  private var lastEvent = EventNumber.none
  private var motion = MotionEstimator()

  init(limits: Conditions.Limits = Conditions.Limits()) {
    bench = Bench(Conditions(limits: limits))
  }

  static func region(_ identifier: String) -> ConditionKey {
    ConditionKey(app: app, owner: .regions, identifier: identifier)
  }

  static func condition(_ identifier: String) -> ConditionKey {
    ConditionKey(app: app, owner: .monitor("places"), identifier: identifier)
  }

  static func circle(east: Double = 0, radius: Double = 100) -> ConditionTarget {
    .circle(Circle(center: place(east: east), radius: radius))
  }

  /// Hands in one input and returns what came of it, stores left out and carried out.
  mutating func send(_ input: Conditions.Input) -> [Conditions.Output] {
    bench.send(input)
    return newOutputs()
  }

  /// The loop asks for its next event, and acknowledges the last one.
  mutating func next() -> [Conditions.Output] { send(.next(Self.monitor, after: lastEvent)) }

  /// The loop acknowledges the last event, and may receive no other.
  mutating func acknowledge() -> [Conditions.Output] { send(.handled(Self.monitor, lastEvent)) }

  /// The loop is left: it acknowledges nothing.
  mutating func leave() -> [Conditions.Output] {
    lastEvent = .none
    return send(.leave(Self.monitor))
  }

  /// Stays at a place for a while, with a fix a second.
  mutating func stay(east: Double, for duration: Int = 60) -> [Conditions.Output] {
    for _ in 0..<duration {
      bench.run(for: .seconds(1))
      let time = bench.now.unixTime.seconds - 1_700_000_000
      let fix = fix(east: east, at: time)
      bench.send(.motion(motion.observe(fix, at: bench.now)))
      bench.send(.fix(fix))
    }
    return newOutputs()
  }

  /// Walks from one place to another at 1.5 m/s.
  mutating func walk(from start: Double, to end: Double) -> [Conditions.Output] {
    var outputs: [Conditions.Output] = []
    let steps = Int((end - start).magnitude / 1.5)
    for step in 0...steps {
      outputs += stay(east: start + (end - start) * Double(step) / Double(steps), for: 1)
    }
    return outputs
  }

  private mutating func newOutputs() -> [Conditions.Output] {
    let fresh = bench.outputs[seen...].map(\.output)
    seen = bench.outputs.count
    return fresh.filter { output in
      if case .event(_, let number, _) = output { lastEvent = number }
      guard case .store(let change) = output else { return true }
      switch change {
      case .set(let key, let value): entries[key] = value
      case .remove(let key): entries[key] = nil
      }
      return false
    }
  }

  /// The engine dies and a new one restores what was stored. The app's process may survive, and
  /// its loop with it.
  mutating func restart(
    limits: Conditions.Limits = Conditions.Limits(), keepingLoop: Bool = false
  ) {
    if !keepingLoop { lastEvent = .none }
    motion = MotionEstimator()
    let stored = entries.sorted { $0.key < $1.key }.map { StateEntry(key: $0.key, value: $0.value) }
    let now = bench.now.unixTime
    bench = Bench(Conditions(restoring: stored, limits: limits), startingAt: now)
    seen = 0
  }
}

/// The events among outputs, a word each.
func words(_ outputs: [Conditions.Output]) -> [String] {
  outputs.map { output in
    switch output {
    case .store: "store"
    case .opened: "opened"
    case .refused(_, let opener): "refused by \(opener)"
    case .barred: "barred"
    case .rejected(let key): "\(key.identifier) rejected"
    case .event(_, _, let event): "\(event.identifier) \(event.state)"
    case .waiting: "waiting"
    case .state(let key, let state): "\(key.identifier) is \(state)"
    case .insideOnDisplay(let key): "\(key.identifier) determined satisfied"
    case .region(let key, let event): "\(key.identifier) \(word(event))"
    }
  }
}

private func word(_ event: RegionEvent) -> String {
  switch event {
  case .started: "started"
  case .failed(let failure): "failed: \(failure)"
  case .determined(let state): "determined \(state)"
  case .entered: "entered"
  case .exited: "exited"
  }
}
