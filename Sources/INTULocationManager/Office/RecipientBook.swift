import CoreLocation
import Synchronization

/// Who is to be answered, by number: whoever takes a recipient out may give it the last word, so
/// nobody is answered twice, and nobody after having canceled.
final class RecipientBook: Sendable {
  private struct State {
    /// Location and heading requests count together, from 1 (INTU-3).
    var lastID = 0
    var recipients: [Int: Recipient] = [:]
  }

  private let state = Mutex(State())

  /// Enters a recipient and, before anyone can strike it out, posts its request.
  func enter(_ recipient: Recipient, posting post: (Int) -> Void) -> Int {
    state.withLock { state in
      state.lastID += 1
      state.recipients[state.lastID] = recipient
      post(state.lastID)
      return state.lastID
    }
  }

  /// Takes a recipient out; `nil` when it is out already.
  func strike(_ id: Int) -> Recipient? {
    state.withLock { $0.recipients.removeValue(forKey: id) }
  }

  /// Who is to be answered; `nil` when that has happened.
  func recipient(_ id: Int) -> Recipient? {
    state.withLock { $0.recipients[id] }
  }

  /// Whether nobody waits.
  var isEmpty: Bool { state.withLock { $0.recipients.isEmpty } }
}

/// One who is to be answered.
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
  /// Tells news, more to follow.
  @MainActor
  func hear(_ answer: LocationAnswer) {
    switch self {
    case .block(let block): block(answer.location, answer.achievedAccuracy, answer.status)
    case .updates(let updates): updates.yield(INTULocationUpdate(answer))
    case .task, .headingBlock, .headings: break
    }
  }

  /// Tells the last word.
  @MainActor
  func finish(_ answer: LocationAnswer) {
    hear(answer)
    switch self {
    case .block, .headingBlock, .headings: break
    case .task(let waiting): waiting.resume(with: INTUGradedLocation.result(answer))
    case .updates(let updates): updates.finish()
    }
  }

  /// Tells a heading, more to follow.
  @MainActor
  func hear(_ heading: CLHeading?, _ status: INTUHeadingStatus) {
    switch self {
    case .headingBlock(let block): block(heading, status)
    case .headings(let headings): headings.yield(INTUHeadingUpdate(heading, status))
    case .block, .task, .updates: break
    }
  }

  /// Tells the last word.
  @MainActor
  func finish(_ heading: CLHeading?, _ status: INTUHeadingStatus) {
    hear(heading, status)
    end()
  }

  /// Ends without a word: a block never runs, a task that waits is canceled, a sequence ends.
  func end() {
    switch self {
    case .block, .headingBlock: break
    case .task(let waiting): waiting.resume(throwing: CancellationError())
    case .updates(let updates): updates.finish()
    case .headings(let headings): headings.finish()
    }
  }
}
