/// A verb of the program: a row of the command table.
///
/// Parsing, `--help`, completion, and the manual page are all made from these rows. A new verb is
/// one file and one line in `Verb.all`.
struct Verb: Sendable {
  var name: String
  /// One line, without a period at its end.
  var summary: String
  /// The text of help and manual after the summary; a paragraph for each element.
  var details: [String] = []
  var operands: [Operand] = []
  var options: [Option] = []
  /// Command lines worth copying.
  var examples: [String] = []
  var run: @Sendable (Invocation) async throws -> Void

  /// A word that stands without dashes.
  struct Operand: Hashable, Sendable {
    /// Capital letters, as help shows it.
    var name: String
    var summary: String
    /// The words that may stand here; none when any may.
    var choices: [String] = []
    var isOptional = false
    /// Whether more such words may follow; only the last operand of a verb.
    var repeats = false
    /// Words that completion offers, among others that may stand here.
    var hints: [String] = []
  }

  /// Every verb, in the order in which help lists them.
  static let all: [Verb] = [
    watch, once, heading, beacons, advertise, geocode, reverse, simulate, location, explain, soak,
    record,
    replay, fleet, console, top, status, apps, authorize, agent, services, monitor, log, data, map,
    doctor,
    setup, help,
    version,
    completion,
  ]

  static func named(_ name: String) -> Verb? { all.first { $0.name == name } }

  /// The way to write it: `authorize [--list] [APP] [LEVEL]`.
  var synopsis: String {
    let words =
      options.map { "[\($0.usage)]\($0.repeats ? "…" : "")" }
      + operands.map { ($0.isOptional ? "[\($0.name)]" : $0.name) + ($0.repeats ? "…" : "") }
    return ([name] + words).joined(separator: " ")
  }
}
