import LocationCoding
import LocationHost
import LocationLink
import LocationModel
import LocationProviders

extension Option {
  static let places = Option(
    name: "places", summary: "Also show coordinates, which are hidden otherwise")
}

extension Verb {
  private static let follow = Option(
    name: "follow", summary: "Show which apps use the location, now and as it changes")
  private static let changes = Option(
    name: "changes", summary: "Show the status again at each change")
  private static let timeout = Option.timeout(
    "With --follow and --changes: stop after so many seconds")

  static let status = Verb(
    name: "status", summary: "Show what the location daemon is doing",
    details: [
      """
      Its sources with the newest fix of each, and why it is refused; the satellites; the programs \
      that are connected and what they ask for; what the hardware is asked for, and by whom; how old \
      the last position is; the heading, beacons, movement, and the visit that lasts, where apps ask \
      for them.
      """,
      """
      With --changes, the same at each change, ten times a second at most; with --json a line for \
      whatever has changed: the status, and each condition, app, event, and access.
      """,
      """
      With --follow, the apps that use the location, those in the background with a mark, as the \
      indicator of the desktop shows them; whether one asks to calibrate the compass; and whether a \
      place is set from outside.
      """,
    ],
    options: [.places, follow, changes, timeout, .json],
    examples: [
      "locationctl status", "sudo locationctl status --places", "locationctl status --follow",
      "sudo locationctl status --changes --places --json",
    ],
    run: { invocation in
      guard !invocation.has(follow) || !invocation.has(changes) else {
        throw invocation.usage("--follow and --changes are two ways to follow: name one")
      }
      let daemon = try RunningDaemon.needed()
      guard !invocation.has(follow) else {
        let isJSON = invocation.has(.json)
        return try daemon.follow(.followUse, "use", seconds: invocation.number(timeout)) {
          (status: UseStatus) in
          let report = UseReport(status: status)
          if isJSON { Output.standard.line(report.json) } else { report.print(to: .standard) }
          return true
        }
      }
      guard !invocation.has(changes) else { return try show(daemon, as: invocation) }
      let status: DaemonStatus = try daemon.ask(
        .status(places: invocation.has(.places)), "status")
      let report = StatusReport(status: status, socket: daemon.socket)
      guard !invocation.has(.json) else { return Output.standard.line(report.json) }
      report.print(to: .standard)
    })

  /// Shows each change (ADMIN-6).
  private static func show(
    _ daemon: RunningDaemon, as invocation: Invocation
  ) throws(Failure) {
    let isJSON = invocation.has(.json)
    try daemon.follow(
      .followStatus(places: invocation.has(.places)), "change",
      seconds: invocation.number(timeout)
    ) { (change: StatusChange) in
      let report = change.status.map { StatusReport(status: $0, socket: daemon.socket) }
      if isJSON {
        for line in lines(of: change, report) { Output.standard.line(line) }
      } else if let report {
        report.print(to: .standard)
        Output.standard.line("")
      }
      return true
    }
  }

  /// A line for the status, and for each condition, app, event, and access that has changed.
  private static func lines(of change: StatusChange, _ report: StatusReport?) -> [String] {
    let status = report.map { [$0.json] } ?? []
    let events = (change.events ?? []).map { Explanation(record: $0).json }
    return status + (change.conditions ?? []).map(\.line) + (change.apps ?? []).map(\.line)
      + events + (change.access ?? []).map(\.line)
  }
}
