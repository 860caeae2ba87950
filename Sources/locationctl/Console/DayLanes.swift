import LocationEngine
import LocationModel
import LocationSimulation

/// What held when in a day: what each service needed of the hardware, how the device moved, and what
/// spoke for a crossing (CONSOLE-9).
struct DayLanes: Sendable {
  private(set) var marks: [LiveLanes.Mark] = []
  private var last = Simulation.View()
  /// The number of steps of probability of each belief that is open.
  private var steps: [String: Int] = [:]

  /// Takes what holds at a moment; nearly always the same as before.
  mutating func take(_ view: Simulation.View, at now: Moment) {
    guard view != last, marks.count < Self.most else { return }
    let time = now.unixTime
    if view.shares != last.shares { take(view.shares, at: time) }
    if Self.word(view.motion) != Self.word(last.motion) {
      add("motion", "", Self.word(view.motion), at: time)
    }
    if view.beliefs != last.beliefs { take(view.beliefs, at: time) }
    last = view
  }

  private mutating func take(_ shares: [DemandShare], at time: UnixTime) {
    let before: [String: Demand] = last.shares.reduce(into: [:]) { $0[$1.client] = $1.demand }
    for share in shares where before[share.client] != share.demand {
      add("share", share.client, Self.word(share.demand), at: time)
    }
    let names = Set(shares.map(\.client))
    for share in last.shares where !names.contains(share.client) {
      add("share", share.client, "", at: time)
    }
  }

  private mutating func take(_ beliefs: [OpenBelief], at time: UnixTime) {
    for open in beliefs {
      let belief = open.belief
      let step = Int(belief.probability * Self.stepsOfOne)
      guard steps.updateValue(step, forKey: open.identifier) != step else { continue }
      func level(_ probability: Double) -> Double {
        let share = LiveLanes.rounded(probability)
        return belief.towards == .satisfied ? share : 1 - share
      }
      marks.append(
        .init(
          time: time, kind: "belief", name: open.identifier, value: belief.towards.rawValue,
          level: level(belief.probability), threshold: level(belief.threshold)))
    }
    let names = Set(beliefs.map(\.identifier))
    for name in steps.keys.filter({ !names.contains($0) }).sorted() {
      steps[name] = nil
      add("belief", name, "", at: time)
    }
  }

  private mutating func add(_ kind: String, _ name: String, _ value: String, at time: UnixTime) {
    marks.append(.init(time: time, kind: kind, name: name, value: value))
  }

  private static func word(_ demand: Demand) -> String {
    demand.position.map { "\($0.tier)" } ?? (demand.motion ? "motion" : "")
  }

  private static func word(_ motion: MotionReport?) -> String {
    LiveLanes.word(activity: motion?.activity?.rawValue, speed: motion?.speed)
  }

  /// Chosen: a belief is drawn in steps of five percent.
  private static let stepsOfOne = 20.0
  /// Chosen: a day with 20 conditions has a tenth of it.
  private static let most = 50_000
}
