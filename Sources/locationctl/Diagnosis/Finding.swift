import LocationCoding
import LocationModel

/// One thing that was looked at: its state, and what to do about it.
struct Finding: Hashable, Sendable {
  enum Verdict: String, Sendable {
    case good, doubtful, bad
  }

  /// What was looked at: a source URL, an app, `sources`.
  var subject: String
  /// A word for programs, such as `gpsd_unreachable`.
  var code: String
  var verdict: Verdict
  /// The text of the finding.
  var message: String
  /// What a person does next; `nil` when there is nothing to do.
  var next: String?

  var json: String {
    var line = JSONLine(type: "finding")
    line.add("subject", subject)
    line.add("code", code)
    line.add("ok", flag: verdict == .good)
    line.add("message", message)
    line.add("next", next)
    return line.text
  }

  /// A few lines for people; the first begins with a mark.
  func text(_ output: Output) -> String {
    let mark =
      switch verdict {
      case .good: output.styled("ok  ", .good)
      case .doubtful: output.styled("?   ", .doubtful)
      case .bad: output.styled("no  ", .bad)
      }
    func shown(_ text: String) -> String { text.escapedForDisplay(limit: .max) }
    let step = next.map { "\n    next: \(shown($0))" } ?? ""
    return "\(mark)\(shown(subject))\n    found: \(shown(message))\(step)"
  }
}
