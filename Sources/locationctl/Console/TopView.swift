import LocationLink
import LocationModel

/// What `locationctl top` shows, as lines of a terminal of a given size (CONSOLE-11).
struct TopView {
  var status: DaemonStatus
  var apps: [AppStatus]
  /// The last events, oldest first.
  var events: [EventRecord]
  var showsPlaces: Bool

  /// At most so many lines of so many columns; what does not fit is counted.
  func lines(rows: Int, columns: Int, at now: UnixTime, for output: Output) -> [String] {
    var lines = head(at: now, for: output) + [""] + sources(for: output)
    lines += [""] + applications(for: output) + shares(for: output)
    let rest = max(rows - lines.count - 2, 1)
    let newest = events.suffix(rest).map { text(of: $0) }
    lines += [""] + (newest.isEmpty ? ["No event was delivered to an app yet."] : newest)
    let shown = max(rows - 1, 1)
    if lines.count > rows {
      let more = "… and \(lines.count - shown) lines more: a higher window shows them"
      lines = lines.prefix(shown) + [more]
    }
    return lines.map { Output.cut($0, to: columns) }
  }

  private func head(at now: UnixTime, for output: Output) -> [String] {
    let services =
      status.servicesEnabled
      ? output.styled("on", .good)
      : output.styled("off", .bad) + (status.servicesReason.map { " (\($0))" } ?? "")
    var fix = "none yet"
    if let last = status.lastFix {
      fix = "\(PlainDuration.text(now.seconds(since: last.time))) ago"
      fix += ", within \(Int(last.accuracy.rounded())) m"
      if showsPlaces, let place = last.place { fix += " at \(place.words)" }
    }
    let outside = status.isSimulated == true ? "; set from outside" : ""
    let observed = [
      ("heading   ", status.heading?.words), ("motion    ", status.motion?.words),
      ("visit     ", status.visit?.words),
    ]
    return [
      "\(now.plain) UTC  locationd \(status.pid), services \(services)",
      "needed    \(status.demand.words)",
      "last fix  \(fix)\(outside)",
    ] + observed.compactMap { name, words in words.map { name + $0 } }
  }

  private func sources(for output: Output) -> [String] {
    guard !status.sources.isEmpty else { return ["No source: locationctl setup finds one."] }
    var table = TextTable(
      ["SOURCE", "STATUS", "FIXES", "REJECTED", "OWN FIX", "REASON"], numbers: [2, 3])
    for source in status.sources {
      table.add([
        source.url, source.status, "\(source.fixes)", "\(source.rejected)",
        source.fix.map { $0.reason.map { "refused, \($0)" } ?? $0.use } ?? "", source.reason ?? "",
      ])
    }
    return table.lines(for: output) + satellites
  }

  /// The satellites of each receiver, the strongest first: name and dB-Hz, `*` for those in use.
  private var satellites: [String] {
    status.sources.compactMap { $0.satellites }.filter { !$0.isEmpty }.map { satellites in
      let strongest = satellites.enumerated().sorted {
        ($0.element.signal ?? -1, $1.offset) > ($1.element.signal ?? -1, $0.offset)
      }
      let names = strongest.map { _, satellite in
        satellite.name + (satellite.isUsed ? "*" : "")
          + (satellite.signal.map { " \(Int($0.rounded()))" } ?? "")
      }
      return "satellites  \(Satellite.summary(satellites)): " + names.joined(separator: ", ")
    }
  }

  /// What each service needs of the hardware.
  private func shares(for output: Output) -> [String] {
    status.shareTable.map { [""] + $0.lines(for: output) } ?? []
  }

  private func applications(for output: Output) -> [String] {
    guard !apps.isEmpty else { return ["No app has asked or been authorized yet."] }
    var table = TextTable(["APP", "MAY KNOW", "IN USE", "ASKS FOR"])
    for app in apps {
      let services = status.clients.filter { $0.app == app.app }.flatMap(\.services)
      table.add([app.app, app.level, app.use, services.joined(separator: ", ")])
    }
    return table.lines(for: output)
  }

  private func text(of record: EventRecord) -> String {
    let event = record.event
    return "\(record.delivered.plain)  \(record.app.name.escapedForDisplay()): "
      + "\(event.name.escapedForDisplay()) \(event.state)"
  }
}
