import LocationModel

/// The origin of a request for temporary full accuracy.
package enum AccuracyRequester: Hashable, Comparable, Sendable {
  /// A call, by the number that its client gave it.
  case call(Int)
  /// A service session (SESS-5).
  case session(Int)
}

struct TemporaryRequest: Hashable, Sendable {
  var requester: AccuracyRequester
  var purposeKey: String

  func isCall(in numbers: Range<Int>) -> Bool {
    if case .call(let number) = requester { numbers.contains(number) } else { false }
  }
}

extension Authorization {
  /// Requests temporary full accuracy (row 29 of the table).
  mutating func requestAccuracy(_ requester: AccuracyRequester, purposeKey: String) -> [Output] {
    guard status.isGranted else { return [.completed(requester, .denied)] }
    if let reason = obstacleToAccuracy(purposeKey: purposeKey) {
      return [.explain(reason), .completed(requester, .promptDeclined)]
    }
    let request = TemporaryRequest(requester: requester, purposeKey: purposeKey)
    guard !temporary.contains(request) else { return [] }
    guard temporary.count < Bounds.accuracyRequests else {
      return [.explain(.tooManyRequests), .completed(requester, .promptDeclined)]
    }
    temporary.append(request)
    return []
  }

  private func obstacleToAccuracy(purposeKey: String) -> AuthorizationExplanation? {
    if accuracy == .full { return .accuracyIsFull }
    guard manifest.temporaryUsage[purposeKey] != nil else {
      let key = Manifest.Key.temporary + "." + purposeKey
      return .missingUsage(key: key, file: manifest.file)
    }
    return use == .direct ? nil : .notInDirectUse
  }

  /// Ends the requests that the answer settles.
  mutating func takeAccuracy(_ answer: PromptAnswer, purposeKey: String) -> [Output] {
    if answer == .accept { record.hasTemporaryAccuracy = true }
    let settled = temporary.filter { $0.purposeKey == purposeKey }
    temporary.removeAll { $0.purposeKey == purposeKey }
    let error: AccuracyRefusal? = answer == .dismissed ? .promptDeclined : nil
    return settled.map { .completed($0.requester, error) }
  }

  /// Ends the requests that no prompt can settle any more.
  mutating func settleAccuracyRequests() -> [Output] {
    guard !temporary.isEmpty else { return [] }
    var outputs: [Output] = []
    var waiting: [TemporaryRequest] = []
    for request in temporary {
      if case .session(let session) = request.requester, mayAskLater(request) {
        outputs.append(.postponed(session: session))
      } else if !status.isGranted {
        outputs.append(.completed(request.requester, .denied))
      } else if accuracy == .full {
        outputs.append(.completed(request.requester, nil))
      } else if !isAskable(request) {
        outputs.append(.completed(request.requester, .promptDeclined))
      } else {
        waiting.append(request)
      }
    }
    temporary = waiting
    return outputs
  }

  /// Whether only the app's lifecycle state or grant prevents the prompt now (SESS-5).
  private func mayAskLater(_ request: TemporaryRequest) -> Bool {
    guard manifest.temporaryUsage[request.purposeKey] != nil else { return false }
    return !status.isGranted || accuracy == .reduced && !isAskable(request)
  }

  private func isAskable(_ request: TemporaryRequest) -> Bool {
    guard manifest.temporaryUsage[request.purposeKey] != nil else { return false }
    return use == .direct || open?.prompt.kind == .temporaryAccuracy(purposeKey: request.purposeKey)
  }
}
