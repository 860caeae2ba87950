import Dispatch
import Glibc
import LocationService
package import LocationModel
import Synchronization

/// Asks on the terminal from which the process was started, one prompt at a time.
package final class TerminalAgent: PromptAgent {
  package let name = AgentChoice.terminal.name
  private let descriptor: Int32
  private let queue = DispatchQueue(label: "meridian.terminal")
  private let withdrawn = Mutex<Set<Prompt.ID>>([])

  /// Opens the terminal; `nil` if the process has none.
  package init?() {
    descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0, isatty(descriptor) == 1, isatty(STDERR_FILENO) == 1,
      tcgetpgrp(descriptor) == getpgrp()
    else {
      if descriptor >= 0 { close(descriptor) }
      return nil
    }
  }

  deinit {
    close(descriptor)
  }

  package func show(_ prompt: Prompt, reply: @escaping @Sendable (AgentReply) -> Void) {
    queue.async {
      let asked = self.ask(prompt)
      reply(.answer(asked.answer, precise: asked.precise))
    }
  }

  package func withdraw(_ prompt: Prompt.ID) {
    _ = withdrawn.withLock { $0.insert(prompt) }
  }

  private func ask(_ prompt: Prompt) -> TerminalQuestion.Choice {
    let question = TerminalQuestion(prompt)
    write(question.text)
    while true {
      guard !withdrawn.withLock({ $0.contains(prompt.id) }), let typed = readLine() else {
        return TerminalQuestion.Choice(answer: .dismissed, precise: true)
      }
      if let choice = question.choice(typed) { return choice }
      write(question.reminder)
    }
  }

  private func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }

  /// Reads a line as typed; `nil` if the terminal is gone.
  private func readLine() -> String? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while read(descriptor, &byte, 1) == 1 {
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      if bytes.count < 100 { bytes.append(byte) }
    }
    return nil
  }
}

/// The text of a prompt on a terminal, and its choices.
package struct TerminalQuestion: Sendable {
  /// The meaning of a typed line.
  package struct Choice: Hashable, Sendable {
    package var answer: PromptAnswer
    package var precise: Bool
  }

  private let prompt: Prompt
  private let choices: [(key: String, words: String, choice: Choice)]

  package init(_ prompt: Prompt) {
    self.prompt = prompt
    choices = prompt.kind.answers.map { answer in
      let (key, words) = Self.wording(answer)
      return (key, words, Choice(answer: answer, precise: true))
    }
  }

  /// The whole text, ready to print.
  package var text: String {
    let options = choices.map { "  [\($0.key)] \($0.words)" }.joined(separator: "\n")
    let hint = prompt.offersPrecise ? "\n  add ~ for an approximate location only, as in w~" : ""
    let asker = prompt.asker.map { "  asked by \($0)\n" } ?? ""
    let reason = prompt.text.quotedForDisplay(limit: 500)
    return "\n\(prompt.title)\n  \(reason)\n\(asker)\(options)\(hint)\nAnswer: "
  }

  /// The text to print after an unknown line was typed.
  package var reminder: String {
    "Please type one of \(choices.map(\.key).joined(separator: ", ")): "
  }

  /// Returns the meaning of a typed line; `nil` if it has none.
  package func choice(_ typed: String) -> Choice? {
    var word = typed.lowercased().filter { !$0.isWhitespace }
    let isApproximate = prompt.offersPrecise && word.hasSuffix("~")
    if isApproximate { word.removeLast() }
    guard
      var choice = choices.first(where: { $0.key == word || $0.words.lowercased() == word })?
        .choice
    else { return nil }
    choice.precise = !isApproximate
    return choice
  }

  /// Returns the key to type, and its meaning.
  private static func wording(_ answer: PromptAnswer) -> (key: String, words: String) {
    let key =
      switch answer {
      case .once: "o"
      case .whileUsing: "w"
      case .deny: "d"
      case .always: "a"
      case .keepWhileUsing: "k"
      case .accept: "y"
      case .decline: "n"
      case .dismissed: ""
      }
    return (key, answer.words)
  }
}
