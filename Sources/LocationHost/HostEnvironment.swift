import Glibc
import LocationService
package import LocationEngine
import LocationModel
package import LocationProviders

/// The process's environment: its variables, and where messages go.
package struct HostEnvironment: Sendable {
  package var variables: [String: String]

  package init(_ variables: [String: String]) {
    self.variables = variables
  }

  /// The environment of this process.
  package static var current: HostEnvironment {
    var variables: [String: String] = [:]
    var next = environ
    while let entry = next.pointee {
      let pair = String(cString: entry).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2 { variables[String(pair[0])] = String(pair[1]) }
      next += 1
    }
    return HostEnvironment(variables)
  }

  /// The languages of the person, the preferred first, as folders are named by them: `de_DE`, `de-DE`,
  /// `de`; none in the locale of programs, `C`.
  package var languages: [String] {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { variables[$0] }
      .first { !$0.isEmpty }
    guard let locale, !["C", "POSIX"].contains(locale.prefix { $0 != "." }) else { return [] }
    let preferred = (variables["LANGUAGE"] ?? "").split(separator: ":").map(String.init)
    var languages: [String] = []
    for name in (preferred + [locale]).prefix(8) {
      let name = String(name.prefix { $0 != "." && $0 != "@" })
      guard name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
      else { continue }
      let language = String(name.prefix { $0 != "_" && $0 != "-" })
      for name in [
        name.substituting("-", with: "_"), name.substituting("_", with: "-"), language,
      ]
      where !name.isEmpty && !languages.contains(name) {
        languages.append(name)
      }
    }
    return languages
  }

  /// The sources named in `$CORELOCATION_SOURCES`, else gpsd on its own port.
  ///
  /// A source that cannot be read is left out, and `noting` is called with the reason.
  package func sources(noting: (Note) -> Void) -> [Source] {
    guard let named = variables[Self.sourcesVariable] else { return [Self.discovered] }
    return named.split(separator: " ").compactMap { word in
      do throws(SourceFault) {
        return try Source(url: String(word))
      } catch {
        noting(.source("\(Self.sourcesVariable): \(error)"))
        return nil
      }
    }
  }

  /// Returns how much one app may monitor: twenty conditions (REG-2), unless
  /// `$CORELOCATION_CONDITIONS_PER_APP` has another number or `unlimited`.
  package func limits(noting: (Note) -> Void) -> Conditions.Limits {
    guard let word = variables[Self.conditionsVariable] else { return Conditions.Limits() }
    if let limits = Conditions.Limits(perApp: word) { return limits }
    noting(
      .source(
        "\(Self.conditionsVariable): \"\(word)\" is neither a number above 0 nor unlimited; "
          + "the limit stays at 20"))
    return Conditions.Limits()
  }

  /// Returns the watch of whether apps are in use (docs/decisions/0079): it observes them, unless
  /// `$CORELOCATION_IN_USE` is `assumed`.
  package func useWatch(noting: (Note) -> Void) -> UseWatch {
    let word = variables[Self.useVariable] ?? "observed"
    if word == "assumed" { return UseWatch() }
    if word != "observed" {
      noting(
        .source("\(Self.useVariable): \"\(word)\" is neither observed nor assumed; it is observed"))
    }
    return UseWatch(of: RunningProcesses())
  }

  /// Returns the watch of the windows of the desktop that the process belongs to; `nil` without one.
  package func windowWatch() -> WindowWatch? {
    variables[Self.useVariable] == "assumed" ? nil : WindowWatch(variables)
  }

  /// Returns what shows the use of the location on the desktop; `nil` if `$CORELOCATION_INDICATOR` is
  /// `no`.
  package func indicator() -> IndicatorAgent? {
    guard variables[Self.indicatorVariable] != "no" else { return nil }
    return IndicatorAgent(bus: SessionBus.address(variables))
  }

  /// The socket by which the place of this process is set; `nil` without a runtime folder, or if
  /// `$CORELOCATION_SIMULATION` is `no`.
  package var simulationSocket: String? {
    guard variables[Self.simulationVariable] != "no" else { return nil }
    return SimulationSocket.folder(variables).map { SimulationSocket.path(of: getpid(), in: $0) }
  }

  /// Returns the folder of the state; `nil`, after a note, if no folder can be determined.
  package func stateFolder(noting: (Note) -> Void) -> StateFolder? {
    guard let folder = StateFolder.ofUser(variables) else {
      noting(.store("neither XDG_STATE_HOME nor HOME is set: state is kept in memory only"))
      return nil
    }
    do throws(Errno) {
      try folder.create()
      return folder
    } catch {
      noting(.store("\(error): state is kept in memory only"))
      return nil
    }
  }

  package static let sourcesVariable = "CORELOCATION_SOURCES"
  package static let useVariable = "CORELOCATION_IN_USE"
  package static let indicatorVariable = "CORELOCATION_INDICATOR"
  package static let simulationVariable = "CORELOCATION_SIMULATION"
  package static let conditionsVariable = "CORELOCATION_CONDITIONS_PER_APP"
  /// The variable with the path of the recording, or `plain:` and the path of one that is not
  /// encrypted; without it nothing is recorded.
  package static let recordingVariable = "CORELOCATION_RECORD"

  /// The folder of the credentials that systemd has given to this process; `nil` for none.
  package var credentials: String? { variables["CREDENTIALS_DIRECTORY"] }

  /// Where the Secret Service of this process's session is; `nil` for none.
  package var secrets: SecretBus? { .ofSession(variables) }

  /// The file in which every input of the engine is recorded; `nil` for none.
  package var recordingTarget: RecordingTarget? {
    variables[Self.recordingVariable].flatMap { RecordingTarget(text: $0) }
  }

  /// The source used if none is named: gpsd on this machine, if it runs as root or as gpsd.
  package static let discovered = Source.localGpsd(port: Source.gpsdPort)

  /// Writes notes for an app's developer to standard error, and ignores the others.
  package static let journal: @Sendable (Note) -> Void = { note in
    guard let line = note.message else { return }
    writeError(line)
  }

  /// Writes a line for an app's developer to standard error.
  package static let writeError: @Sendable (String) -> Void = { line in
    let text = "CoreLocation: \(line.escapedForDisplay(limit: 4096))\n"
    _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }
}

extension Conditions.Limits {
  /// Parses a number above 0, or `unlimited`; `nil` for any other text.
  package init?(perApp word: String) {
    if word == "unlimited" {
      self.init(perApp: nil)
    } else {
      guard let number = Int(word), number > 0 else { return nil }
      self.init(perApp: number)
    }
  }
}
