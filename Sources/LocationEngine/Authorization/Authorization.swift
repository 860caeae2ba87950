package import LocationModel

/// Decides what one app may know: the state table 2.7 of the behavior document.
///
/// Inputs change facts; afterwards ``settle(at:)`` derives what should now be so, the open
/// question, the report to the app, the durable record, and the differences are the outputs. A
/// request that changes nothing therefore calls nobody back (AUTH-13).
package struct Authorization: Machine, Hashable {
  package enum Input: MachineInput {
    /// A manager came to life; it is told the report whatever it is (AUTH-11).
    case managerCreated(Int)
    /// A manager went; a question that only it asked is withdrawn (MODEL-6).
    case managerReleased(Int)
    /// A process is gone, with all managers and calls whose number is one of these (MODEL-6).
    case processEnded(Range<Int>)
    case request(AuthorizationGoal, manager: Int)
    /// The strongest goal of the sessions held, implicit ones among them.
    case goal(AuthorizationGoal)
    case use(AppUse)
    /// The app has ended since its record was stored (AUTH-28).
    case ended
    /// `precise` counts where the prompt offered the choice.
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
    /// Whether some process of the app wants to make this computer a beacon.
    case beaconWish(Bool)
    /// What the person decides about that in the settings.
    case beacon(BeaconPermission)
    case temporaryAccuracy(AccuracyRequester, purposeKey: String)
    case locationButton
    /// Another process, such as a tool, has stored this.
    case stored(AuthorizationRecord?, BeaconPermission)
    /// An event that needs Always is ready (AUTH-32).
    case alwaysEvent(Int)
    case wake
  }

  package enum Output: Hashable, Sendable {
    /// Tells one new manager.
    case report(AuthorizationReport, manager: Int)
    /// Tells every manager of the app.
    case changed(AuthorizationReport)
    case prompt(Prompt)
    case withdraw(Prompt.ID)
    /// Ends a temporary request; without an error also when the person declined (AUTH-49).
    case completed(AccuracyRequester, AccuracyRefusal?)
    /// A session's question could not be put, or was withdrawn; it may be asked later (SESS-5).
    case postponed(session: Int)
    case release(event: Int)
    case drop(event: Int, DropReason)
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

  /// The one open question.
  var open: OpenPrompt?
  /// Requests of managers that no question has settled yet.
  var wishes: [Wish] = []
  /// What the sessions lead to.
  var goal = AuthorizationGoal.none
  /// Set when the sessions' question went unanswered; they ask again with the next direct use.
  var goalRests = false
  /// The last thing said about the sessions' goal, so that it is said once.
  var goalExplanation: AuthorizationExplanation?
  /// Questions to put when no other is open.
  var due: [Prompt.Kind] = []
  var temporary: [TemporaryRequest] = []
  var held: HeldEvent?
  var wantsBeacon = false
  /// Set when the question about a beacon went unanswered; it comes back with the next direct use.
  var beaconRests = false
  private var delivered: AuthorizationReport
  var stored: AuthorizationRecord
  private var storedBeacon = BeaconPermission.undecided

  /// An app that was never asked, not in use.
  package init(app: AppIdentity, manifest: Manifest) {
    self.app = app
    self.manifest = manifest
    record = AuthorizationRecord(manifest: manifest)
    stored = record
    delivered = AuthorizationReport(status: .notDetermined)
  }

  /// Takes back what was stored; outputs what has changed since, as after an update of the app.
  ///
  /// The app counts as in use until its life cycle is known again, so that a restart of the
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
      wishes.removeAll { $0.manager == manager }
    case .processEnded(let numbers):
      wishes.removeAll { numbers.contains($0.manager) }
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
    case .beaconWish(let wish):
      return wishBeacon(wish)
    case .beacon(let permission):
      beacon = permission
    case .temporaryAccuracy(let requester, let key):
      return requestAccuracy(requester, purposeKey: key)
    case .locationButton:
      return tapButton()
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

  /// Derives what should now be so, and returns the differences.
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

  /// Ends what lasts only as long as the app is in use (AUTH-28, AUTH-50).
  private mutating func lapse() {
    if record.grant == .once { record.grant = .undecided }
    record.hasTemporaryAccuracy = false
  }
}
