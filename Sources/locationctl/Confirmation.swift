import Glibc

extension Option {
  /// Goes on without a question where one is asked.
  static func isSure(_ summary: String) -> Option { Option(name: "yes", summary: summary) }
}

extension Invocation {
  /// Asks a person at the terminal whether to go on, unless `--yes` was given.
  ///
  /// - Parameters:
  ///   - consequence: what happens, as a sentence.
  ///   - what: what was typed that needs it.
  /// - Throws: that nobody can be asked, or that the answer is no.
  func confirm(_ consequence: String, _ what: String) throws(Failure) {
    guard !has(.isSure("")) else { return }
    guard isatty(STDIN_FILENO) == 1 else {
      throw usage("\(what) needs --yes where nobody can be asked")
    }
    Output.error.line("\(consequence) Go on? [y/N]")
    guard ["y", "yes"].contains(readLine()?.lowercased()) else {
      throw .refused("nothing was changed", next: nil)
    }
  }
}
