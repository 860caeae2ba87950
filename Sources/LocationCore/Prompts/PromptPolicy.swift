package import LocationModel

/// The rules of a policy file: what each app may know, where no person can be asked.
///
/// The format is told in docs/formats/policy.md.
package struct PromptPolicy: Hashable, Sendable {
  /// The words of `locationctl authorize`, and `once`.
  package enum Level: String, CaseIterable, Sendable {
    case never, once, whenInUse, always
    /// Leaves the question to the next agent.
    case ask
  }

  /// One line.
  package struct Rule: Hashable, Sendable {
    /// The identity of an app, or ``PromptPolicy/anyone``.
    package var app: String
    package var level: Level
    package var isPrecise: Bool
    /// Whether it may make this computer a beacon; `nil` leaves the question to the next agent.
    package var beacon: Bool?
  }

  /// Stands for every app that has no line of its own.
  package static let anyone = "*"

  package private(set) var rules: [Rule] = []

  /// Reads a file; every fault in it is told, not only the first.
  package static func read(
    _ text: String, file: String
  ) -> (policy: PromptPolicy, faults: [FileFault]) {
    var policy = PromptPolicy()
    var faults: [FileFault] = []
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() {
      let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).map(String.init)
      guard !words.isEmpty, let cause = policy.take(words) else { continue }
      faults.append(FileFault(file: file, line: number + 1, cause: cause))
    }
    return (policy, faults)
  }

  /// Takes the words of one line; what is wrong with them, or `nil`.
  private mutating func take(_ words: [String]) -> String? {
    guard words.count > 1 else { return "expected `APP LEVEL`, found `\(words[0])`" }
    let options = words.dropFirst(2)
    let beacon = options.last.flatMap { Self.beaconWords[$0] }
    guard options.count < (beacon == nil ? 2 : 3) else {
      return "expected `APP LEVEL [precise|reduced] [beacon|no-beacon]`, found more"
    }
    guard let level = Level(rawValue: words[1]) else {
      let known = Level.allCases.map(\.rawValue).joined(separator: ", ")
      return "unknown level `\(words[1])`; known are \(known)"
    }
    let accuracy = (beacon == nil ? options : options.dropLast()).first ?? "precise"
    guard ["precise", "reduced"].contains(accuracy) else {
      return "unknown accuracy `\(accuracy)`; known are precise, reduced, and beacon, no-beacon"
    }
    guard !rules.contains(where: { $0.app == words[0] }) else {
      return "a second line for `\(words[0])`"
    }
    rules.append(
      Rule(app: words[0], level: level, isPrecise: accuracy == "precise", beacon: beacon))
    return nil
  }

  /// What a line can say of being a beacon, as its last word.
  private static let beaconWords = ["beacon": true, "no-beacon": false]

  /// The rule for an app: its own line, that of its name for any user, else that for all others.
  package func rule(for app: AppIdentity) -> Rule? {
    let name = app.name
    let anyUser = name.lastIndex(of: "@").map { String(name[..<$0]) }
    return rules.first { $0.app == name } ?? rules.first { $0.app == anyUser }
      ?? rules.first { $0.app == Self.anyone }
  }

  /// What the rules say to a question.
  package func reply(to prompt: Prompt) -> AgentReply {
    guard let rule = rule(for: prompt.id.app) else {
      return .passed(reason: "no line for \(prompt.id.app.name), and none for \(Self.anyone)")
    }
    if prompt.kind == .beaconAdvertising {
      guard let beacon = rule.beacon else {
        return .passed(reason: "the line for \(rule.app) has neither beacon nor no-beacon")
      }
      return .answer(beacon ? .accept : .decline, precise: true)
    }
    guard rule.level != .ask else {
      return .passed(reason: "the line for \(rule.app) says to ask")
    }
    return .answer(rule.answer(to: prompt.kind), precise: rule.isPrecise)
  }
}

extension PromptPolicy.Rule {
  fileprivate func answer(to kind: Prompt.Kind) -> PromptAnswer {
    switch kind {
    case .whenInUse: level == .never ? .deny : level == .once ? .once : .whileUsing
    case .upgrade, .reminder: level == .always ? .always : .keepWhileUsing
    case .temporaryAccuracy: isPrecise && level != .never ? .accept : .decline
    case .locationButton: level == .never ? .decline : .accept
    case .beaconAdvertising: beacon == true ? .accept : .decline
    }
  }
}

/// One thing that is wrong in a file that a person has written.
package struct FileFault: Error, Hashable, Sendable, CustomStringConvertible {
  package var file: String
  /// Counted from 1; 0 when the file as a whole is meant.
  package var line: Int
  package var cause: String

  package init(file: String, line: Int, cause: String) {
    self.file = file
    self.line = line
    self.cause = cause
  }

  package var description: String {
    line == 0 ? "\(file): \(cause)" : "\(file):\(line): \(cause)"
  }
}
