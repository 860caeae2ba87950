internal import LocationCoding
internal import LocationModel

/// One thing of a fleet that was looked at: its state, and what to do about it. Its forms are those of what
/// `locationctl doctor` prints.
package struct FleetFinding: Hashable, Sendable {
  package enum Verdict: String, Sendable {
    case good, doubtful, bad
  }

  /// What was looked at: the address of a server, `partitions`, the name of a sink.
  package var subject: String
  /// A word for programs, such as `server_unreachable`.
  package var code: String
  package var verdict: Verdict
  /// The text of the finding.
  package var message: String
  /// What a person does next; `nil` when there is nothing to do.
  package var next: String?

  package init(
    _ subject: String, _ code: String, _ verdict: Verdict, _ message: String, next: String? = nil
  ) {
    (self.subject, self.code, self.verdict) = (subject, code, verdict)
    (self.message, self.next) = (message, next)
  }

  package var json: String {
    var line = JSONLine(type: "finding")
    line.add("subject", subject)
    line.add("code", code)
    line.add("ok", flag: verdict == .good)
    line.add("message", message)
    line.add("next", next)
    return line.text
  }

  /// A few lines for people; the first begins with a mark.
  package var text: String {
    let mark =
      switch verdict {
      case .good: "ok  "
      case .doubtful: "?   "
      case .bad: "no  "
      }
    func shown(_ text: String) -> String { text.escapedForDisplay(limit: .max) }
    let step = next.map { "\n    next: \(shown($0))" } ?? ""
    return "\(mark)\(shown(subject))\n    found: \(shown(message))\(step)"
  }
}
