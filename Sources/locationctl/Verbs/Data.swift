import LocationCoding
import LocationEngine
import LocationHost
import LocationLink
import LocationModel

extension Verb {
  private static let app = Option(
    name: "app", value: .text("APP"), summary: "Only of this app: its identifier, or a path")
  private static let everything = Option(
    name: "all", summary: "With erase: of all apps and the machine, after you have confirmed that")
  private static let isSure = Option.isSure("With --all: do not ask for confirmation")
  private static let key = Option(
    name: "key", value: .choice(KeyPlace.allCases.map(\.rawValue)),
    summary: "With rekey: where the key that opens all others is to lie")

  static let data = Verb(
    name: "data", summary: "List, export, erase, or seal again what is stored about where you were",
    details: [
      """
      list shows what is stored, and access when each app received a location. export \
      prints every entry as one JSON object, places included; it is as stored, with dates, also in names, \
      as whole nanoseconds since 1970. erase removes the entries of one app, \
      or with --all everything but the switch of the whole machine, and overwrites them on disk. Either \
      also removes the files of a damaged state that were moved aside (damaged-file in the list), in \
      which one app cannot be distinguished from another.
      """,
      """
      The state is encrypted, with keys in a folder beside it (status shows where the key that opens them is from). \
      erase also destroys the key of the app, or all of them, so that older copies of the state do not open \
      with today's keys. rekey encrypts everything again with new keys: after a copy of the keys was \
      lost, or before a disk is given away.
      """,
      """
      That key is made in the keyring of your session (the Secret Service) if one is there and unlocked when the \
      state begins, else in a file beside the state. --key moves it: secret-service to the keyring, file back from \
      it. With the key in a keyring that is locked, the daemon and apps change nothing, and say so.
      """,
      """
      Of the location daemon where one runs, else of your own apps; those forget what they know \
      in memory when they end.
      """,
    ],
    operands: [
      Operand(
        name: "ACTION", summary: "What to do",
        choices: ["list", "access", "export", "erase", "rekey"])
    ],
    options: [app, everything, isSure, key, .json],
    examples: [
      "locationctl data list", "locationctl data access --app com.example.Whereabouts",
      "locationctl data export > location-data.jsonl", "locationctl data erase --all",
      "locationctl data rekey", "locationctl data rekey --key secret-service",
    ],
    run: { invocation in
      guard !invocation.has(isSure) || invocation.has(everything) else {
        throw invocation.usage("--yes needs --all")
      }
      let name = try invocation.text(app).map { try InstalledApp($0).identity.name }
      switch invocation.operand(0) {
      case "list": try list(DataSource.find().entries(of: name), invocation)
      case "access": try access(DataSource.find().accesses(of: name), invocation)
      case "export":
        for entry in try DataSource.find().entries(of: name) { Output.standard.line(entry.line) }
      case "rekey":
        reportSealed(try DataSource.find().rekey(in: invocation.text(key)), invocation)
      default:
        guard (name == nil) == invocation.has(everything) else {
          throw invocation.usage("erase needs either --app APP or --all")
        }
        if name == nil {
          try invocation.confirm(
            "All that is stored of every app and of this machine is gone then.", "erase --all")
        }
        reportErased(try DataSource.find().erase(name), of: name, invocation)
      }
    })

  private static func list(_ entries: [DataEntry], _ invocation: Invocation) {
    let groups = Dictionary(grouping: entries) { [$0.app, $0.domain] }
    let rows = groups.sorted { ($0.key[0], $0.key[1]) < ($1.key[0], $1.key[1]) }.map {
      ($0.key[0], $0.key[1], $0.value.count, $0.value.reduce(0) { $0 + $1.bytes })
    }
    guard !invocation.has(.json) else {
      for (app, kind, count, bytes) in rows {
        var line = JSONLine(type: "data")
        line.add("app", app.isEmpty ? nil : app)
        line.add("kind", kind)
        line.add("entries", count)
        line.add("bytes", bytes)
        Output.standard.line(line.text)
      }
      return
    }
    var table = TextTable(["APP", "KIND", "ENTRIES", "BYTES"], numbers: [2, 3])
    for (app, kind, count, bytes) in rows {
      table.add([app.isEmpty ? "(the machine)" : app, kind, "\(count)", "\(bytes)"])
    }
    Output.standard.table(table, whenEmpty: "Nothing is stored.")
  }

  private static func access(_ records: [AccessRecord], _ invocation: Invocation) {
    guard !invocation.has(.json) else {
      for record in records { Output.standard.line(record.line) }
      return
    }
    var table = TextTable(["APP", "SERVICE", "FROM (UTC)", "TO (UTC)", "COUNT"], numbers: [4])
    for record in records {
      table.add([
        record.app, record.service, record.first.plain, record.last.plain, "\(record.count)",
      ])
    }
    Output.standard.table(table, whenEmpty: "No app has received a location.")
  }

  private static func reportSealed(_ lost: Int, _ invocation: Invocation) {
    guard invocation.has(.json) else {
      let gone = lost == 0 ? "" : "; \(lost) rows that did not open are gone"
      return Output.standard.line("the state is encrypted with new keys\(gone)")
    }
    var line = JSONLine(type: "rekeyed")
    line.add("lost", lost)
    Output.standard.line(line.text)
  }

  private static func reportErased(_ count: Int, of app: String?, _ invocation: Invocation) {
    guard invocation.has(.json) else {
      if let app, count == 0 {
        return Output.standard.line("nothing is stored of \(app.escapedForDisplay())")
      }
      return Output.standard.line("erased \(count) \(count == 1 ? "entry" : "entries")")
    }
    var line = JSONLine(type: "erased")
    line.add("entries", count)
    Output.standard.line(line.text)
  }
}

/// Where the data lies: with the daemon, or in this person's own state.
private enum DataSource {
  case daemon(RunningDaemon)
  case state(SavedState)

  static func find() throws(Failure) -> DataSource {
    if let daemon = try RunningDaemon.find() { return .daemon(daemon) }
    return .state(try SavedState())
  }

  func entries(of app: String?) throws(Failure) -> [DataEntry] {
    switch self {
    case .state(let state):
      let files = app == nil ? state.damagedFiles.map { DataEntry($0) } : []
      return state.entries.filter { app == nil || $0.key.owner == app }.map { DataEntry($0) }
        + files
    case .daemon(let daemon):
      var entries: [DataEntry] = []
      try daemon.follow(.export(app: app), "entry") { (entry: DataEntry) in
        entries.append(entry)
        return true
      }
      return entries
    }
  }

  func accesses(of app: String?) throws(Failure) -> [AccessRecord] {
    guard case .daemon(let daemon) = self else {
      throw .refused(
        "only a location daemon logs which app received a location",
        next: RunningDaemon.howToStart)
    }
    return try daemon.ask(.access(app: app), "access")
  }

  func rekey(in place: String?) throws(Failure) -> Int {
    switch self {
    case .state(let state): try state.rekey(in: place.flatMap { KeyPlace(rawValue: $0) })
    case .daemon(let daemon): try daemon.ask(.rekey(key: place), "rows")
    }
  }

  func erase(_ app: String?) throws(Failure) -> Int {
    switch self {
    case .state(let state): try state.erase(app)
    case .daemon(let daemon): try daemon.ask(.erase(app: app), "entries")
    }
  }
}

extension DataEntry {
  /// How much is stored.
  fileprivate var bytes: Int { domain == Self.damaged ? Int(value) ?? 0 : value.utf8.count }

  /// The value as it is, where it is JSON.
  fileprivate var line: String {
    var line = JSONLine(type: "entry")
    line.add("app", app.isEmpty ? nil : app)
    line.add("kind", domain)
    line.add("name", name.isEmpty ? nil : name)
    if let json = try? JSON(parsing: value.utf8), case .object = json {
      line.add("value", json: value)
    } else {
      line.add("value", value)
    }
    return line.text
  }
}

extension AccessRecord {
  var line: String {
    var line = JSONLine(type: "access")
    line.add("app", app)
    line.add("service", service)
    line.add("first", first)
    line.add("last", last)
    line.add("count", count)
    return line.text
  }
}
