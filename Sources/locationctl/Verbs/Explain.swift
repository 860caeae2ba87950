import LocationLink
import LocationModel

extension Verb {
  private static let events = Option(
    name: "events", value: .text("FILE"),
    summary: "Of a simulation: the lines that simulate --json printed; - for standard input")
  private static let app = Option(
    name: "app", value: .text("APP"), summary: "Only of this app: its identifier, or a path")

  static let explain = Verb(
    name: "explain", summary: "Explain why an event was delivered to an app, and when",
    details: [
      """
      Without EVENT, lists the last events of conditions, regions, and visits delivered to apps; \
      with it, explains those that are meant: one by its number, or all of a name (visits have the \
      name visit). Of the location daemon, which keeps the last hundred events of each app, or \
      with --events of a simulation.
      """,
      """
      Uses nothing but the evidence that the event carries: the fixes that decided, how likely the \
      new state is, when the boundary was crossed between two fixes, or how long the device had \
      stayed, and the delay since then. No place is kept with an event.
      """,
      """
      Of the delay, sensing is from the crossing to the first fix beyond it, policy from that fix \
      to the decision, and delivery from the decision until its delivery. With --json they are \
      sensing_delay, policy_delay, and delivery_delay, in seconds; an event that no fix decided, \
      such as a beacon's, has no evidence and no delays.
      """,
    ],
    operands: [
      Operand(name: "EVENT", summary: "which event: a number or a name", isOptional: true)
    ],
    options: [events, app, .json],
    examples: [
      "locationctl explain", "locationctl explain home --app com.example.Whereabouts",
      "locationctl simulate track.gpx --conditions circles.geojson --json "
        + "| locationctl explain home --events -",
    ],
    run: { invocation in
      let records = try records(invocation)
      guard let chosen = invocation.operand(0) else { return list(records, invocation) }
      let meant = records.filter { chosen == "\($0.number)" || chosen == $0.event.name }
      guard !meant.isEmpty else {
        throw Failure.refused(
          "\"\(chosen)\" is none of the \(records.count) events",
          next: "leave it out to see them")
      }
      show(meant, invocation)
    })

  private static func records(_ invocation: Invocation) throws(Failure) -> [EventRecord] {
    guard let file = invocation.text(events) else {
      let app = try invocation.text(app).map { (word) throws(Failure) in
        try InstalledApp(word).identity.name
      }
      var records: [EventRecord] = []
      try RunningDaemon.needed().follow(.events(app: app), "event") { (record: EventRecord) in
        records.append(record)
        return true
      }
      return records
    }
    guard invocation.text(app) == nil else {
      throw invocation.usage("a simulation has one app: leave --app out")
    }
    let data = try SimulationFile.bytes(of: file, as: invocation)
    do throws(EventLine.Fault) {
      return try EventLine.events(
        in: String(decoding: data, as: UTF8.self), named: file == "-" ? "standard input" : file)
    } catch { throw invocation.usage(error.cause) }
  }

  private static func list(_ records: [EventRecord], _ invocation: Invocation) {
    guard !invocation.has(.json) else { return show(records, invocation) }
    var table = TextTable(
      ["EVENT", "APP", "KIND", "NAME", "STATE", "DELIVERED (UTC)"], numbers: [0])
    for record in records {
      table.add([
        "\(record.number)", record.app.name, record.event.kind.rawValue,
        record.event.identifier ?? "", record.event.state, record.delivered.plain,
      ])
    }
    Output.standard.table(table, whenEmpty: "No event was delivered to an app.")
  }

  private static func show(_ records: [EventRecord], _ invocation: Invocation) {
    for explanation in records.map(Explanation.init) {
      Output.standard.line(invocation.has(.json) ? explanation.json : explanation.text)
    }
  }
}
