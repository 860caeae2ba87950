import Foundation
import Testing

/// A table of bounds in docs/formats/link.md.
package enum BoundsTable {
  /// The values by their names, of the table whose first column has this heading; each row must say why,
  /// and what happens when the bound is reached.
  package static func values(of heading: String) throws -> [String: Int] {
    let file = SharedData.packageRoot.appending(path: "docs/formats/link.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let rows = text.split(separator: "\n").drop {
      $0 != "| \(heading) | value | why | when it is reached |"
    }
    .dropFirst(2).prefix { $0.hasPrefix("|") }
    var values: [String: Int] = [:]
    for row in rows {
      let cells = row.split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
      try #require(cells.count == 6, "\(row)")
      #expect(!cells[3].isEmpty && !cells[4].isEmpty, "\(row)")
      values[cells[1]] = Int(cells[2].replacing(",", with: ""))
    }
    return values
  }
}
