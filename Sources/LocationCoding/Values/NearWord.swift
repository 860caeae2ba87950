/// The word of a list that was probably meant by one that is not in it.
package enum NearWord {
  /// Returns the word with the fewest letters that are other ones, missing, too many, or swapped with their
  /// neighbors; `nil` where none is near. Case does not matter, and of equally near words the first counts.
  package static func find(for typed: String, among words: [String]) -> String? {
    let typed = Array(typed.lowercased().prefix(longest))
    let near = words.map { (word: $0, mistakes: mistakes(typed, Array($0.lowercased()))) }
    guard let best = near.min(by: { $0.mistakes < $1.mistakes }) else { return nil }
    // Chosen: one mistake in three letters.
    return best.mistakes <= max(1, best.word.count / 3) ? best.word : nil
  }

  /// Letters of what was typed that are looked at.
  private static let longest = 64

  private static func mistakes(_ one: [Character], _ other: [Character]) -> Int {
    var rows = [Array(0...other.count)]
    for i in one.indices {
      var row = [i + 1]
      for j in other.indices {
        var least = min(
          rows[i][j] + (one[i] == other[j] ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
          least = min(least, rows[i - 1][j - 1] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[one.count][other.count]
  }
}
