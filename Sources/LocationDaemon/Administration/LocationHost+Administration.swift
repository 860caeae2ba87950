import Glibc
import LocationCoding
import LocationHost
import LocationService
import LocationEngine
import LocationLink
import LocationModel

/// Why the daemon refuses a request of its owner.
struct AdministrationFault: Error {
  var reason: String
  /// What the owner can do about it, if anything.
  var next: String?

  static let ownerDenied = AdministrationFault(
    reason: "\(AppIdentity.owner) may not know the location",
    next: "locationctl authorize \(AppIdentity.owner) always")
}

/// The authorization that an owner decides for an app; `nil` leaves a part unchanged.
typealias AuthorizationChoice = (level: String?, precise: Bool?, beacon: Bool?)

// What the owner of a daemon reads and changes; everything here runs on the host's queue.
extension LocationHost {
  // MARK: Reports

  /// The state of the daemon; with `readsStore` also as another process may have stored it just now.
  func status(_ facts: DaemonFacts, places: Bool, readsStore: Bool) -> DaemonStatus {
    var status = DaemonStatus(pid: facts.pid, since: facts.since, state: facts.folder.path)
    status.servicesEnabled = core.engine.areServicesOn
    if readsStore || !core.engine.areServicesOn {
      let entries = storedEntries
      status.servicesEnabled = Setting.servicesAreOn(in: entries)
      status.servicesReason = Setting.whyServicesAreOff(in: entries)
    }
    status.launch = facts.launch
    (status.version, status.isReplaced) = (Release.version, facts.isReplaced)
    status.unstored = keeper?.transience ?? keeper?.fault.map { "\($0)" }
    (status.key, status.unread) = (keeper?.keyOrigin, keeper?.unread)
    status.sources = sources(places: places)
    observe(&status, places: places)
    status.agents = agents.map { AgentStatus(name: $0.name, obstacle: $0.obstacle) }
    status.isSimulated = core.engine.simulatedFix != nil
    status.demand = DemandStatus(core.engine.currentDemand)
    status.lastFix = core.engine.current.map { LastFix($0, places: places) }
    return status
  }

  func services(of client: ClientID) -> [String] { core.engine.services(of: client) }

  /// Returns every app that has stored data, or is connected.
  func apps() -> [AppStatus] {
    let entries = storedEntries
    let running = core.engine.runningApps
    let starters = launcher?.starters() ?? [:]
    let stored = Dictionary(grouping: entries, by: \.key.owner)
    let owners = Set(
      stored.keys.filter { !$0.isEmpty } + running.map(\.name)
        + starters.keys.map(\.name))
    let conditions = core.engine.conditionReports.reduce(into: [:]) {
      $0[$1.key.app.name, default: 0] += 1
    }
    let processes = running.reduce(into: [:]) { $0[$1.name, default: 0] += 1 }
    return owners.sorted().map { name in
      var status = AppStatus(AppIdentity(name), in: stored[name] ?? [])
      status.limits = core.engine.limits(of: AppIdentity(name))
      status.settings = core.engine.serviceSettings
      let use = use(of: AppIdentity(name))
      (status.life, status.ground) = (use?.life.rawValue, use?.ground)
      status.starter = starters[AppIdentity(name)]
      status.processes = processes[name, default: 0]
      status.conditions = conditions[name, default: 0]
      return status
    }
  }

  func conditionStatuses(places: Bool) -> [ConditionStatus] {
    core.engine.conditionReports.map { ConditionStatus($0, places: places) }
  }

  /// What the owner has monitored under a name, without its place.
  func ownersCondition(_ identifier: String) -> ConditionStatus? {
    core.engine.conditionReports.first {
      $0.key.app == .owner && $0.key.identifier == identifier
    }.map { ConditionStatus($0, places: false) }
  }

  /// Returns why a condition of the owner would not be monitored if it were added now; `nil` if it would be.
  func faultOfOwners(_ identifier: String, _ target: ConditionTarget) -> AdministrationFault? {
    guard !identifier.isEmpty else { return AdministrationFault(reason: "its name is empty") }
    let key = ConditionKey(
      app: .owner, owner: .monitor(OwnerSession.monitor), identifier: identifier)
    let (engine, app) = (core.engine, AppIdentity.owner.name)
    guard let reason = engine.reasonAgainst(target, key) else { return nil }
    let (limits, isFull) = (engine.conditionLimits, engine.isFull(.owner))
    let (cause, next): (String, String?) =
      switch reason {
      case .radiusTooLarge:
        ("the largest circle has \(Int(limits.maximumRadius)) m", "monitor a smaller place")
      case .noPositionSource: (reason.words, "locationctl setup")
      case .conditionLimitExceeded:
        (
          isFull
            ? limits.perApp.map { "you monitor \($0) already, the most of one app" } ?? reason.words
            : "the name is too long, or there are too many conditions in all",
          "locationctl monitor remove NAME"
            + (isFull ? ", or conditions-per-app in locationd.conf" : "")
        )
      case .authorizationDenied, .authorizationRequestInProgress:
        (AdministrationFault.ownerDenied.reason, AdministrationFault.ownerDenied.next)
      case .authorizationDeniedGlobally: (reason.words, "locationctl services on")
      case .accuracyLimited:
        (
          "\(app) may know the place only roughly",
          "locationctl authorize \(app) always --precise yes"
        )
      case .conditionUnsupported, .authorizationRestricted, .insufficientlyInUse,
        .serviceSessionRequired:
        (reason.words, nil)
      }
    return AdministrationFault(reason: "\(identifier) is not monitored: \(cause)", next: next)
  }

  /// The number of positions of all polygons of the owner but one.
  func ownersPositions(except identifier: String) -> Int {
    core.engine.conditionReports.reduce(0) { sum, report in
      guard report.key.app == .owner, report.key.identifier != identifier,
        case .polygon(let outline) = report.target
      else { return sum }
      return sum + outline.positions
    }
  }

  /// Returns when one app, or every app, received a location, in the order of time.
  func accessRecords(of app: String?) -> [AccessRecord] {
    core.accesses.filter { app == nil || $0.app.name == app }.map {
      AccessRecord(
        app: $0.app.name, service: $0.service.rawValue, first: $0.first, last: $0.last,
        count: $0.count)
    }
  }

  /// Returns the events that were delivered to one app, or to all, in the order of delivery.
  func eventRecords(of app: String?) -> [EventRecord] {
    core.eventRecords.filter { app == nil || $0.app.name == app }
  }

  /// The programs that hold an identifier, and those of apps with stored data that are named by their
  /// path.
  var appPrograms: Set<AppProgram> {
    let claims = (keeper?.entries ?? []).filter { $0.key.domain == StateKeeper.identityDomain }
    let holders = claims.map { (AppIdentity($0.key.owner), StateKeeper.program(of: $0)) }
    let programs = holders + core.engine.storedApps.map { ($0, $0.path) }
    return Set(
      programs.compactMap { app, path in
        path.map { AppProgram(path: $0, user: app.user ?? getuid()) }
      })
  }

  /// The entries stored now, by this daemon or by another program.
  var storedEntries: [StateEntry] { keeper?.stored ?? [] }

  // MARK: Changes

  func turnServices(on: Bool) throws(AdministrationFault) {
    step(.engine(.setting(.services(on: on))))
    let now = "location services are \(on ? "on" : "off") now"
    if let transience = keeper?.transience {
      throw AdministrationFault(reason: "\(now), and \(transience)", next: "locationctl doctor")
    }
    guard let fault = keeper?.fault else { return }
    throw AdministrationFault(
      reason: "\(now), and that could not be stored yet: \(fault); the daemon goes on trying")
  }

  /// Lets the owner's requests know the location where the owner has decided nothing about them.
  func allowUndecidedOwner() {
    guard core.engine.level(of: .owner) == .ask else { return }
    step(.engine(.setting(.authorization(.owner, .always))))
  }

  /// Decides for an app as the settings would, whether the app runs or not.
  func decide(
    _ app: AppIdentity, _ choice: AuthorizationChoice, declaring manifest: Manifest?
  ) throws(AdministrationFault) -> AuthorizationDecision {
    let entries = storedEntries
    let change = AuthorizationChange(
      of: app, manifest: manifest, in: entries, at: HostClock.now)
    let decided = change.deciding(
      level: choice.level, precise: choice.precise, beacon: choice.beacon)
    guard let decision = decided else {
      throw AdministrationFault(reason: "there is no level \(choice.level ?? "")")
    }
    if !decision.changes.isEmpty {
      try store(decision.changes)
      step(.engine(.stored(storedEntries)))
    }
    return AuthorizationDecision(
      before: entries.contains {
        [AuthorizationRecord.key(of: app), BeaconPermission.key(of: app)].contains($0.key)
      }
        ? AppStatus(app, in: entries) : nil,
      after: AppStatus(app, in: storedEntries),
      explanations: decision.explanations + [keeper?.transience].compactMap(\.self))
  }

  /// Resets what every app may know, whether it runs or not, and returns the apps for which that
  /// changes something (AUTH-7).
  func resetAuthorization() throws(AdministrationFault) -> [String] {
    let (changes, apps) = AuthorizationChange.resetting(storedEntries, at: HostClock.now)
    try store(changes)
    // Apps that run keep their own copy, and their open questions.
    step(.engine(.setting(.reset)))
    step(.engine(.stored(storedEntries)))
    return apps.map(\.name)
  }

  /// What is known of the Bluetooth adapters, whether it is stored yet or not.
  func adapters() -> [AdapterStatus] { core.engine.adapters.all.map { AdapterStatus($0, $1) } }

  /// Calibrates an adapter, or forgets it.
  func calibrate(
    _ adapter: BluetoothAddress, _ offset: Int?
  ) throws(AdministrationFault) {
    var adapters = core.engine.adapters
    if let offset {
      do throws(AdapterLevels.Refusal) {
        _ = try adapters.calibrate(adapter, offset, at: HostClock.now.unixTime)
      } catch { throw AdministrationFault(reason: "\(error)") }
    } else if adapters.forget(adapter).isEmpty {
      throw AdministrationFault(reason: "nothing is known of an adapter \(adapter)")
    }
    step(.engine(.setting(.beaconOffset(adapter, offset))))
    guard let fault = keeper?.fault else { return }
    throw AdministrationFault(
      reason: "it counts from now on, and could not be stored yet: \(fault); the daemon goes on "
        + "trying")
  }

  /// Gives an identifier to the program at a path, and returns the path of the one that had it.
  func adopt(_ app: AppIdentity, by program: String) throws(AdministrationFault) -> String {
    guard !app.isOwner, app.path == nil else {
      throw AdministrationFault(
        reason: "\(app) is no identifier, and cannot pass to another program")
    }
    guard program.hasPrefix("/"), SmallFile.resolved(program) == program else {
      throw AdministrationFault(
        reason: "\(program) is not the absolute path of a file, without links")
    }
    let before: String?
    do throws(StoreError) { before = try keeper?.reassign(app, to: program) } catch {
      throw AdministrationFault(reason: "\(error); nothing was changed")
    }
    guard let before else {
      throw AdministrationFault(
        reason: "no program has used \(app) yet; the first that declares it has it")
    }
    release()
    return before
  }

  private func store(_ changes: [StateChange]) throws(AdministrationFault) {
    guard let keeper else { return }
    do throws(StoreError) { try keeper.store(changes) } catch {
      throw AdministrationFault(reason: "\(error); nothing was changed")
    }
    // Changes that waited to be stored were stored with this one.
    release()
  }

  /// Seals the state with new keys.
  ///
  /// - Parameter key: where the owner wants the key that opens all others; `nil` for where it lies.
  /// - Returns: the number of rows that did not open.
  /// - Throws: `AdministrationFault` with why not.
  func rekey(_ key: String?) throws(AdministrationFault) -> Int {
    let place = key.flatMap { KeyPlace(rawValue: $0) }
    guard key == nil || place != nil else {
      throw AdministrationFault(reason: "a key lies in file or secret-service, and not elsewhere")
    }
    guard let keeper else { return 0 }
    do throws(StoreError) { return try keeper.rekey(in: place) } catch {
      throw AdministrationFault(reason: "\(error)")
    }
  }

  /// Erases stored data; the daemon must restart afterward.
  func erase(_ app: String?) throws(AdministrationFault) -> Int {
    guard let keeper else { return 0 }
    do throws(StoreError) { return try keeper.erase(app) } catch {
      throw AdministrationFault(reason: "\(error)")
    }
  }
}

extension AppStatus {
  init(_ app: AppIdentity, in entries: [StateEntry]) {
    let record = entries.first { $0.key == AuthorizationRecord.key(of: app) }
      .flatMap { AuthorizationRecord(stored: $0.value) }
    self.init(
      app: app.name, level: AuthorizationLevel(record?.grant).rawValue,
      isPrecise: record?.isPrecise ?? true)
    beacon = BeaconPermission(of: app, in: entries).word
    program = StateKeeper.program(of: app, in: entries)
  }
}

extension ConditionStatus {
  init(_ report: ConditionReport, places: Bool) {
    let monitor: String? = if case .monitor(let name) = report.key.owner { name } else { nil }
    self.init(
      app: report.key.app.name, monitor: monitor, identifier: report.key.identifier, kind: "",
      state: report.state.rawValue, date: report.date)
    belief = report.belief.map { BeliefStatus($0) }
    reason = report.reason?.rawValue
    switch report.target {
    case .circle(let circle):
      (kind, radius) = ("circle", circle.radius)
      if places { place = circle.center }
    case .polygon(let outline):
      (kind, positions) = ("polygon", outline.positions)
      if places { polygon = outline }
    case .beacon: kind = "beacon"
    case .unsupported: kind = "unsupported"
    }
  }
}
