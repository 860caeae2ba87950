import LocationCoding
import LocationProviders

/// What a person typed, checked against the command table.
struct Invocation: Sendable {
  var verb: Verb
  var operands: [String]
  private var values: [String: [String]]

  /// Reads the words behind the program's name.
  init(_ words: [String]) throws(Failure) {
    guard let first = words.first else {
      throw .usage("no verb is given", next: "locationctl help")
    }
    let (name, rest) = Self.verbFirst(first, words.dropFirst())
    guard let verb = Verb.named(name) else {
      let kind = name.hasPrefix("-") ? "option" : "verb"
      throw .usage("there is no \(kind) \"\(name)\"", next: Self.suggestion(for: name))
    }
    self.verb = verb
    operands = []
    values = [:]
    try read(rest)
    guard !isHelpWanted else { return }
    try checkOperands()
  }

  /// `--help` and `--version` may stand where a verb would.
  private static func verbFirst(
    _ first: String, _ rest: ArraySlice<String>
  ) -> (String, ArraySlice<String>) {
    switch first {
    case "--help", "-h": (Verb.help.name, rest)
    case "--version": (Verb.version.name, rest)
    default: (first, rest)
    }
  }

  static func suggestion(for name: String) -> String {
    let names = Verb.all.map(\.name)
    let near =
      NearWord.find(for: name, among: names) ?? names.first { $0.hasPrefix(name.prefix(2)) }
    return near.map { "locationctl \($0) --help" } ?? "locationctl help"
  }

  // MARK: Reading

  private mutating func read(_ words: ArraySlice<String>) throws(Failure) {
    var rest = words
    var onlyOperands = false
    while let word = rest.popFirst() {
      if onlyOperands || !word.hasPrefix("-") || word == "-" || Self.isNegative(word) {
        operands.append(word)
      } else if word == "--" {
        onlyOperands = true
      } else {
        try readOption(word == "-h" ? "--help" : word, &rest)
      }
    }
  }

  /// Whether the dash is a sign, as in `-33.86,151.21`.
  private static func isNegative(_ word: String) -> Bool {
    word.dropFirst().first.map { $0.isNumber || $0 == "." } ?? false
  }

  private mutating func readOption(
    _ word: String, _ rest: inout ArraySlice<String>
  ) throws(Failure) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let attached = parts.count > 1 ? String(parts[1]) : nil
    let known = verb.options + [.help]
    guard let option = known.first(where: { "--\($0.name)" == parts[0] }) else {
      let near = NearWord.find(
        for: String(parts[0]), among: known.map { "--\($0.name)" })
      throw usage(
        "\(verb.name) has no option \(parts[0])" + (near.map { "; did you mean \($0)?" } ?? ""))
    }
    if values[option.name] != nil, !option.repeats {
      throw usage("--\(option.name) is given twice")
    }
    let value: String
    if let attached {
      value = attached
    } else {
      value = try Self.value(of: option, from: &rest, in: verb)
    }
    if option.value == .none, attached != nil {
      throw usage("--\(option.name) takes no value")
    }
    try check(value, of: option)
    values[option.name, default: []].append(value)
  }

  private static func value(
    of option: Option, from rest: inout ArraySlice<String>, in verb: Verb
  ) throws(Failure) -> String {
    guard option.value != .none else { return "" }
    guard let value = rest.popFirst(), !value.hasPrefix("--") else {
      throw .usage(
        "--\(option.name) needs a value: \(option.usage)", next: "locationctl \(verb.name) --help")
    }
    return value
  }

  private func check(_ value: String, of option: Option) throws(Failure) {
    switch option.value {
    case .none, .text: break
    case .choice(let words):
      guard words.contains(value) else {
        throw usage(
          "--\(option.name) cannot be \"\(value)\": one of \(words.joined(separator: ", "))")
      }
    case .number(_, let range):
      guard let number = Double(value), range.contains(number) else {
        throw usage(
          "--\(option.name) cannot be \"\(value)\": a number from \(range.lowerBound.plain)"
            + " to \(range.upperBound.plain)")
      }
    case .wholeNumber(_, let range):
      guard let number = Int(value), range.contains(number) else {
        throw usage(
          "--\(option.name) cannot be \"\(value)\": a whole number from \(range.lowerBound)"
            + " to \(range.upperBound)")
      }
    case .source:
      do throws(SourceFault) { _ = try Source(url: value) } catch {
        throw usage("\(error)")
      }
    }
  }

  private func checkOperands() throws(Failure) {
    if operands.count > verb.operands.count, verb.operands.last?.repeats != true {
      throw usage("\"\(operands[verb.operands.count])\" is one word too many")
    }
    if let missing = verb.operands.dropFirst(operands.count).first(where: { !$0.isOptional }) {
      throw usage("\(missing.name) is missing: \(missing.summary)")
    }
    for (operand, word) in zip(verb.operands, operands)
    where !operand.choices.isEmpty && !operand.choices.contains(word) {
      throw usage(
        "\(operand.name) cannot be \"\(word)\": one of \(operand.choices.joined(separator: ", "))")
    }
  }

  // MARK: Requests

  var isHelpWanted: Bool { has(.help) }

  func has(_ option: Option) -> Bool { values[option.name] != nil }

  func text(_ option: Option) -> String? { values[option.name]?.last }

  /// Every value of an option that may be repeated, in order.
  func texts(_ option: Option) -> [String] { values[option.name] ?? [] }

  func number(_ option: Option) -> Double? { text(option).flatMap { Double($0) } }

  func wholeNumber(_ option: Option) -> Int? { text(option).flatMap { Int($0) } }

  func operand(_ index: Int) -> String? { operands.indices.contains(index) ? operands[index] : nil }

  /// The URLs behind each `--source`, in order.
  var sources: [String] { values[Option.source.name] ?? [] }

  /// A mistake in what was typed behind this verb.
  func usage(_ cause: String) -> Failure {
    .usage(cause, next: "locationctl \(verb.name) --help")
  }
}

extension Double {
  /// Without a fraction where there is none.
  var plain: String { Int(exactly: self).map(String.init) ?? "\(self)" }
}
