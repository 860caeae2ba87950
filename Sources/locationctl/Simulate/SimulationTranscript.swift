import LocationModel
import LocationSimulation

/// The events of a simulation as a transcript for people: changes, and not every fix.
struct SimulationTranscript {
  private var hasPosition: Bool?
  private var isStationary = false
  private var floor: Int?
  private var diagnostics: Diagnostics?

  /// The line for an event; `nil` for one that changes nothing.
  mutating func line(_ event: SimulationEvent, at now: Moment) -> String? {
    guard let (who, what) = story(event) else { return nil }
    let padding = String(repeating: " ", count: max(1, 14 - who.count))
    return "\(Self.clock(now.uptime))  \(who)\(padding)\(what)"
  }

  private mutating func story(_ event: SimulationEvent) -> (String, String)? {
    switch event {
    case .update(let update): return description(of: update).map { ("updates", $0) }
    case .standard(.fixes), .standard(.deferralFinished): return nil
    case .standard(.failed(let failure)): return ("standard", "failed: \(failure)")
    case .standard(.paused): return ("standard", "paused")
    case .standard(.resumed): return ("standard", "resumed")
    case .significant: return ("significant", "moved")
    case .condition(let event):
      return ("condition", "\"\(event.identifier)\" \(event.state.rawValue)")
    case .region(let region, let event):
      return ("region", "\"\(region.identifier)\" \(event.name)")
    case .visit(let visit):
      let what = visit.departure == nil ? "arrived" : "departed"
      return ("visit", "\(what), within \(Int(visit.horizontalAccuracy)) m")
    case .authorization(let report):
      return ("authorization", "\(report.status.rawValue), \(report.accuracy.rawValue) accuracy")
    case .demand(let demand): return ("hardware", Self.text(of: demand))
    case .advertising(.refused(let reason)): return ("app", "is no beacon: \(reason)")
    case .advertising(let state): return ("app", "as a beacon: \(state.name)")
    case .asked(let prompt): return ("person", "is asked: \(prompt.kind)")
    case .life(let life): return ("app", life.rawValue)
    }
  }

  private mutating func description(of update: LiveUpdate) -> String? {
    let isSame =
      hasPosition == (update.fix != nil) && isStationary == update.stationary
      && diagnostics == update.diagnostics && floor == update.fix?.floor
    guard !isSame else { return nil }
    hasPosition = update.fix != nil
    floor = update.fix?.floor
    isStationary = update.stationary
    diagnostics = update.diagnostics
    let position = update.fix == nil ? "no position" : "positions flow"
    let state = update.stationary ? "stationary" : position
    let what = floor.map { "\(state), floor \($0)" } ?? state
    return update.diagnostics.isEmpty ? what : "\(what): \(update.diagnostics)"
  }

  private static func text(of demand: Demand) -> String {
    guard let position = demand.position else { return demand.motion ? "motion only" : "off" }
    let every = position.interval > .zero ? ", every \(Int(position.interval.inSeconds)) s" : ""
    return "\(position.tier)\(every)"
  }

  /// `HH:MM:SS`, and milliseconds where there are any.
  static func clock(_ instant: Instant) -> String {
    let milliseconds = instant.nanoseconds / 1_000_000
    let seconds = milliseconds / 1000
    let fields = [seconds / 3600, seconds / 60 % 60, seconds % 60]
    let time = fields.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    let rest = milliseconds % 1000
    return rest == 0 ? time : time + "." + String(String(rest + 1000).dropFirst())
  }
}
