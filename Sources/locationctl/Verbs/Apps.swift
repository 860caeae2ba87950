import LocationEngine
import LocationHost
import LocationLink
import LocationModel

extension Verb {
  static let apps = Verb(
    name: "apps", summary: "List the apps, and what each may know",
    details: ["Of the location daemon where one runs, else of your own apps."],
    options: [.json], examples: ["locationctl apps"],
    run: { invocation in
      let apps: [AppStatus]
      if let daemon = try RunningDaemon.find() {
        apps = try daemon.ask(.apps, "apps")
      } else {
        apps = try SavedState().appStatuses
      }
      guard !invocation.has(.json) else {
        for app in apps { Output.standard.line(app.line) }
        return
      }
      var table = TextTable(
        ["APP", "MAY KNOW", "PRECISE", "BEACON", "PROCESSES", "CONDITIONS", "PROGRAM"],
        numbers: [4, 5])
      for app in apps {
        table.add([
          app.app, app.level, app.isPrecise ? "yes" : "no", app.beacon, "\(app.processes)",
          "\(app.conditions)", app.program ?? "",
        ])
      }
      Output.standard.table(table, whenEmpty: "No app has asked or been authorized yet.")
    })
}

extension AppStatus {
  fileprivate var line: String {
    var line = JSONLine(type: "app")
    line.add("app", app)
    line.add("level", level)
    line.add("precise", flag: isPrecise)
    line.add("beacon", beacon)
    line.add("processes", processes)
    line.add("conditions", conditions)
    line.add("program", program)
    return line.text
  }
}

extension SavedState {
  /// The apps that have stored data; whether they run is not known here.
  fileprivate var appStatuses: [AppStatus] {
    let owners = Set(entries.map(\.key.owner).filter { !$0.isEmpty })
    return owners.sorted().map { name in
      let app = AppIdentity(name)
      let record = record(of: app)
      var status = AppStatus(
        app: name, level: AuthorizationLevel(record?.grant).rawValue,
        isPrecise: record?.isPrecise ?? true)
      status.beacon = beacon(of: app).word
      status.conditions = entries.count { $0.key.owner == name && $0.key.domain == "condition" }
      status.program = name.hasPrefix("/") ? name : nil
      return status
    }
  }
}
