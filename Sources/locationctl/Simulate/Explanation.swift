import CoreLocation
import LocationModel

/// Why one event of a condition or a region was told, and why not earlier: from its evidence alone.
struct Explanation {
  /// `condition` or `region`.
  var type: String
  var identifier: String
  var state: String
  /// When the state was observed.
  var date: UnixTime
  var delivered: UnixTime
  /// `nil` for what no fix decided.
  var evidence: CrossingEvidence?

  /// Seconds, in the order in which they passed.
  var delays: [(name: String, seconds: Double)] {
    guard let evidence else { return [] }
    var delays: [(name: String, seconds: Double)] = []
    if let sensing = evidence.sensingDelay { delays.append(("sensing", sensing.inSeconds)) }
    delays.append(("policy", evidence.policyDelay.inSeconds))
    delays.append(("delivery", delivered.seconds(since: evidence.decided)))
    return delays
  }

  // MARK: For people

  func text(number: Int) -> String {
    let head = "\(number). \(type) \"\(identifier)\": \(state), told \(delivered.iso8601)"
    let reasons = evidence.map { lines(of: $0) } ?? ["no fix decided it: \(Self.withoutEvidence)"]
    return ([head] + reasons.map { "   " + $0 }).joined(separator: "\n")
  }

  private static let withoutEvidence =
    "a beacon, an assumption, or a change of what the app may know"

  private func lines(of evidence: CrossingEvidence) -> [String] {
    let side = evidence.distance > 0 ? "outside" : "inside"
    let crossed =
      evidence.crossed.map { "\($0.iso8601), between a fix on this side and one on that" }
      ?? "not seen: no fix was on the other side"
    let whole = evidence.crossed.map { delivered.seconds(since: $0) }
    let parts = delays.map { "\($0.name) \(Self.tenths($0.seconds)) s" }
    return [
      "crossed   \(crossed)",
      "decided   \(evidence.decided.iso8601), \(Self.tenths(evidence.probability * 100)) % likely",
      "fixes     \(evidence.fixes), from \(evidence.firstFix.iso8601) to \(evidence.lastFix.iso8601)",
      "the last  \(Self.tenths(evidence.distance.magnitude)) m \(side), "
        + "good to \(Self.tenths(evidence.spread)) m",
      "delay     " + (whole.map { "\(Self.tenths($0)) s: " } ?? "") + parts.joined(separator: ", "),
    ]
  }

  private static func tenths(_ number: Double) -> String {
    ((number * 10).rounded() / 10).plain
  }

  // MARK: For machines

  func json(number: Int) -> String {
    var line = JSONLine(type: "explanation")
    line.add("event", number)
    line.add("kind", type)
    line.add("identifier", identifier)
    line.add("state", state)
    line.add("date", date.iso8601)
    line.add("delivered", delivered.iso8601)
    if let evidence { evidence.add(to: &line) }
    for (name, seconds) in delays { line.add("\(name)_delay", (seconds * 1000).rounded() / 1000) }
    return line.text
  }
}

extension CrossingEvidence {
  /// The members that a crossing has wherever it is printed.
  func add(to line: inout JSONLine) {
    line.add("fixes", fixes)
    line.add("probability", probability)
    line.add("distance", distance)
    line.add("spread", spread)
    line.add("first_fix", firstFix.iso8601)
    line.add("last_fix", lastFix.iso8601)
    line.add("crossed", crossed?.iso8601)
    line.add("decided", decided.iso8601)
  }
}

// MARK: - Reading

/// A line of `simulate --json` that tells of a condition or a region.
struct EventLine: Decodable {
  private struct Evidence: Decodable {
    var fixes: Int
    var probability: Double
    var distance: Double
    var spread: Double
    var firstFix: String
    var lastFix: String
    var crossed: String?
    var decided: String
  }

  private struct Kind: Decodable {
    var type: String
  }

  private var type: String
  private var identifier: String
  private var state: String
  private var date: String
  private var delivered: String
  private var evidence: Evidence?

  /// What the line tells; `nil` for a line of another kind, a reason for one that is broken.
  static func explanation(of line: Substring) -> Result<Explanation?, LineFault> {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let data = Data(line.utf8)
    guard let kind = try? decoder.decode(Kind.self, from: data) else {
      return .failure(LineFault(cause: "this is no line of simulate --json"))
    }
    guard ["condition", "region"].contains(kind.type) else { return .success(nil) }
    guard let event = try? decoder.decode(EventLine.self, from: data),
      let explanation = event.explanation
    else { return .failure(LineFault(cause: "this event lacks what it needs, or a date is wrong")) }
    return .success(explanation)
  }

  struct LineFault: Error {
    var cause: String
  }

  private var explanation: Explanation? {
    guard let date = UnixTime(iso8601: date), let delivered = UnixTime(iso8601: delivered) else {
      return nil
    }
    var explanation = Explanation(
      type: type, identifier: identifier, state: state, date: date, delivered: delivered)
    guard let evidence else { return explanation }
    guard let first = UnixTime(iso8601: evidence.firstFix),
      let last = UnixTime(iso8601: evidence.lastFix),
      let decided = UnixTime(iso8601: evidence.decided)
    else { return nil }
    explanation.evidence = CrossingEvidence(
      firstFix: first, lastFix: last, fixes: evidence.fixes, probability: evidence.probability,
      crossed: evidence.crossed.flatMap { UnixTime(iso8601: $0) }, decided: decided,
      distance: evidence.distance, spread: evidence.spread)
    return explanation
  }
}
