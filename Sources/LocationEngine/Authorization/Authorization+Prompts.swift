import LocationModel

/// The open prompt, and the goal of a positive answer.
struct OpenPrompt: Hashable, Sendable {
  var prompt: Prompt
  /// The goal of Allow While Using: a lasting grant, or provisional Always.
  var leadsTo: AuthorizationGoal
}

/// A manager's request that no answer has settled yet.
struct GoalRequest: Hashable, Sendable {
  var goal: AuthorizationGoal
  var manager: Int
}

extension Authorization {
  /// Takes a request unless there is an obstacle; requests are never queued (AUTH-20).
  mutating func request(_ goal: AuthorizationGoal, manager: Int) -> [Output] {
    guard goal != .none else { return [] }
    // Evaluated after the answer to the open prompt (AUTH-26).
    let isJoining = open?.prompt.kind == .whenInUse && use == .direct
    if !isJoining, let reason = obstacle(to: goal) { return [.explain(reason)] }
    let goalRequest = GoalRequest(goal: goal, manager: manager)
    if !goalRequests.contains(goalRequest) { goalRequests.append(goalRequest) }
    return []
  }

  /// Returns why no prompt for `goal` is possible now; `nil` when one is.
  func obstacle(to goal: AuthorizationGoal) -> AuthorizationExplanation? {
    if isRestricted { return .restricted }
    guard servicesAreOn else { return .servicesOff }
    switch (record.grant, goal) {
    case (.denied, _): return .denied
    case (.once, .always): return .grantedOnceOnly
    case (.whenInUse, .always): if record.opportunityUsed { return .opportunityUsed }
    case (.undecided, _): if let key = missingUsage(for: .whenInUse) { return key }
    case (.once, _), (.whenInUse, _), (.provisionalAlways, _), (.always, _): return .alreadyDecided
    }
    if let key = missingUsage(for: goal) { return key }
    return use == .direct ? nil : .notInDirectUse
  }

  private func missingUsage(for goal: AuthorizationGoal) -> AuthorizationExplanation? {
    switch goal {
    case .none:
      return nil
    case .whenInUse:
      guard manifest.whenInUseUsage == nil else { return nil }
      return .missingUsage(key: Manifest.Key.whenInUse, file: manifest.file)
    case .always:
      guard manifest.alwaysUsage == nil else { return nil }
      return .missingUsage(key: Manifest.Key.always, file: manifest.file)
    }
  }

  /// Adds a prompt to those due, unless it is open or due already.
  mutating func put(_ kind: Prompt.Kind) {
    guard open?.prompt.kind != kind && !due.contains(kind) else { return }
    due.append(kind)
  }

  /// Withdraws the open prompt when its answer would decide nothing, or nothing requests it.
  mutating func withdrawPrompt() -> [Output] {
    guard let prompt = open?.prompt, !isApt(prompt.kind) || !isWanted(prompt.kind) else {
      return []
    }
    open = nil
    return [.withdraw(prompt.id)]
  }

  /// Whether an answer would still decide something.
  private func isApt(_ kind: Prompt.Kind) -> Bool {
    // A beacon reveals no location.
    if kind == .beaconAdvertising { return beacon == .undecided && manifest.bluetoothUsage != nil }
    guard !isRestricted && servicesAreOn else { return false }
    switch kind {
    case .whenInUse:
      return record.grant == .undecided && manifest.whenInUseUsage != nil
    case .upgrade:
      let isBelow = record.grant == .whenInUse || record.grant == .provisionalAlways
      return isBelow && manifest.alwaysUsage != nil
    case .reminder:
      return record.grant == .always
    case .temporaryAccuracy:
      return accuracy == .reduced
    case .beaconAdvertising: return false
    }
  }

  private func isWanted(_ kind: Prompt.Kind) -> Bool {
    switch kind {
    case .whenInUse: goal != .none || !goalRequests.isEmpty
    case .upgrade: isProvisional || goal == .always || goalRequests.contains { $0.goal == .always }
    case .temporaryAccuracy: !temporary.isEmpty
    case .reminder: true
    case .beaconAdvertising: wantsBeacon
    }
  }

  /// Puts the next prompt, unless one is open.
  mutating func nextPrompt() -> [Output] {
    guard open == nil else { return [] }
    var outputs = settleWishes()
    due = due.filter { isApt($0) }
    if let goal = askableGoal {
      outputs += ask(record.grant == .undecided ? .whenInUse : .upgrade, leadsTo: goal)
    } else if isProvisional, held?.hasAsked == false {
      held?.hasAsked = true
      outputs += ask(.upgrade, leadsTo: .always)
    } else if !due.isEmpty {
      outputs += ask(due.removeFirst(), leadsTo: .whenInUse)
    } else if let request = temporary.first {
      outputs += ask(.temporaryAccuracy(purposeKey: request.purposeKey), leadsTo: .none)
    } else if asksForBeacon {
      outputs += ask(.beaconAdvertising, leadsTo: .none)
    }
    return outputs
  }

  /// Drops requests for which no prompt is possible now, and explains why.
  private mutating func settleWishes() -> [Output] {
    let refused = goalRequests.compactMap { goalRequest in obstacle(to: goalRequest.goal) }
    goalRequests = goalRequests.filter { obstacle(to: $0.goal) == nil }
    return refused.map { .explain($0) } + explainGoal()
  }

  private mutating func explainGoal() -> [Output] {
    let reason = goal == .none ? nil : goalRests ? .unansweredInThisUse : obstacle(to: goal)
    defer { goalExplanation = reason }
    // A goal that is met needs no explanation (SESS-7).
    guard let reason, reason != goalExplanation, reason != .alreadyDecided else { return [] }
    return [.explain(reason)]
  }

  /// The strongest goal of requests and sessions for which a prompt is possible now.
  private var askableGoal: AuthorizationGoal? {
    var goals = goalRequests.map(\.goal)
    if goal != .none && !goalRests { goals.append(goal) }
    return goals.filter { obstacle(to: $0) == nil }.max()
  }

  private mutating func ask(_ kind: Prompt.Kind, leadsTo: AuthorizationGoal) -> [Output] {
    record.lastPrompt &+= 1
    // Documented (AUTH-23): a request has one chance, answered or not.
    if kind == .upgrade && goalRequests.contains(where: { $0.goal == .always }) {
      record.opportunityUsed = true
    }
    let prompt = Prompt(
      id: Prompt.ID(app: app, number: record.lastPrompt), kind: kind,
      appName: manifest.displayName ?? app.name, text: text(for: kind),
      offersPrecise: kind == .whenInUse && !manifest.defaultAccuracyReduced)
    open = OpenPrompt(prompt: prompt, leadsTo: leadsTo)
    let isOlder = leadsTo == .always && manifest.alwaysUsage?.isOlder == true
    return (isOlder ? [.explain(.olderAlwaysKey(file: manifest.file))] : []) + [.prompt(prompt)]
  }

  private func text(for kind: Prompt.Kind) -> String {
    switch kind {
    case .whenInUse: manifest.whenInUseUsage ?? ""
    case .upgrade, .reminder: manifest.alwaysUsage?.text ?? ""
    case .temporaryAccuracy(let key): manifest.temporaryUsage[key] ?? ""
    case .beaconAdvertising: manifest.bluetoothUsage ?? ""
    }
  }
}
