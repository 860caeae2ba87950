import LocationCoding
import LocationEngine
import LocationHost
import LocationLink
import LocationModel

extension Verb {
  private static let count = Option(
    name: "count", value: .wholeNumber("N", 1...Int.max),
    summary: "With events: stop after so many")
  private static let timeout = Option.timeout("With events: stop after so many seconds")

  private static let polygon = Option(
    name: "polygon", value: .text("FILE|CORNERS"),
    summary: "With add: a GeoJSON file, - for standard input, or LAT,LON LAT,LON LAT,LON …")

  static let monitor = Verb(
    name: "monitor", summary: "Have the location daemon watch a place, and print its events",
    details: [
      """
      add watches a circle, or with --polygon a polygon, until remove ends it, also across \
      restarts; what would not be watched, as one beyond the limit (20), too large, or while locationctl \
      may not know the location, is refused with the reason. list shows what all apps monitor, and why an \
      app receives no state. events prints each change of your own places: first those that came while nobody \
      listened, then those to come, until it is interrupted. An event that was printed does not \
      come again.
      """,
      """
      A polygon is a GeoJSON Polygon or MultiPolygon, or the one Feature of a file, with holes and \
      across the antimeridian as RFC 7946 has them; or the corners of one ring, in quotes. Its edges \
      are straight in degrees. It has \(PolygonOutline.mostPositions) positions at most, and is \
      judged as a circle is.
      """,
    ],
    operands: [
      Operand(
        name: "ACTION", summary: "What to do", choices: ["add", "list", "remove", "events"]),
      Operand(
        name: "NAME", summary: "With add and remove: the name of the place", isOptional: true),
      Operand(
        name: "LAT,LON,RADIUS", summary: "With add: the center in degrees, the radius in meters",
        isOptional: true),
    ],
    options: [polygon, .places, count, timeout, .json],
    examples: [
      "locationctl monitor add home 48.137,11.575,150",
      "locationctl monitor add yard --polygon yard.geojson",
      "locationctl monitor add field --polygon '48.1,11.5 48.1,11.6 48.2,11.55'",
      "locationctl monitor list",
      "locationctl monitor events --json", "locationctl monitor remove home",
    ],
    run: { invocation in
      switch invocation.operand(0) {
      case "add": try add(invocation)
      case "remove": try remove(invocation)
      case "list": try list(invocation)
      default: try events(invocation)
      }
    })

  private static func name(_ invocation: Invocation, words: Int) throws(Failure) -> String {
    guard let name = invocation.operand(1) else { throw invocation.usage("NAME is missing") }
    guard !name.isEmpty else { throw invocation.usage("NAME is empty") }
    guard invocation.operands.count == words else {
      throw invocation.usage(
        words == 3
          ? "LAT,LON,RADIUS or --polygon is missing" : "\"\(invocation.operands[2])\" is too much")
    }
    return name
  }

  private static func add(_ invocation: Invocation) throws(Failure) {
    if let text = invocation.text(polygon) {
      let name = try name(invocation, words: 2)
      let outline = try TypedPolygon(text, as: "--polygon", in: invocation).outline
      try RunningDaemon.needed().perform(.addPolygon(identifier: name, outline))
      return say(name, isMonitored: true, invocation)
    }
    let name = try name(invocation, words: 3)
    let typed = try TypedCircle(invocation.operands[2], as: "LAT,LON,RADIUS", in: invocation)
    guard let radius = typed.radius else { throw invocation.usage("the radius is missing") }
    let circle = Circle(center: typed.center, radius: radius)
    try RunningDaemon.needed().perform(.addCondition(identifier: name, circle))
    say(name, isMonitored: true, invocation)
  }

  private static func remove(_ invocation: Invocation) throws(Failure) {
    let name = try name(invocation, words: 2)
    try RunningDaemon.needed().perform(.removeCondition(identifier: name))
    say(name, isMonitored: false, invocation)
  }

  private static func say(_ name: String, isMonitored: Bool, _ invocation: Invocation) {
    guard invocation.has(.json) else {
      return Output.standard.line((isMonitored ? "watching " : "no longer watching ") + name)
    }
    var line = JSONLine(type: "monitoring")
    line.add("identifier", name)
    line.add("monitored", flag: isMonitored)
    Output.standard.line(line.text)
  }

  private static func list(_ invocation: Invocation) throws(Failure) {
    let conditions: [ConditionStatus] = try RunningDaemon.needed().ask(
      .conditions(places: invocation.has(.places)), "conditions")
    guard !invocation.has(.json) else {
      for condition in conditions { Output.standard.line(condition.line) }
      return
    }
    let hasReasons = conditions.contains { $0.reason != nil }
    var table = TextTable(
      ["APP", "MONITOR", "NAME", "KIND", "STATE", "SINCE (UTC)"]
        + (hasReasons ? ["REASON"] : []) + ["PLACE"])
    for condition in conditions {
      table.add(
        [
          condition.app, condition.monitor ?? "(regions)", condition.identifier, condition.kind,
          condition.state, condition.state == "unknown" ? "" : condition.date.plain,
        ] + (hasReasons ? [condition.reasonWords] : []) + [condition.extent])
    }
    Output.standard.table(table, whenEmpty: "Nothing is monitored.")
  }

  private static func events(_ invocation: Invocation) throws(Failure) {
    let (limit, isJSON) = (invocation.wholeNumber(count), invocation.has(.json))
    var received = 0
    var progress = Progress("waiting for events")
    defer { progress.end() }
    try RunningDaemon.needed().follow(
      .followEvents, "event", seconds: invocation.number(timeout)
    ) { (event: ConditionStatus) in
      progress.end()
      Output.standard.line(isJSON ? event.line : event.text)
      received += 1
      guard limit.map({ received < $0 }) ?? true else { return false }
      progress = Progress("waiting for events")
      return true
    }
    if let limit, received < limit {
      throw .refused("\(received) of \(limit) events came", next: nil)
    }
    guard received > 0 else { return }
    // The daemon answers once it has stored that the events were received: a daemon that is killed
    // after this program has ended does not send them again.
    let _: [ConditionStatus] = try RunningDaemon.needed().ask(
      .conditions(places: false), "conditions")
  }
}

extension ConditionStatus {
  var line: String {
    var line = JSONLine(type: "condition")
    line.add("app", app)
    line.add("monitor", monitor)
    line.add("identifier", identifier)
    line.add("kind", kind)
    line.add("radius", radius)
    line.add(place)
    line.add("positions", positions)
    if let polygon {
      line.add("polygon", json: String(decoding: polygon.json.bytes, as: UTF8.self))
    }
    line.add("state", state)
    line.add("date", date)
    line.add("reason", reason)
    if let belief { line.add("belief", object: belief.object) }
    return line.text
  }

  /// How large it is, and where, as far as that is known.
  fileprivate var extent: String {
    if let positions {
      guard let box = polygon?.polygon.boundingBox else { return "\(positions) positions" }
      let (first, last) = (
        Coordinate(latitude: box.south, longitude: box.west),
        Coordinate(latitude: box.north, longitude: box.east)
      )
      return "\(positions) positions from \(first.words) to \(last.words)"
    }
    return (radius.map { "\($0.plain) m" } ?? "") + (place.map { " around \($0.words)" } ?? "")
  }

  /// Why the state is not observed or not delivered; a newer daemon may have reasons of its own.
  fileprivate var reasonWords: String {
    reason.map { UnmonitoredReason(rawValue: $0)?.words ?? $0 } ?? ""
  }

  /// One event, in the words of ``line``.
  var text: String { "\(date.plain)  \(identifier.escapedForDisplay()): \(state)" }
}
