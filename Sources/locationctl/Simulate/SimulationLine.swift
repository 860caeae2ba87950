import LocationCoding
import LocationModel
import LocationSimulation

/// The events of a simulation, as lines for programs; docs/formats and the architecture document
/// name the keys.
enum SimulationLine {
  /// `nil` for what is not printed: standard updates repeat live updates.
  static func json(_ event: SimulationEvent, at now: Moment) -> String? {
    switch event {
    case .update(let update): return json(update, at: now)
    case .standard, .life: return nil
    case .significant(let fix):
      var line = JSONLine(type: "significant")
      add(fix, to: &line)
      line.add("delivered", now.unixTime)
      return line.text
    case .condition(let condition): return json(DeliveredEvent(condition), at: now)
    case .region(let region, let event):
      return json(
        DeliveredEvent(
          .region, region.identifier, event.name,
          since: event.evidence?.lastFix ?? now.unixTime, event.evidence.map { .crossing($0) }),
        at: now)
    case .visit(let visit): return json(visit, at: now)
    case .authorization(let report):
      var line = JSONLine(type: "authorization")
      line.add("date", now.unixTime)
      line.add("status", report.status.rawValue)
      line.add("accuracy", report.accuracy.rawValue)
      return line.text
    case .demand(let demand):
      var line = JSONLine(type: "demand")
      line.add("date", now.unixTime)
      line.add("tier", demand.position.map { "\($0.tier)" } ?? "off")
      line.add("interval", demand.position?.interval.inSeconds)
      return line.text
    case .advertising(let state):
      var line = JSONLine(type: "advertising")
      line.add("date", now.unixTime)
      line.add("state", state.name)
      if case .refused(let reason) = state { line.add("reason", reason) }
      return line.text
    case .asked(let prompt):
      var line = JSONLine(type: "prompt")
      line.add("date", now.unixTime)
      line.add("kind", "\(prompt.kind)")
      return line.text
    }
  }

  static func json(_ summary: Simulation.Summary) -> String {
    var line = JSONLine(type: "summary")
    line.add("simulated_seconds", summary.simulated.inSeconds)
    line.add("fixes", summary.fixes)
    line.add("deliveries", summary.deliveries)
    for tier in PositionTier.allCases {
      line.add("on_time_\(tier)", summary.onTime[tier]?.inSeconds)
    }
    line.add("on_time_by_client", objects: summary.clients.map { json($0, $1) })
    line.add("hash", hash(summary))
    return line.text
  }

  private static func json(_ client: String, _ times: [PositionTier: Duration]) -> JSONLine {
    var line = JSONLine(type: "on_time")
    line.add("client", client)
    for tier in PositionTier.allCases { line.add("\(tier)", times[tier]?.inSeconds) }
    return line
  }

  static func hash(_ summary: Simulation.Summary) -> String {
    let digits = String(summary.hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  // MARK: Kinds

  private static func json(_ update: LiveUpdate, at now: Moment) -> String {
    var line = JSONLine(type: "update")
    if let fix = update.fix { add(fix, to: &line) }
    line.add("stationary", flag: update.stationary)
    if let fix = update.fix { line.add("simulated", flag: fix.origin.isSimulated) }
    for diagnostic in diagnostics(of: update) { line.add(diagnostic, flag: true) }
    line.add("delivered", now.unixTime)
    return line.text
  }

  /// In snake case, as `watch` prints them.
  private static func diagnostics(of update: LiveUpdate) -> [String] {
    guard !update.diagnostics.isEmpty else { return [] }
    return "\(update.diagnostics)".split(separator: " ").map { name in
      name.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
    }
  }

  private static func json(_ event: DeliveredEvent, at now: Moment) -> String {
    var line = JSONLine(type: event.kind.rawValue)
    line.add("identifier", event.identifier)
    line.add("state", event.state)
    line.add("date", event.date)
    line.add("delivered", now.unixTime)
    event.evidence?.add(to: &line)
    return line.text
  }

  private static func json(_ visit: Visit, at now: Moment) -> String {
    var line = JSONLine(type: "visit")
    line.addOrNull("arrival_date", visit.arrival)
    line.addOrNull("departure_date", visit.departure)
    line.add("latitude", visit.coordinate.latitude)
    line.add("longitude", visit.coordinate.longitude)
    line.add("horizontal_accuracy", visit.horizontalAccuracy)
    line.add("delivered", now.unixTime)
    visit.evidence?.add(to: &line)
    return line.text
  }

  private static func add(_ fix: Fix, to line: inout JSONLine) {
    line.add("date", fix.time)
    line.add("latitude", fix.coordinate.latitude)
    line.add("longitude", fix.coordinate.longitude)
    line.add("horizontal_accuracy", fix.horizontalAccuracy)
    line.add("altitude", fix.altitude)
    line.add("vertical_accuracy", fix.verticalAccuracy)
    line.add("floor", fix.floor)
    line.add("speed", fix.speed)
    line.add("speed_accuracy", fix.speedAccuracy)
    line.add("course", fix.course)
    line.add("course_accuracy", fix.courseAccuracy)
  }
}
