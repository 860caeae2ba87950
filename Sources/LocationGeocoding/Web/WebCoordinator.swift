package import LocationModel

/// Decides when and how often requests are sent to a web geocoder, and interprets its answers.
///
/// One request at a time and no faster than the service allows; a failed one is repeated with
/// growing pauses; an answer is cached, so that no request is sent twice.
package struct WebCoordinator: Machine {
  package typealias RequestID = Int

  package enum Input: MachineInput {
    case ask(GeocodeQuestion, as: RequestID)
    /// What came of the last ``Output/fetch(_:)``.
    case answer(WebAnswer)
    /// Nobody waits for this request any more.
    case abandon(RequestID)
    case wake
  }

  package enum Output: Sendable, Hashable {
    /// Get this URL, and hand what comes of it back as ``Input/answer(_:)``.
    case fetch(String)
    case finish(RequestID, GeocodeOutcome)
    /// An answer came to a request that is no longer open.
    case discarded
  }

  private struct Request: Hashable {
    var identifier: RequestID
    var question: GeocodeQuestion
    var attempt = 1
  }

  private enum State: Hashable {
    /// Nothing is under way.
    case idle
    /// The first request may be sent at this time.
    case waiting(until: Instant)
    /// The first request was sent, and its answer is awaited.
    case fetching
    /// The same, but it was abandoned: the answer will be thrown away.
    case fetchingInVain
  }

  private struct Remembered: Hashable {
    /// The request as it was sent: two requests with one URL are one.
    var url: String
    var outcome: GeocodeOutcome
    var until: Instant
  }

  private let service: WebService
  private var state = State.idle
  /// First come, first served.
  private var queue: [Request] = []
  private var nextAllowed = Instant.start
  private var remembered: [Remembered] = []

  package init(_ service: WebService) {
    self.service = service
  }

  package var nextDeadline: Instant? {
    guard case .waiting(let until) = state else { return nil }
    return until
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch (input, state) {
    case (.ask(let question, let identifier), _):
      remembered.removeAll { $0.until <= now.uptime }
      let url = service.url(for: question)
      if let known = remembered.last(where: { $0.url == url }) {
        return [.finish(identifier, known.outcome)]
      }
      guard queue.count < Self.mostWaiting else {
        return [.finish(identifier, .failure(.budgetSpent(retryAfter: Self.longestPause)))]
      }
      queue.append(Request(identifier: identifier, question: question))
      return state == .idle ? next(at: now) : []

    case (.abandon(let identifier), _):
      return abandon(identifier, at: now)

    case (.answer(let answer), .fetching):
      return receive(answer, at: now)

    case (.answer, .fetchingInVain):
      return [.discarded] + next(at: now)

    case (.answer, .idle), (.answer, .waiting):
      return [.discarded]

    case (.wake, .waiting(let until)) where now.uptime >= until:
      return send(at: now)

    case (.wake, .idle), (.wake, .waiting), (.wake, .fetching), (.wake, .fetchingInVain):
      return []
    }
  }

  /// Turns to the first request of the queue.
  private mutating func next(at now: Moment) -> [Output] {
    guard !queue.isEmpty else {
      state = .idle
      return []
    }
    guard now.uptime >= nextAllowed else {
      state = .waiting(until: nextAllowed)
      return []
    }
    return send(at: now)
  }

  private mutating func send(at now: Moment) -> [Output] {
    guard let request = queue.first else {
      state = .idle
      return []
    }
    state = .fetching
    nextAllowed = now.uptime + service.interval
    return [.fetch(service.url(for: request.question))]
  }

  private mutating func abandon(_ identifier: RequestID, at now: Moment) -> [Output] {
    guard let place = queue.firstIndex(where: { $0.identifier == identifier }) else { return [] }
    queue.remove(at: place)
    guard place == 0 else { return [] }
    switch state {
    case .fetching: state = .fetchingInVain
    case .waiting: return next(at: now)
    case .idle, .fetchingInVain: break
    }
    return []
  }

  private mutating func receive(_ answer: WebAnswer, at now: Moment) -> [Output] {
    guard let request = queue.first else { return [.discarded] }
    if let pause = pause(after: answer, attempt: request.attempt) {
      queue[0].attempt += 1
      nextAllowed = max(nextAllowed, now.uptime + pause)
      return next(at: now)
    }
    let outcome = WebReading(service.dialect).outcome(of: answer)
    queue.removeFirst()
    remember(outcome, of: request.question, at: now)
    return [.finish(request.identifier, outcome)] + next(at: now)
  }

  /// Returns the pause before the same request is sent again; `nil` when it should not be.
  private func pause(after answer: WebAnswer, attempt: Int) -> Duration? {
    guard attempt < service.attempts else { return nil }
    let growing = Self.firstPause * (1 << (attempt - 1))
    switch answer {
    case .unreachable:
      return growing
    case .refused:
      return nil
    case .response(let status, _, let retryAfter) where status == 429 || status == 503:
      guard let retryAfter else { return growing }
      return retryAfter <= Self.longestPause ? retryAfter : nil
    case .response(let status, _, _):
      return status >= 500 ? growing : nil
    }
  }

  private mutating func remember(
    _ outcome: GeocodeOutcome, of question: GeocodeQuestion, at now: Moment
  ) {
    switch outcome {
    case .success, .failure(.nothingFound): break
    case .failure: return
    }
    remembered.append(
      Remembered(
        url: service.url(for: question), outcome: outcome, until: now.uptime + service.memory))
    if remembered.count > Self.memoryLimit { remembered.removeFirst() }
  }

  /// Doubled with every attempt. Chosen.
  private static let firstPause = Duration.seconds(2)
  /// The longest pause that a server may request. Chosen.
  private static let longestPause = Duration.seconds(30)
  /// Requests, the one that is sent among them; a further one fails at once. Chosen: two minutes of
  /// the budget of an app (GEO-5), which a server that never answers would let grow without end.
  package static let mostWaiting = 100
  /// Answers kept at most; the oldest goes first.
  package static let memoryLimit = 256
}
