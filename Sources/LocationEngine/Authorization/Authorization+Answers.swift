import LocationModel

extension Authorization {
  /// Takes the answer to the open prompt; any other answer is ignored.
  mutating func take(_ answer: PromptAnswer, to id: Prompt.ID, precise: Bool) -> [Output] {
    guard let open, open.prompt.id == id else { return [.explain(.staleAnswer(id))] }
    let kind = open.prompt.kind
    guard answer == .dismissed || kind.answers.contains(answer) else {
      return [.explain(.answerNotOffered(answer))]
    }
    self.open = nil
    switch kind {
    case .whenInUse:
      takeFirst(answer, leadsTo: open.leadsTo, precise: open.prompt.offersPrecise && precise)
    case .upgrade:
      takeUpgrade(answer)
    case .reminder:
      if answer == .keepWhileUsing { record.grant = .whenInUse }
    case .temporaryAccuracy(let key):
      return takeAccuracy(answer, purposeKey: key)
    case .beaconAdvertising:
      takeBeacon(answer)
    }
    return []
  }

  /// Takes the first answer (rows 2-11 of the table).
  private mutating func takeFirst(
    _ answer: PromptAnswer, leadsTo: AuthorizationGoal, precise: Bool
  ) {
    // A request for Always that joined the prompt is evaluated after a lasting grant (AUTH-26).
    let joined = goalRequests.filter { $0.goal == .always }
    goalRequests = []
    switch answer {
    case .once:
      record.grant = .once
      record.isPrecise = precise
    case .whileUsing:
      record.isPrecise = precise
      record.grant = leadsTo == .always ? .provisionalAlways : .whenInUse
      if leadsTo == .always { record.opportunityUsed = true } else { goalRequests = joined }
    case .deny:
      record.grant = .denied
    case .always, .keepWhileUsing, .accept, .decline, .dismissed:
      goalRests = true
    }
  }

  /// Takes the answer about Always (rows 12-15, 19, and 20 of the table).
  private mutating func takeUpgrade(_ answer: PromptAnswer) {
    goalRequests = []
    guard answer != .dismissed else {
      goalRests = true
      return
    }
    record.opportunityUsed = true
    record.grant = answer == .always ? .always : .whenInUse
  }

  /// Takes a change in the settings (row 23 of the table).
  mutating func take(_ setting: AuthorizationSetting) -> [Output] {
    if isRestricted { return [.explain(.restricted)] }
    switch setting {
    case .never: record.grant = .denied
    case .ask: record.grant = .undecided
    case .whileUsing: record.grant = .whenInUse
    case .always: record.grant = .always
    }
    return []
  }

  /// Takes a new manifest (row 27 of the table).
  mutating func take(_ manifest: Manifest) {
    self.manifest = manifest
    let declaresAlways = manifest.alwaysUsage != nil
    let isAlways = record.grant == .always || record.grant == .provisionalAlways
    if record.declaresAlways && !declaresAlways && isAlways { record.grant = .whenInUse }
    record.declaresAlways = declaresAlways
    if record.grant == .undecided { record.isPrecise = !manifest.defaultAccuracyReduced }
  }
}
