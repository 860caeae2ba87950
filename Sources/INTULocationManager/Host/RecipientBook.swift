import CoreLocation
import Synchronization

/// The recipients that wait for an answer, by number. Only the caller that removes a recipient may
/// answer it last, so each is answered last once, and never after a cancellation.
final class RecipientBook: Sendable {
  private struct State {
    /// Location and heading requests count together, from 1 (INTU-3).
    var lastID = 0
    var recipients: [Int: Recipient] = [:]
  }

  private let state = Mutex(State())

  /// Adds a recipient and posts its request before the recipient can be removed.
  func enter(_ recipient: Recipient, posting post: (Int) -> Void) -> Int {
    state.withLock { state in
      state.lastID += 1
      state.recipients[state.lastID] = recipient
      post(state.lastID)
      return state.lastID
    }
  }

  /// Removes and returns a recipient; `nil` when it was removed already.
  func strike(_ id: Int) -> Recipient? {
    state.withLock { $0.recipients.removeValue(forKey: id) }
  }

  /// Returns a recipient; `nil` when it was removed already.
  func recipient(_ id: Int) -> Recipient? {
    state.withLock { $0.recipients[id] }
  }

  /// Whether no recipient waits.
  var isEmpty: Bool { state.withLock { $0.recipients.isEmpty } }
}

/// One recipient of answers.
enum Recipient: Sendable {
  case block(INTULocationRequestBlock)
  case task(CheckedContinuation<INTUGradedLocation, any Error>)
  case updates(AsyncStream<INTULocationUpdate>.Continuation)
  case headingBlock(INTUHeadingRequestBlock)
  case headings(AsyncStream<INTUHeadingUpdate>.Continuation)

  var isForHeadings: Bool {
    switch self {
    case .block, .task, .updates: false
    case .headingBlock, .headings: true
    }
  }
}

extension Recipient {
  /// Delivers an answer; more will follow.
  @MainActor
  func receive(_ answer: LocationAnswer) {
    switch self {
    case .block(let block): block(answer.location, answer.achievedAccuracy, answer.status)
    case .updates(let updates): updates.yield(INTULocationUpdate(answer))
    case .task, .headingBlock, .headings: break
    }
  }

  /// Delivers the last answer.
  @MainActor
  func finish(_ answer: LocationAnswer) {
    receive(answer)
    switch self {
    case .block, .headingBlock, .headings: break
    case .task(let waiting): waiting.resume(with: INTUGradedLocation.result(answer))
    case .updates(let updates): updates.finish()
    }
  }

  /// Delivers a heading; more will follow.
  @MainActor
  func receive(_ heading: CLHeading?, _ status: INTUHeadingStatus) {
    switch self {
    case .headingBlock(let block): block(heading, status)
    case .headings(let headings): headings.yield(INTUHeadingUpdate(heading, status))
    case .block, .task, .updates: break
    }
  }

  /// Delivers the last heading status.
  @MainActor
  func finish(_ heading: CLHeading?, _ status: INTUHeadingStatus) {
    receive(heading, status)
    end()
  }

  /// Ends without an answer: a block never runs, a task that waits is canceled, a sequence ends.
  func end() {
    switch self {
    case .block, .headingBlock: break
    case .task(let waiting): waiting.resume(throwing: CancellationError())
    case .updates(let updates): updates.finish()
    case .headings(let headings): headings.finish()
    }
  }
}
