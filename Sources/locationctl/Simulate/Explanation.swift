import LocationCoding
import LocationModel
import LocationSimulation

/// Explains one event, and why it did not come earlier, from its evidence alone.
struct Explanation {
  let record: EventRecord

  private var event: DeliveredEvent { record.event }

  /// Seconds, in the order in which they passed.
  var delays: [(name: String, seconds: Double)] {
    guard let evidence = event.evidence else { return [] }
    var delays: [(name: String, seconds: Double)] = []
    if case .crossing(let crossing) = evidence, let sensing = crossing.sensingDelay {
      delays.append(("sensing", sensing.inSeconds))
    }
    delays.append(("policy", evidence.policyDelay.inSeconds))
    delays.append(("delivery", record.delivered.seconds(since: evidence.decided)))
    return delays
  }

  // MARK: For people

  var text: String {
    let name = event.identifier.map { " \"\($0.escapedForDisplay())\"" } ?? ""
    let app = record.app == Simulation.app ? "" : " of \(record.app.name.escapedForDisplay())"
    let head =
      "\(record.number). \(event.kind.rawValue)\(name)\(app): \(event.state), "
      + "delivered \(record.delivered.iso8601)"
    let reasons =
      switch event.evidence {
      case .crossing(let crossing): lines(of: crossing)
      case .stay(let stay): lines(of: stay)
      case nil: ["no fix decided it: a beacon, an assumption, or a change of what the app may know"]
      }
    return ([head] + reasons.map { "   " + $0 }).joined(separator: "\n")
  }

  private func lines(of evidence: CrossingEvidence) -> [String] {
    let side = evidence.distance > 0 ? "outside" : "inside"
    let between =
      event.kind == .visit
      ? "the last fix at the place" : "between a fix on this side and one on that"
    let crossed =
      evidence.crossed.map { "\($0.iso8601), \(between)" }
      ?? "not seen: no fix was on the other side"
    return [
      "crossed   \(crossed)",
      "decided   \(evidence.decided.iso8601), \(Self.tenths(evidence.probability * 100)) % likely",
      "fixes     \(evidence.fixes), from \(evidence.firstFix.iso8601) to \(evidence.lastFix.iso8601)",
      "the last  \(Self.tenths(evidence.distance.magnitude)) m \(side), "
        + "good to \(Self.tenths(evidence.spread)) m" + (evidence.fused.map(Self.words) ?? ""),
      delay(since: evidence.crossed),
    ]
  }

  private func lines(of evidence: StayEvidence) -> [String] {
    [
      "stayed    since \(evidence.firstFix.iso8601), at \(evidence.place.words)",
      "decided   \(evidence.decided.iso8601), as it is a visit there after "
        + "\(Self.tenths(evidence.dwellSeconds)) s",
      "fixes     \(evidence.fixes), to \(evidence.lastFix.iso8601), on average "
        + "\(Self.tenths(evidence.scatter)) m from their middle",
      delay(since: evidence.firstFix),
    ]
  }

  private func delay(since start: UnixTime?) -> String {
    let whole = start.map { "\(Self.tenths(record.delivered.seconds(since: $0))) s: " } ?? ""
    let parts = delays.map { "\($0.name) \(Self.tenths($0.seconds)) s" }
    return "delay     " + whole + parts.joined(separator: ", ")
  }

  /// On what a fix rests.
  private static func words(_ methods: [PositionMethod]) -> String {
    ", by " + methods.map(\.words).joined(separator: " and ")
  }

  private static func tenths(_ number: Double) -> String {
    ((number * 10).rounded() / 10).plain
  }

  // MARK: For machines

  var json: String {
    var line = JSONLine(type: "explanation")
    line.add("event", record.number)
    line.add("app", record.app.name)
    line.add("kind", event.kind.rawValue)
    line.add("identifier", event.identifier)
    line.add("state", event.state)
    line.add("date", event.date)
    line.add("delivered", record.delivered)
    event.evidence?.addMembers(to: &line)
    for (name, seconds) in delays { line.add("\(name)_delay", (seconds * 1000).rounded() / 1000) }
    return line.text
  }
}

extension EventEvidence {
  fileprivate var policyDelay: Duration {
    switch self {
    case .crossing(let crossing): crossing.policyDelay
    case .stay(let stay): stay.policyDelay
    }
  }
}

extension PositionMethod {
  fileprivate var words: String {
    switch self {
    case .receiver: "satellites"
    case .accessPoints: "access points"
    case .cells: "cells"
    case .service: "a location service"
    case .region: "a region: the cell's area, the country, GeoIP, or the time zone"
    case .beacons: "beacons"
    }
  }
}

extension StayEvidence.Place {
  fileprivate var words: String {
    switch self {
    case .familiar: "a place visited before"
    case .new: "a new place"
    case .newAfterRide: "a new place that was reached faster than on foot"
    case .newByCoarseFixes: "a new place that only coarse fixes have seen"
    }
  }
}
