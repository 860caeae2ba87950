package import LocationModel

/// The rules of a policy file: what each app may know where no person can answer prompts.
///
/// docs/formats/policy.md describes the format.
package struct PromptPolicy: Hashable, Sendable {
  /// The words of `locationctl authorize`, and `once`.
  package enum Level: String, CaseIterable, Sendable {
    case never, once, whenInUse, always
    /// Leaves the prompt to the next agent.
    case ask
  }

  /// One line of the file.
  package struct Rule: Hashable, Sendable {
    /// The first word: a program as ``NamedProgram`` reads it, or ``PromptPolicy/anyone``.
    package var app: String
    /// The program that it names; `nil` for ``PromptPolicy/anyone``.
    package var program: NamedProgram?
    package var level: Level
    package var isPrecise: Bool
    /// Whether it may make this computer a beacon; `nil` leaves the prompt to the next agent.
    package var beacon: Bool?
  }

  /// Stands for every app that has no line of its own.
  package static let anyone = "*"

  package private(set) var rules: [Rule] = []

  /// Reads a file; reports every fault in it, not only the first.
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

  /// Takes the words of one line; returns what is wrong with them, or `nil`.
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
    let program = NamedProgram(words[0])
    guard words[0] == Self.anyone || program != nil else { return NamedProgram.fault(in: words[0]) }
    rules.append(
      Rule(
        app: words[0], program: program, level: level, isPrecise: accuracy == "precise",
        beacon: beacon))
    return nil
  }

  /// The last word of a line, and what it says about being a beacon.
  private static let beaconWords = ["beacon": true, "no-beacon": false]

  /// Returns the rule for an app, and notes on lines with its name that do not apply. Among the
  /// lines for the program, one for its user precedes one for any user, then one with a path
  /// precedes one without; otherwise the rule for all others applies.
  ///
  /// A line without a path that says `never` also applies to a program that others can replace.
  package func rule(
    for app: AppIdentity, of program: VerifiedProgram?
  ) -> (rule: Rule?, notes: [String]) {
    let named = rules.filter { rule in
      guard let line = rule.program else { return false }
      if line.matches(app, of: program) { return true }
      return rule.level == .never && line.path == nil && line.base == app.base
        && (line.user == nil || line.user == app.user ?? program?.user)
    }
    // The first of the most specific ones.
    let best = named.enumerated().max {
      ($0.element.rank, -$0.offset) < ($1.element.rank, -$1.offset)
    }
    let notes = named.isEmpty ? rules.compactMap { $0.note(about: app, of: program) } : []
    return (best?.element ?? rules.first { $0.program == nil }, notes)
  }

  /// Returns the answer of the rules to a prompt.
  package func reply(to prompt: Prompt) -> AgentReply {
    let (rule, notes) = rule(for: prompt.id.app, of: prompt.program)
    let reason = notes.map { "; \($0)" }.joined()
    guard let rule else {
      return .passed(
        reason: "no line for \(prompt.id.app.name), and none for \(Self.anyone)\(reason)")
    }
    if prompt.kind == .beaconAdvertising {
      guard let beacon = rule.beacon else {
        return .passed(reason: "the line for \(rule.app) has neither beacon nor no-beacon")
      }
      // A bare `never` also applies to a program that others can replace; no line grants to one.
      if beacon, let line = rule.program, !line.matches(prompt.id.app, of: prompt.program) {
        return .passed(reason: "others can replace the program that the line for \(rule.app) names")
      }
      return .answer(beacon ? .accept : .decline, precise: true)
    }
    guard rule.level != .ask else {
      return .passed(reason: "the line for \(rule.app) says to ask\(reason)")
    }
    return .answer(rule.answer(to: prompt.kind), precise: rule.isPrecise)
  }
}

extension PromptPolicy.Rule {
  /// How specific the line is about its program.
  fileprivate var rank: Int {
    (program?.user == nil ? 0 : 2) + (program?.path == nil ? 0 : 1)
  }

  /// Returns why this line with the name of an app does not apply; `nil` if the name differs.
  fileprivate func note(about app: AppIdentity, of program: VerifiedProgram?) -> String? {
    guard let line = self.program, line.base == app.base, !line.matches(app, of: program) else {
      return nil
    }
    let path = program?.path.escapedForDisplay(limit: 4096)
    guard line.path == nil else {
      return "the line for \(self.app) is for another program than \(path ?? "this one")"
    }
    guard line.user == nil || line.user == app.user else { return nil }
    guard let path else {
      return "the line for \(self.app) does not count: nobody knows the program"
    }
    return "the line for \(self.app) does not count, because others could replace \(path): write "
      + "\(self.app)=\(path)"
  }

  fileprivate func answer(to kind: Prompt.Kind) -> PromptAnswer {
    switch kind {
    case .whenInUse: level == .never ? .deny : level == .once ? .once : .whileUsing
    case .upgrade, .reminder: level == .always ? .always : .keepWhileUsing
    case .temporaryAccuracy: isPrecise && level != .never ? .accept : .decline
    case .beaconAdvertising: beacon == true ? .accept : .decline
    }
  }
}

/// A fault in a file that a person has written.
package struct FileFault: Error, Hashable, Sendable, CustomStringConvertible {
  package var file: String
  /// Counted from 1; 0 means the file as a whole.
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
