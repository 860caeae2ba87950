internal import LocationCoding
package import LocationModel

/// Decides what one app may know: the state table 2.7 of the behavior document.
///
/// Inputs change facts. Then ``settle(at:)`` derives the open prompt, the report to the app, and
/// the durable record; the differences are the outputs. A request that changes nothing therefore
/// leads to no callback (AUTH-13).
package struct Authorization: Machine, Hashable {
  package enum Input: MachineInput {
    /// A manager was created; the report is delivered to it in any case (AUTH-11).
    case managerCreated(Int)
    /// A manager was released; a prompt that only it requested is withdrawn (MODEL-6).
    case managerReleased(Int)
    /// A process has ended, with all managers and calls that have one of these numbers (MODEL-6).
    case processEnded(Range<Int>)
    case request(AuthorizationGoal, manager: Int)
    /// The strongest goal of the current sessions, implicit ones included.
    case goal(AuthorizationGoal)
    case use(AppUse)
    /// The app has ended since its record was stored (AUTH-28).
    case ended
    /// `precise` applies where the prompt offered the choice.
    case answered(Prompt.ID, PromptAnswer, precise: Bool)
    case setting(AuthorizationSetting)
    /// The person's switch for full accuracy.
    case precise(Bool)
    /// The switch for the whole machine (AUTH-5).
    case services(on: Bool)
    case restriction(Bool)
    case reset
    /// A reminder that the app uses Always is due (AUTH-38).
    case remind
    /// The app was installed anew, or updated (AUTH-10).
    case manifest(Manifest)
    /// Whether a process of the app asks to make this computer a beacon.
    case beaconWish(Bool)
    /// The person's decision about that in the settings.
    case beacon(BeaconPermission)
    case temporaryAccuracy(AccuracyRequester, purposeKey: String)
    /// Another process, such as a tool, has stored this.
    case stored(AuthorizationRecord?, BeaconPermission)
    /// An event that needs Always is ready (AUTH-32).
    case alwaysEvent(EventNumber)
    case wake
  }

  package enum Output: Hashable, Sendable {
    /// Delivers the report to one new manager.
    case report(AuthorizationReport, manager: Int)
    /// Delivers the report to every manager of the app.
    case changed(AuthorizationReport)
    case prompt(Prompt)
    case withdraw(Prompt.ID)
    /// Ends a temporary request; without an error also when the person declined (AUTH-49).
    case completed(AccuracyRequester, AccuracyRefusal?)
    /// A session's prompt could not be put, or was withdrawn; it may be put later (SESS-5).
    case postponed(session: Int)
    case release(event: EventNumber)
    case drop(event: EventNumber, DropReason)
    case explain(AuthorizationExplanation)
    case persist(StateChange)
  }

  package let app: AppIdentity
  package internal(set) var manifest: Manifest
  package internal(set) var record: AuthorizationRecord
  package internal(set) var beacon = BeaconPermission.undecided
  package internal(set) var use = AppUse.none
  package internal(set) var isRestricted = false
  package internal(set) var servicesAreOn = true

  /// The one open prompt.
  var open: OpenPrompt?
  /// Requests of managers that no answer has settled yet.
  var goalRequests: [GoalRequest] = []
  /// The strongest goal of the sessions.
  var goal = AuthorizationGoal.none
  /// Set when the prompt of a session went unanswered; it is put again at the next direct use.
  var goalRests = false
  /// The last explanation about the goal of the sessions, so that it is given once.
  var goalExplanation: AuthorizationExplanation?
  /// Prompts to put when no other is open.
  var due: [Prompt.Kind] = []
  var temporary: [TemporaryRequest] = []
  var held: HeldEvent?
  var wantsBeacon = false
  /// Set when the prompt about a beacon went unanswered; it is put again at the next direct use.
  var beaconRests = false
  private var delivered: AuthorizationReport
  var stored: AuthorizationRecord
  private var storedBeacon = BeaconPermission.undecided

  /// Creates the state of an app that was never asked and is not in use.
  package init(app: AppIdentity, manifest: Manifest) {
    self.app = app
    self.manifest = manifest
    record = AuthorizationRecord(manifest: manifest)
    stored = record
    delivered = AuthorizationReport(status: .notDetermined)
  }

  /// Restores what was stored; outputs what has changed since, as after an update of the app.
  ///
  /// The app counts as in use until its lifecycle state is known again, so that a restart of the
  /// daemon ends no grant (LIFE-9).
  package mutating func restore(from entries: [StateEntry], at now: Moment) -> [Output] {
    beacon = BeaconPermission(of: app, in: entries)
    storedBeacon = beacon
    guard let entry = entries.first(where: { $0.key == AuthorizationRecord.key(of: app) }) else {
      return []
    }
    guard let record = AuthorizationRecord(stored: entry.value) else {
      return [.explain(.unreadableRecord)]
    }
    self.record = record
    stored = record
    use = .extended
    delivered = report
    take(manifest)
    return settle(at: now)
  }

  package var nextDeadline: Instant? { held?.expiry }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    let outputs = take(input, at: now)
    return outputs + settle(at: now)
  }

  private mutating func take(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .managerCreated(let manager):
      return [.report(report, manager: manager)]
    case .managerReleased(let manager):
      goalRequests.removeAll { $0.manager == manager }
    case .processEnded(let numbers):
      goalRequests.removeAll { numbers.contains($0.manager) }
      temporary.removeAll { $0.isCall(in: numbers) }
    case .request(let goal, let manager):
      return request(goal, manager: manager)
    case .goal(let goal):
      if goal > self.goal { goalRests = false }
      self.goal = goal
    case .use(let use):
      if use == .direct && self.use != .direct { (goalRests, beaconRests) = (false, false) }
      self.use = use
    case .ended:
      lapse()
    case .answered(let id, let answer, let precise):
      return take(answer, to: id, precise: precise)
    case .setting(let setting):
      return take(setting)
    case .precise(let precise):
      if isRestricted { return [.explain(.restricted)] }
      record.isPrecise = precise
    case .services(let on):
      servicesAreOn = on
    case .restriction(let restricted):
      isRestricted = restricted
    case .reset:
      record.reset(manifest: manifest)
      beacon = .undecided
    case .remind:
      guard record.grant == .always else { return [.explain(.alreadyDecided)] }
      put(.reminder)
    case .manifest(let manifest):
      take(manifest)
    case .beaconWish(let goalRequest):
      return wishBeacon(goalRequest)
    case .beacon(let permission):
      beacon = permission
    case .temporaryAccuracy(let requester, let key):
      return requestAccuracy(requester, purposeKey: key)
    case .stored(let record, let beacon):
      self.record = record ?? self.record
      stored = record ?? stored
      (self.beacon, storedBeacon) = (beacon, beacon)
    case .alwaysEvent(let event):
      return take(event: event, at: now)
    case .wake:
      break
    }
    return []
  }

  /// Derives the present state, and returns the differences.
  private mutating func settle(at now: Moment) -> [Output] {
    if use == .none { lapse() }
    if !record.grant.isGranted { record.hasTemporaryAccuracy = false }
    var outputs = settleHeldEvent(at: now)
    outputs += withdrawPrompt()
    outputs += settleAccuracyRequests()
    outputs += nextPrompt()
    if report != delivered {
      delivered = report
      outputs.append(.changed(report))
    }
    if record != stored {
      stored = record
      outputs.append(.persist(record.change(for: app)))
    }
    if beacon != storedBeacon {
      storedBeacon = beacon
      outputs.append(.persist(beacon.change(for: app)))
    }
    return outputs
  }

  /// Ends grants that last only while the app is in use (AUTH-28, AUTH-50).
  private mutating func lapse() {
    if record.grant == .once { record.grant = .undecided }
    record.hasTemporaryAccuracy = false
  }
}
