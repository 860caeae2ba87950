import LocationSQLite

/// Finds ranks by name in the full-text tables of the index.
///
/// A whole name is one term of the tables `names` and `others`, its words joined by `_`; the table
/// `words` has the single words of longer names. Ranks come most important first, so a limit
/// keeps what matters.
extension PlaceIndex {
  /// The places of this very name.
  func ranks(named words: [String], limit: Int) throws(DatabaseError) -> [Int] {
    try ranks(in: .names, matching: Self.quoted(words), limit: limit)
  }

  /// The places that have this as another name.
  func ranks(alsoNamed words: [String], limit: Int) throws(DatabaseError) -> [Int] {
    try ranks(in: .others, matching: Self.quoted(words), limit: limit)
  }

  /// The places with all these words in their names.
  func ranks(withWords words: [String], limit: Int) throws(DatabaseError) -> [Int] {
    let all = words.map { Self.quoted([$0]) }.joined(separator: " AND ")
    return try ranks(in: .words, matching: all, limit: limit)
  }

  /// The places whose name begins so.
  func ranks(beginning words: [String], limit: Int) throws(DatabaseError) -> [Int] {
    try ranks(in: .names, matching: Self.quoted(words) + "*", limit: limit)
  }

  /// The places whose name differs in one letter.
  func ranks(almostNamed words: [String], limit: Int) throws(DatabaseError) -> [Int] {
    let terms = Misspellings.of(words.joined(separator: "_")).map { Self.quoted([$0]) }
    var found: [Int] = []
    for start in stride(from: 0, to: terms.count, by: Self.termsAtOnce) {
      let some = terms[start..<min(start + Self.termsAtOnce, terms.count)]
      found += try ranks(in: .names, matching: some.joined(separator: " OR "), limit: limit)
    }
    return Array(found.sorted().prefix(limit))
  }

  /// Numbers of postal codes.
  func postalCodeNumbers(_ words: [String], limit: Int) throws(DatabaseError) -> [Int] {
    try ranks(in: .codes, matching: "\"" + words.joined() + "\"", limit: limit)
  }

  private enum Table: String { case names, others, words, codes }

  private static let termsAtOnce = 200

  private func ranks(
    in table: Table, matching expression: String, limit: Int
  ) throws(DatabaseError) -> [Int] {
    let name = table.rawValue
    let statement = try database.statement(
      "SELECT rowid FROM \(name) WHERE \(name) MATCH ? ORDER BY rowid LIMIT ?")
    statement.bind(expression, at: 1).bind(Int64(limit), at: 2)
    var ranks: [Int] = []
    while statement.step() { ranks.append(statement.integer(0)) }
    return ranks
  }

  /// One term, safe within an expression: folded words hold no quotation mark.
  private static func quoted(_ words: [String]) -> String {
    "\"" + words.joined(separator: "_") + "\""
  }
}

/// The words at an edit distance of one.
enum Misspellings {
  /// Shorter words have too many neighbours that are names themselves. Chosen.
  private static let shortest = 4
  private static let longest = 32

  /// A letter left out, put in, changed, or two exchanged.
  static func of(_ word: String) -> [String] {
    let letters = Array(word)
    guard (shortest...longest).contains(letters.count) else { return [] }
    let alphabet = alphabet(of: letters)
    var found: Set<String> = []
    for place in 0...letters.count {
      let (head, tail) = (letters[..<place], letters[place...])
      for letter in alphabet {
        found.insert(String(head + [letter] + tail))
        if !tail.isEmpty { found.insert(String(head + [letter] + tail.dropFirst())) }
      }
      guard let next = tail.first else { continue }
      found.insert(String(head + tail.dropFirst()))
      if tail.count > 1 {
        found.insert(String(head + [tail[place + 1], next] + tail.dropFirst(2)))
      }
    }
    found.remove(word)
    return found.sorted()
  }

  private static func alphabet(of letters: [Character]) -> [Character] {
    let isCyrillic = letters.contains { ("а"..."я").contains($0) }
    return Array(
      isCyrillic ? "абвгдежзиклмнопрстуфхцчшщъыьэюяіїє_" : "abcdefghijklmnopqrstuvwxyz_")
  }
}
