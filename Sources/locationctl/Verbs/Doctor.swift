import LocationProviders
import LocationService
import LocationEngine
import LocationHost
import LocationModel

extension Verb {
  private static let app = Option(
    name: "app", value: .text("APP"),
    summary: "Also look at an app: a path, a bundle identifier, or the name of a desktop entry")
  private static let timeout = Option.timeout(
    "How long to wait for a source to decide; 10 unless given")

  static let doctor = Verb(
    name: "doctor", summary: "Find out why there are no locations, and what to do next",
    details: [
      """
      Tries each source, and prints its result and the next step. Ends as soon as every source \
      gives positions or reports why it cannot. Where a location daemon runs and no --source is \
      given, prints the status of the daemon, its sources, and its agents, the adapters and sensors of \
      this computer that they use, and \
      warns where nobody can be asked about an app without a decision. With --app it also \
      prints whether an agent can answer the app's questions, and what the app requires of a \
      device that no source here gives. With Bluetooth it prints whether an adapter is calibrated, and \
      while a place is set from outside, that no source counts. A missing place index is named with the way to make one, \
      and is no failure. The state key is named with what it protects from, and what not. \
      Exit status 0 when at least one source works and \
      nothing keeps the app from its locations. A gpsd that no source names is believed only \
      when root or gpsd runs it; a source of datagrams that other machines can reach should name \
      its senders with from=. Of each Wi-Fi adapter it prints how many access points it hears, \
      which program scans, what prevents it, and the country whose rules its radio follows; of \
      each Bluetooth adapter, whether it is on, waits for beacons by itself, and can be a beacon; \
      of a modem for which a file of assistance data is named (modem:?assistance=/PATH), why its \
      receiver does not have it; of each radio that sources need, that a switch or rfkill blocks it.
      """
    ],
    options: [.source, app, timeout, .json],
    examples: ["locationctl doctor", "locationctl doctor --app ./whereabouts"],
    run: { invocation in
      let daemon = invocation.sources.isEmpty ? DaemonDiagnosis() : nil
      let sources =
        if let daemon { daemon.sources } else {
          try await examine(
            try SourceChoice(invocation), timeout: invocation.number(timeout) ?? 10)
        }
      let named = try daemon?.configured ?? SourceChoice(invocation).sources
      let apps = try examineApp(invocation.text(app), daemon, sources: named)
      let circumstances = daemon?.circumstances ?? []
      let agents = daemon.map(\.agents) ?? AgentDiagnosis()
      let own = daemon == nil ? [] : named.filter(\.isOfThisComputer)
      let adapters = try await reports(of: own, timeout: invocation.number(timeout) ?? 10)
        .flatMap { parts(of: $0, forDaemon: true) }
      let radios =
        adapters + SwitchDiagnosis.findings(for: named) + BeaconDiagnosis.findings(for: named)
      let open = invocation.has(app) ? nil : daemon?.agents?.unattended
      let findings =
        circumstances + sources + radios + apps + (agents?.configured ?? [])
        + [open].compactMap(\.self)
      let key = daemon == nil ? ownKey : []
      for finding in findings + PlaceDiagnosis.findings + key {
        let output = Output.standard
        output.line(invocation.has(.json) ? finding.json : finding.text(output))
      }
      let works =
        sources.contains { $0.verdict == .good }
        && !(circumstances + apps).contains { $0.verdict == .bad }
      guard !works else { return }
      let bad = findings.filter { $0.verdict != .good }.map(\.code)
      throw Failure.refused("found: \(bad.joined(separator: ", "))", next: nil)
    })

  /// Where the key of this person's own state is from.
  private static var ownKey: [Finding] {
    let origin = StateFolder.ofUser(HostEnvironment.current.variables)?.keyOrigin
    return [origin.map { .key($0) }].compactMap(\.self)
  }

  private static func examine(
    _ choice: SourceChoice, timeout: Double
  ) async throws -> [Finding] {
    guard !choice.sources.isEmpty else { return [noSource(choice.origin)] }
    let findings = try await reports(of: choice.sources, timeout: timeout).flatMap { report in
      [
        SourceDiagnosis(report).finding,
        DateDiagnosis.finding(of: report, at: HostClock.now.unixTime),
        SourceDiagnosis.exposure(of: report.source),
      ].compactMap(\.self) + parts(of: report)
    }
    let isSilent = choice.origin == .discovery && !findings.contains { $0.verdict == .good }
    return isSilent ? [noSource(choice.origin)] + findings : findings
  }

  /// Asks sources for positions, and for beacons, until each has decided.
  private static func reports(
    of sources: [Source], timeout: Double
  ) async throws -> [SourceReport] {
    guard !sources.isEmpty else { return [] }
    let person = try Person(sources: sources, isRecorded: false)
    // Nobody's, so that Bluetooth is opened at all.
    let beacons = sources.contains(.bluez) ? person.link.subscribe() : nil
    beacons?.send { .ranging($0, .start(BeaconConstraint(uuid: BeaconUUID(high: 0, low: 0)))) }
    let progress = Progress("asking \(sources.count == 1 ? "the source" : "the sources")")
    defer { progress.end() }
    _ = try await withTimeout(timeout) {
      let demand = Task { try await Feed().follow(as: person) { _ in true } }
      defer { demand.cancel() }
      for await note in person.notes {
        if case .provider = note, person.haveSourcesDecided { return }
      }
    }
    return withExtendedLifetime(beacons) { person.host.sourceReports() }
  }

  /// What a source has of this computer, and what each part can do.
  private static func parts(of report: SourceReport, forDaemon: Bool = false) -> [Finding] {
    let sensors = forDaemon ? SourceDiagnosis.sensors(of: report) : nil
    return WiFiDiagnosis.adapters(of: report, forDaemon: forDaemon)
      + BluetoothDiagnosis.adapters(of: report) + ModemAssistanceFault.findings(of: report)
      + [sensors, SourceDiagnosis.barometer(of: report)].compactMap(\.self)
  }

  private static func noSource(_ origin: SourceChoice.Origin) -> Finding {
    let message =
      switch origin {
      case .environment: "$CORELOCATION_SOURCES is set and names none"
      case .options, .discovery:
        "none is named by --source or $CORELOCATION_SOURCES, and gpsd on this machine gives nothing"
      }
    return Finding(
      subject: "sources", code: "no_source", verdict: .bad, message: message,
      next: SourceDiagnosis.howToName)
  }

  private static func examineApp(
    _ word: String?, _ daemon: DaemonDiagnosis?, sources: [Source]
  ) throws -> [Finding] {
    guard let word else { return [] }
    let app = try InstalledApp(word)
    let lacking = AppDiagnosis.lacking(of: app, with: sources)
    if let daemon { return daemon.findings(about: app) + lacking }
    let state = try SavedState()
    let record = state.record(of: app.identity)
    let findings =
      AppDiagnosis(
        app: app,
        decided: state.apps.contains(app.identity)
          ? Decision.Level(record, state.beacon(of: app.identity)) : nil,
        servicesAreOn: state.servicesAreOn, servicesReason: state.servicesReason
      ).findings + lacking
    guard AuthorizationLevel(record?.grant) == .ask else { return findings }
    return findings + [AgentDiagnosis().unanswered(app.identity)].compactMap(\.self)
  }
}

extension Person {
  /// Whether every source gives positions, or has reported why it cannot, or what it gives instead.
  fileprivate var haveSourcesDecided: Bool {
    host.sourceReports().allSatisfy {
      switch $0.lastStatus {
      case .working, .unavailable: true
      case .idle, .searching: $0.evidence.sensors != nil
      }
    }
  }
}

extension Source {
  /// Whether the kernel of this computer has what it receives or measures with, whoever asks.
  fileprivate var isOfThisComputer: Bool {
    switch self {
    case .wifi, .bluez, .iio: true
    default: false
    }
  }
}
