/// Lines that stand in one place on a terminal and change there; elsewhere, lines one after the
/// other.
struct LiveTable {
  private var lines = 0

  mutating func show(_ new: [String]) {
    let output = Output.standard
    if output.isTerminal, lines > 0 { output.write("\u{1b}[\(lines)A\u{1b}[J") }
    for line in new { output.line(line) }
    lines = new.count
  }
}
