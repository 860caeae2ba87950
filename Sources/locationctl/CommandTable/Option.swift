/// A word that begins with two dashes, and what may follow it.
struct Option: Hashable, Sendable {
  /// What an option takes.
  enum Value: Hashable, Sendable {
    /// Nothing: it is there or not.
    case none
    case choice([String])
    /// The placeholder in help, and the range.
    case number(String, ClosedRange<Double>)
    case wholeNumber(String, ClosedRange<Int>)
    /// A source URL.
    case source
    case text(String)
  }

  /// Without the dashes.
  var name: String
  var value = Value.none
  var repeats = false
  var summary: String

  /// How it is written: `--count N`.
  var usage: String {
    switch value {
    case .none: "--\(name)"
    case .choice(let words): "--\(name) \(words.joined(separator: "|"))"
    case .number(let placeholder, _), .wholeNumber(let placeholder, _), .text(let placeholder):
      "--\(name) \(placeholder)"
    case .source: "--\(name) URL"
    }
  }

  /// The words that completion offers behind it.
  var choices: [String] {
    if case .choice(let words) = value { words } else { [] }
  }

  /// Whether a file or a folder may follow, as its placeholder says.
  var isFile: Bool {
    guard case .text(let placeholder) = value else { return false }
    return ["FILE", "FOLDER", "OUT"].contains { placeholder.hasPrefix($0) }
  }
}

// Options that several verbs share.
extension Option {
  static let help = Option(name: "help", summary: "Show this help")
  static let json = Option(name: "json", summary: "Print one JSON object per line")
  static let source = Option(
    name: "source", value: .source, repeats: true,
    summary: "Where positions come from; else $CORELOCATION_SOURCES, else the daemon where this "
      + "verb asks it, else gpsd on this machine")
  static let accuracy = Option(
    name: "accuracy", value: .choice(AccuracyLevel.allCases.map(\.rawValue)),
    summary: "How exact positions shall be; a request, not a filter")

  /// A bound on the whole run, in seconds.
  static func timeout(_ summary: String) -> Option {
    Option(name: "timeout", value: .number("SECONDS", 0.01...1_000_000_000), summary: summary)
  }
}
