import Dispatch
import LocationCoding
import Synchronization

/// What the pages wait at: it wakes them when something is new.
final class LiveBoard: Sendable {
  fileprivate struct Contents: Sendable {
    var state: LiveState
    var waiting: [DispatchSemaphore] = []
    /// Those who wait until a page is open.
    var sleeping: [DispatchSemaphore] = []
    var asked = DispatchTime(uptimeNanoseconds: 1)
    var isClosed = false
  }

  private let contents: Mutex<Contents>

  /// A board of a console of a user.
  init(of owner: UInt32) { contents = Mutex(Contents(state: LiveState(of: owner))) }

  /// Returns what is new since a version for a page of a user, as soon as there is something, or after 20
  /// seconds; everything at once without a version.
  func news(after version: Int?, for user: UInt32?) -> JSON {
    let end = DispatchTime.now() + Contents.longestWait
    while true {
      let semaphore: DispatchSemaphore? = contents.withLock { contents in
        contents.noteQuestion()
        guard let version, contents.state.version == version, !contents.isClosed else { return nil }
        let semaphore = DispatchSemaphore(value: 0)
        contents.waiting.append(semaphore)
        return semaphore
      }
      guard let semaphore else { break }
      guard semaphore.wait(timeout: end) == .success else {
        contents.withLock { $0.waiting.removeAll { $0 === semaphore } }
        break
      }
    }
    return contents.withLock { contents in
      contents.noteQuestion()
      return contents.state.news(after: version ?? 0, for: user)
    }
  }

  /// Changes the state, and wakes those who wait if that is news.
  @discardableResult
  func change<Value: Sendable>(_ change: (inout LiveState) -> Value) -> Value {
    contents.withLock { contents in
      let before = contents.state.version
      let value = change(&contents.state)
      guard contents.state.version != before else { return value }
      for semaphore in contents.waiting { semaphore.signal() }
      contents.waiting = []
      return value
    }
  }

  /// Notes that a page is open, as each question of one does.
  func notePage() { contents.withLock { $0.noteQuestion() } }

  /// Whether the console answers questions of apps now.
  var answersQuestions: Bool { contents.withLock { $0.state.questions.isOn } }

  /// Whether a page waits, or has asked in the last three seconds.
  var isWatched: Bool { contents.withLock { $0.isWatched } }

  /// Waits until a page is open.
  ///
  /// - Returns: `false` once the board is closed.
  func awaitPage() -> Bool {
    while true {
      let semaphore: DispatchSemaphore? = contents.withLock { contents in
        guard !contents.isWatched, !contents.isClosed else { return nil }
        let semaphore = DispatchSemaphore(value: 0)
        contents.sleeping.append(semaphore)
        return semaphore
      }
      guard let semaphore else { return contents.withLock { !$0.isClosed } }
      semaphore.wait()
    }
  }

  /// Waits until no page is open; looks again each time the last that one has asked is long enough ago.
  func awaitAbsence() {
    let passing = DispatchSemaphore(value: 0)
    while let end = contents.withLock({ $0.watchedUntil }) { _ = passing.wait(timeout: end) }
  }

  /// Lets nobody wait any longer.
  func close() {
    contents.withLock { contents in
      contents.isClosed = true
      for semaphore in contents.waiting + contents.sleeping { semaphore.signal() }
      (contents.waiting, contents.sleeping) = ([], [])
    }
  }
}

extension LiveBoard.Contents {
  var isWatched: Bool { !waiting.isEmpty || asked + Self.absence > .now() }

  /// Until when a page counts as open, as far as is known; `nil` if none does.
  var watchedUntil: DispatchTime? {
    let end = waiting.isEmpty ? asked + Self.parting : asked + Self.longestWait + Self.parting
    return isClosed || end <= .now() ? nil : end
  }

  /// How long a page waits for news.
  static let longestWait = 20.0
  /// Seconds without a question after which nothing is followed for a page. Chosen.
  static let absence = 3.0
  /// Seconds without a question after which a page was closed. Chosen: one whose browser is busy asks later.
  static let parting = 15.0

  /// Notes that a page has asked, and wakes those who wait for one.
  mutating func noteQuestion() {
    asked = .now()
    for semaphore in sleeping { semaphore.signal() }
    sleeping = []
  }
}
