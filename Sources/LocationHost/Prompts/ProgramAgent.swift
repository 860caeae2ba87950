import CLinux
import Dispatch
import Glibc
package import LocationCore
package import LocationLink
package import LocationModel
import Synchronization

/// Asks a program: the question as JSON on its standard input, the answer on its standard output.
///
/// One process for each question; docs/formats/agents.md tells what is said.
package final class ProgramAgent: PromptAgent {
  package let name: String
  private let path: String
  /// The processes that have not been reaped.
  private let running = Mutex<[Prompt.ID: Int32]>([:])

  package init(path: String) {
    self.path = path
    name = AgentChoice.program(path: path).name
  }

  package var obstacle: String? {
    access(path, X_OK) == 0 ? nil : Errno(last: path).description
  }

  package func show(_ prompt: Prompt, reply: @escaping @Sendable (AgentReply) -> Void) {
    DispatchQueue(label: "meridian.agent").async { reply(self.ask(prompt)) }
  }

  package func withdraw(_ prompt: Prompt.ID) {
    running.withLock { running in
      if let process = running[prompt] { _ = kill(process, SIGTERM) }
    }
  }

  /// Runs the program to its end.
  private func ask(_ prompt: Prompt) -> AgentReply {
    var (words, process) = (SpawnWords.block([path]), Int32(0))
    var ends: [Int32] = [-1, -1]
    let code = running.withLock { running in
      let code = linux_spawn(&words, nil, &ends, &process)
      if code == 0 { running[prompt.id] = process }
      return code
    }
    guard code == 0 else {
      return .passed(reason: Errno(code: code, call: path).description)
    }
    let (input, output) = (ends[0], ends[1])
    let question = ProgramQuestion.json(prompt).bytes + [UInt8(ascii: "\n")]
    linux_write_all(input, question, UInt(question.count))
    close(input)
    let said = Self.read(output)
    close(output)
    if said.count >= ProgramQuestion.longest { withdraw(prompt.id) }
    linux_await_end(process)
    let status = running.withLock { running in
      running[prompt.id] = nil
      return linux_reap(process)
    }
    return ProgramQuestion.reply(said, status: status)
  }

  /// Everything up to the end, or to the limit.
  private static func read(_ descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while bytes.count < ProgramQuestion.longest {
      let count = Glibc.read(descriptor, &piece, piece.count)
      guard count > 0 else { break }
      bytes += piece.prefix(count)
    }
    return bytes
  }
}

/// What passes between us and a program that answers questions.
package enum ProgramQuestion {
  /// The question; a member without a value is left out.
  package static func json(_ prompt: Prompt) -> JSON {
    var purpose: JSON?
    if case .temporaryAccuracy(let key) = prompt.kind { purpose = .string(key) }
    return .fields([
      "question": .string(word(prompt.kind)), "app": .string(prompt.id.app.name),
      "number": .integer(Int64(prompt.id.number)), "name": .string(prompt.appName),
      "title": .string(prompt.title), "text": .string(prompt.text), "purpose": purpose,
      "answers": .array(prompt.kind.answers.map { .string($0.rawValue) }),
      "offers_precise": .bool(prompt.offersPrecise),
    ])
  }

  private static func word(_ kind: Prompt.Kind) -> String {
    switch kind {
    case .whenInUse: "when_in_use"
    case .upgrade: "upgrade"
    case .reminder: "reminder"
    case .temporaryAccuracy: "temporary_accuracy"
    case .locationButton: "location_button"
    case .beaconAdvertising: "beacon_advertising"
    }
  }

  /// What a program has said; nothing but an answer counts as one.
  package static func reply(_ bytes: [UInt8], status: Int32) -> AgentReply {
    guard bytes.count < longest else { return .passed(reason: "it says too much") }
    guard status == 0 else { return .passed(reason: "it ended with status \(status)") }
    guard !bytes.isEmpty else { return .passed(reason: "it says nothing") }
    do throws(LinkFault) {
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

  /// Bytes of an answer.
  static let longest = 65_536
}
