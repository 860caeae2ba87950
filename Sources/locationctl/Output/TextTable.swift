import LocationModel

/// Rows of words under a heading, each column as wide as its widest word.
struct TextTable {
  private var rows: [[String]]
  /// Columns of numbers stand at the right.
  private let numbers: Set<Int>

  init(_ heading: [String], numbers: Set<Int> = []) {
    rows = [heading]
    self.numbers = numbers
  }

  mutating func add(_ row: [String]) {
    rows.append(row.map { $0.escapedForDisplay(limit: 4096) })
  }

  /// The lines; the heading is dim on a terminal.
  func lines(for output: Output) -> [String] {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.enumerated().map { number, row in
      var line = row.enumerated().map { column, word in
        let space = String(repeating: " ", count: widths[column] - word.count)
        return numbers.contains(column) ? space + word : word + space
      }.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return number == 0 ? output.styled(line, .dim) : line
    }
  }
}

extension Output {
  /// Writes a table, or a text when it has no rows.
  func table(_ table: TextTable, whenEmpty words: String) {
    let lines = table.lines(for: self)
    guard lines.count > 1 else { return line(words) }
    for text in lines { line(text) }
  }
}
