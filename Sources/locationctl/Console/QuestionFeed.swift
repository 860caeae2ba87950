import Dispatch
import LocationHost
import LocationLink
import Synchronization

/// Answers questions of apps for a person with the page, as `locationctl agent` does on a terminal.
///
/// It is connected only while a person has switched it on and a page is open.
final class QuestionFeed: Sendable {
  private struct Link: Sendable {
    var answer: @Sendable (AgentAnswer) -> Void
    var end: @Sendable () -> Void
    /// Those who wait for what becomes of their answers, in the order in which these were sent.
    var waiting: [Verdict] = []
  }

  /// Whether an answer counts, once the daemon has said so.
  private final class Verdict: Sendable {
    private let value = Mutex<Bool?>(nil)
    private let said = DispatchSemaphore(value: 0)

    func say(_ counts: Bool?) {
      value.withLock { $0 = counts }
      said.signal()
    }

    /// Waits for it; `nil` if the daemon has gone, or says nothing.
    func wait(_ limit: DispatchTimeInterval) -> Bool? {
      guard said.wait(timeout: .now() + limit) == .success else { return nil }
      return value.withLock { $0 }
    }
  }

  private let board: LiveBoard
  private let link = Mutex<Link?>(nil)
  private let pause = DispatchSemaphore(value: 0)
  private let isWatching = Mutex(false)
  private let queue = DispatchQueue(label: "console.questions")

  init(_ board: LiveBoard) { self.board = board }

  // MARK: What a page wants

  /// Begins or stops to answer.
  func turn(on: Bool) {
    guard on else { return stop() }
    board.notePage()
    board.change { $0.questions.switchOn() }
    // One after the other: an earlier connection ends first.
    queue.async { self.attend() }
    let isFirst = isWatching.withLock { isWatching in
      defer { isWatching = true }
      return !isWatching
    }
    guard isFirst else { return }
    DispatchQueue(label: "console.absence").async {
      self.board.awaitAbsence()
      self.isWatching.withLock { $0 = false }
      self.stop()
    }
  }

  func stop() {
    board.change { $0.questions.switchOff() }
    link.withLock { $0?.end() }
    pause.signal()
  }

  /// Sends an answer of a page of a user, and waits until the daemon has said what becomes of it.
  ///
  /// - Throws: why it does not count.
  func answer(_ body: [UInt8], of user: UInt32?) throws(Failure) {
    let given = try ConsoleQuestions.Answer(body)
    let result: Result<AgentAnswer, Failure> = board.change { state in
      Result { () throws(Failure) in try state.questions.take(given, of: user) }
    }
    let answer = try result.get()
    let verdict = Verdict()
    let isSent = link.withLock { link in
      link?.waiting.append(verdict)
      link?.answer(answer)
      return link != nil
    }
    let counts = isSent ? verdict.wait(Self.timeout) : nil
    board.change { $0.questions.end(given.id) }
    guard let counts else {
      throw .refused(
        "the location daemon has not taken the answer", next: "answer again if it asks")
    }
    guard counts else { throw ConsoleQuestions.isOver }
  }

  // MARK: The connection

  private func attend() {
    while board.answersQuestions {
      do throws(AgentConnection.Fault) {
        if let socket = DaemonSocket.inUse(HostEnvironment.current.variables) {
          try attend(socket)
        }
      } catch {
        if let refusal = error.refusal {
          board.change { $0.questions.refuse(refusal.reason, next: refusal.next) }
        }
        board.change { $0.questions.disconnect() }
      }
      _ = pause.wait(timeout: .now() + Self.pauseBetween)
    }
  }

  /// Takes questions until the daemon goes away, or a person has switched this off.
  private func attend(_ socket: String) throws(AgentConnection.Fault) {
    var connection = try AgentConnection(at: socket)
    let (answer, end) = (connection.answering, connection.ending)
    link.withLock { $0 = Link(answer: answer, end: end) }
    board.change { $0.questions.connect() }
    defer {
      let left = link.withLock { link -> [Verdict] in
        defer { link = nil }
        return link?.waiting ?? []
      }
      for verdict in left { verdict.say(nil) }
      // Until nobody has the descriptor.
      extendLifetime(connection)
    }
    while board.answersQuestions {
      for arrival in try connection.next() { take(arrival) }
    }
  }

  private func take(_ arrival: AgentConnection.Arrival) {
    switch arrival {
    case .event(let event):
      board.change { $0.questions.take(event) }
    case .answered(let counts):
      let verdict = link.withLock { link -> Verdict? in
        guard link?.waiting.isEmpty == false else { return nil }
        return link?.waiting.removeFirst()
      }
      verdict?.say(counts)
    }
  }

  /// Chosen: the daemon looks at every process of the computer before it takes an answer.
  private static let timeout = DispatchTimeInterval.seconds(10)
  /// Before a daemon that has gone is looked for again.
  private static let pauseBetween = DispatchTimeInterval.seconds(1)
}
