import LocationCoding
import LocationLink
import LocationModel

/// Which apps use the location, for people and for programs.
struct UseReport {
  var status: UseStatus

  func print(to output: Output) {
    let lines = notes + status.apps.map { Self.line(of: $0) }
    for line in lines.isEmpty ? ["no app uses the location"] : lines { output.line(line) }
    output.line("")
  }

  private var notes: [String] {
    (status.servicesEnabled ? [] : ["location services are off"])
      + (status.isSimulated ? ["a place is set from outside, in place of all sources"] : [])
  }

  private static func line(of app: UseStatus.App) -> String {
    var words = app.app.escapedForDisplay(limit: .max)
    if let program = app.program, program != app.app {
      words += " (\(program.escapedForDisplay(limit: .max)))"
    }
    if app.isActive {
      words += app.isInBackground ? " uses the location in the background" : " uses the location"
    }
    if app.calibrates {
      words += (app.isActive ? ", and" : "") + " asks to calibrate the compass"
    }
    return words
  }

  var json: String {
    var line = JSONLine(type: "use")
    line.add("services_enabled", flag: status.servicesEnabled)
    line.add("simulated", flag: status.isSimulated)
    line.add(
      "apps",
      objects: status.apps.map { app in
        var line = JSONLine(type: "app")
        line.add("app", app.app)
        line.add("program", app.program)
        line.add("user", app.user.map { Int($0) })
        line.add("active", flag: app.isActive)
        line.add("background", flag: app.isInBackground)
        line.add("calibration", flag: app.calibrates)
        return line
      })
    return line.text
  }
}
