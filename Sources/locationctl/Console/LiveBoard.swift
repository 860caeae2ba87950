import Dispatch
import LocationCoding
import Synchronization

/// What the pages wait at: it wakes them when something is new.
final class LiveBoard: Sendable {
  fileprivate struct Contents: Sendable {
    var state = LiveState()
    var waiting: [DispatchSemaphore] = []
    /// Those who wait until a page is open.
    var sleeping: [DispatchSemaphore] = []
    var asked = DispatchTime(uptimeNanoseconds: 1)
    var isClosed = false
  }

  private let contents = Mutex(Contents())

  /// Returns what is new since a version, as soon as there is something, or after 20 seconds; everything
  /// at once without a version.
  func news(after version: Int?) -> JSON {
    let end = DispatchTime.now() + .seconds(20)
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
      return contents.state.news(after: version ?? 0)
    }
  }

  /// Changes the state, and wakes those who wait if that is news.
  func change(_ change: (inout LiveState) -> Void) {
    contents.withLock { contents in
      let before = contents.state.version
      change(&contents.state)
      guard contents.state.version != before else { return }
      for semaphore in contents.waiting { semaphore.signal() }
      contents.waiting = []
    }
  }

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
  var isWatched: Bool { !waiting.isEmpty || asked + .seconds(3) > .now() }

  /// Notes that a page has asked, and wakes those who wait for one.
  mutating func noteQuestion() {
    asked = .now()
    for semaphore in sleeping { semaphore.signal() }
    sleeping = []
  }
}
