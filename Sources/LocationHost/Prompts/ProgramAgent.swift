import CLinux
import Dispatch
import Glibc
package import LocationCoding
import LocationService
package import LocationModel
import Synchronization

/// Asks a program: the prompt as JSON on its standard input, the answer on its standard output.
///
/// Runs one process for each prompt, in its own session, with a short environment and a time limit;
/// docs/formats/agents.md describes the messages. All processes of that session end with it. Few run at
/// once, of each user and in all; other prompts wait for their turn.
package final class ProgramAgent: PromptAgent {
  package let name: String
  private let path: String
  private let environment: [String]
  private let timeout: Duration
  /// Processes that have not been reaped.
  private let running = Mutex<[Prompt.ID: Int32]>([:])
  private let turns = Mutex(AgentTurns<Turn>())

  /// A prompt, and who waits for its answer.
  private struct Turn: Sendable {
    var prompt: Prompt
    var reply: @Sendable (AgentReply) -> Void
  }

  /// Creates an agent that runs the program at a path.
  ///
  /// - Parameters:
  ///   - path: absolute; the program must be root's or this user's, and no other may change it.
  ///   - variables: the environment of this process; the program gets ``kept`` of it.
  ///   - timeout: how long it may run. Chosen: time for a person to read and decide.
  package init(
    path: String, variables: [String: String] = HostEnvironment.current.variables,
    timeout: Duration = .seconds(120)
  ) {
    self.path = path
    self.timeout = timeout
    name = AgentChoice.program(path: path).name
    environment =
      ["PATH=/usr/local/bin:/usr/bin:/bin"]
      + Self.kept.compactMap { name in variables[name].map { "\(name)=\($0)" } }
  }

  /// The variables that a program needs to ask a person; no others are passed on.
  package static let kept = [
    "HOME", "LANG", "LC_ALL", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY",
    "WAYLAND_DISPLAY",
  ]

  package var obstacle: String? {
    if let fault = ProtectedFile.fault(of: path, owners: [0, getuid()]) { return "\(fault)" }
    return access(path, X_OK) == 0 ? nil : Errno(last: path).description
  }

  package func show(_ prompt: Prompt, reply: @escaping @Sendable (AgentReply) -> Void) {
    let turn = Turn(prompt: prompt, reply: reply)
    switch turns.withLock({ $0.come(prompt.id, of: prompt.program?.user, turn) }) {
    case .now: run(turn)
    case .later: break
    case .never: reply(.passed(reason: "too many questions of its user wait for the program"))
    }
  }

  package func withdraw(_ prompt: Prompt.ID) {
    if let turn = turns.withLock({ $0.withdraw(prompt) }) {
      return turn.reply(.passed(reason: "it was withdrawn before its turn"))
    }
    running.withLock { running in
      if let process = running[prompt] { _ = kill(-process, SIGTERM) }
    }
  }

  private func run(_ turn: Turn) {
    DispatchQueue(label: "meridian.agent").async {
      turn.reply(self.ask(turn.prompt))
      if let next = self.turns.withLock({ $0.end(turn.prompt.id) }) { self.run(next) }
    }
  }

  /// Runs the program until it ends.
  private func ask(_ prompt: Prompt) -> AgentReply {
    if let obstacle { return .passed(reason: obstacle) }
    var (words, process) = (SpawnArguments.block([path]), Int32(0))
    var (variables, ends) = (SpawnArguments.block(environment), [Int32](repeating: -1, count: 2))
    let code = running.withLock { running in
      let code = linux_spawn(&words, &variables, &ends, &process)
      if code == 0 { running[prompt.id] = process }
      return code
    }
    guard code == 0 else {
      return .passed(reason: Errno(code: code, call: path).description)
    }
    var talk = ProgramTalk(
      process, input: ends[0], output: ends[1],
      saying: ProgramQuestion.json(prompt).bytes + [UInt8(ascii: "\n")])
    talk.run(until: HostClock.now.uptime + timeout)
    talk.end()
    let status = running.withLock { running in
      running[prompt.id] = nil
      return linux_reap(process)
    }
    guard !talk.isLate else {
      let seconds = Int(timeout.wholeNanoseconds / 1_000_000_000)
      return .passed(reason: "it did not answer within \(seconds) s, and was ended")
    }
    return ProgramQuestion.reply(talk.reply, status: status)
  }
}

/// The exchange with one program, until it ends, sends too much, or time is over.
private struct ProgramTalk {
  private let process: Int32
  /// Readable when the process has ended; -1 if no descriptor was free.
  private let descriptor: Int32
  private var input: Int32
  private var output: Int32
  private var question: ArraySlice<UInt8>
  private(set) var reply: [UInt8] = []
  private(set) var isLate = false

  init(_ process: Int32, input: Int32, output: Int32, saying question: [UInt8]) {
    (self.process, self.input, self.output) = (process, input, output)
    self.question = question[...]
    descriptor = max(-1, linux_open_process(process))
  }

  mutating func run(until deadline: Instant) {
    var hasEnded = false
    while !hasEnded, reply.count < ProgramQuestion.longest {
      var polled = [
        pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
        pollfd(fd: output, events: Int16(POLLIN), revents: 0),
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let rest = (deadline - HostClock.now.uptime).wholeNanoseconds
      guard rest > 0, descriptor >= 0 else {
        isLate = true
        return
      }
      _ = poll(&polled, nfds_t(polled.count), Int32(min(rest / 1_000_000 + 1, 60_000)))
      if polled[0].revents != 0 { write() }
      hasEnded = polled[2].revents != 0
      if polled[1].revents != 0 { read() }
    }
    // Reads what is left in the pipe, which a child of the program may keep open.
    _ = fcntl(output, F_SETFL, fcntl(output, F_GETFL) | O_NONBLOCK)
    while output >= 0, reply.count < ProgramQuestion.longest, read() {}
  }

  /// Writes as much as a ready pipe accepts without waiting.
  private mutating func write() {
    let piece = Array(question.prefix(4096))
    linux_write_all(input, piece, UInt(piece.count))
    question = question.dropFirst(piece.count)
    if question.isEmpty { Self.close(&input) }
  }

  /// Reads what is available; returns `false` if there is nothing more.
  @discardableResult
  private mutating func read() -> Bool {
    var piece = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(output, &piece, piece.count)
    guard count > 0 else {
      if count == 0 { Self.close(&output) }
      return false
    }
    reply += piece.prefix(count)
    return true
  }

  /// Ends the process if it still runs, and everything that it has left running.
  mutating func end() {
    Self.close(&input)
    Self.close(&output)
    kill(-process, SIGTERM)
    var ended = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&ended, 1, Self.grace)
    kill(-process, SIGKILL)
    linux_await_end(process)
    if descriptor >= 0 { Glibc.close(descriptor) }
  }

  /// Milliseconds between SIGTERM and SIGKILL. Chosen.
  private static let grace: Int32 = 2000

  private static func close(_ descriptor: inout Int32) {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }
}

/// The messages between this process and a program that answers prompts.
package enum ProgramQuestion {
  /// Encodes a prompt; a member without a value is left out. The app's text is passed as it is,
  /// except for the title, which is ours.
  package static func json(_ prompt: Prompt) -> JSON {
    var purpose: JSON?
    if case .temporaryAccuracy(let key) = prompt.kind { purpose = .string(key) }
    return .fields([
      "question": .string(word(prompt.kind)), "app": .string(prompt.id.app.name),
      "number": .integer(Int64(prompt.id.number)), "name": .string(prompt.appName),
      "title": .string(prompt.title), "text": .string(prompt.text), "purpose": purpose,
      "answers": .array(prompt.kind.answers.map { .string($0.rawValue) }),
      "offers_precise": .bool(prompt.offersPrecise),
      "program": prompt.program.map { .string($0.path) },
      "user": prompt.program.map { .integer(Int64($0.user)) },
    ])
  }

  private static func word(_ kind: Prompt.Kind) -> String {
    switch kind {
    case .whenInUse: "when_in_use"
    case .upgrade: "upgrade"
    case .reminder: "reminder"
    case .temporaryAccuracy: "temporary_accuracy"
    case .beaconAdvertising: "beacon_advertising"
    }
  }

  /// Parses a program's output; anything but a valid answer is not an answer.
  package static func reply(_ bytes: [UInt8], status: Int32) -> AgentReply {
    guard bytes.count < longest else { return .passed(reason: "it says too much") }
    guard status == 0 else { return .passed(reason: "it ended with status \(status)") }
    guard !bytes.isEmpty else { return .passed(reason: "it says nothing") }
    do throws(CodingFault) {
      let json = try JSON(parsing: bytes)
      guard case .string(let word)? = json["answer"] else { throw .missing("answer") }
      if word == "pass" {
        guard case .string(let reason)? = json["reason"] else {
          return .passed(reason: "it passes the question on")
        }
        return .passed(reason: reason)
      }
      guard let answer = PromptAnswer(rawValue: word) else { throw .unknownWord(word) }
      return .answer(answer, precise: json["precise"] != .bool(false))
    } catch {
      return .passed(reason: "its answer is not understood: \(error)")
    }
  }

  /// The greatest size of an answer in bytes.
  static let longest = 65_536
}
