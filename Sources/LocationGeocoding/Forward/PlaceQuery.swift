/// A search text, cut into what is looked for and what only narrows it.
struct PlaceQuery: Hashable {
  /// The words of the name looked for.
  var name: [String]
  /// What the place should belong to, smallest first: "Ohio", "USA".
  var qualifiers: [[String]]

  /// Longer texts are cut here: no name of a place has more words. Chosen.
  private static let wordLimit = 12
  /// Characters; what is shorter is a house number.
  private static let shortestCode = 3

  /// The ways to read a text, the likelier first.
  ///
  /// "Springfield, Ohio, USA" says what narrows; in "San Jose California" every cut is tried, the
  /// longest name first.
  static func readings(of text: String, folding: NameFolding) -> [PlaceQuery] {
    let parts = text.split { ",;،、，\n".contains($0) }
      .map { Array(folding.words(String($0)).prefix(wordLimit)) }.filter { !$0.isEmpty }
    guard let first = parts.first else { return [] }
    let coded = parts.count > 1 || first.count > 1 ? codeReading(of: parts) : nil
    guard parts.count == 1 else {
      return [coded, PlaceQuery(name: first, qualifiers: Array(parts.dropFirst()))].compactMap {
        $0
      }
    }
    var readings = [coded, PlaceQuery(name: first, qualifiers: [])].compactMap { $0 }
    for length in stride(from: first.count - 1, to: 0, by: -1) {
      let (name, rest) = (Array(first[..<length]), Array(first[length...]))
      readings.append(PlaceQuery(name: name, qualifiers: [rest]))
      if rest.count > 1 {
        readings.append(
          PlaceQuery(name: name, qualifiers: [rest.dropLast(), rest.suffix(1)].map { Array($0) }))
      }
    }
    return readings
  }

  /// "Beverly Hills, CA 90210" as the postal code, narrowed by everything else.
  private static func codeReading(of parts: [[String]]) -> PlaceQuery? {
    let codes = parts.map { $0.filter(\.hasDigit) }
    guard let code = codes.last(where: { $0.joined().utf8.count >= shortestCode }) else {
      return nil
    }
    let rest = parts.map { $0.filter { !$0.hasDigit } }.filter { !$0.isEmpty }
    return PlaceQuery(name: code, qualifiers: rest)
  }

  /// Whether the name may be a postal code: with a digit, and no long word without one.
  var mayBePostalCode: Bool {
    name.count <= 3 && name.contains(where: \.hasDigit)
      && name.joined().utf8.count >= Self.shortestCode
      && name.allSatisfy { $0.hasDigit || $0.utf8.count <= 3 }
  }

  /// The readings left when nothing has the first part's name: the rest without it.
  var withoutName: PlaceQuery? {
    guard let next = qualifiers.first else { return nil }
    return PlaceQuery(name: next, qualifiers: Array(qualifiers.dropFirst()))
  }
}

/// How a candidate's name matched, best first.
enum NameMatch: Int, Comparable {
  case name, otherName, postalCode, misspelled, words, beginning

  static func < (left: NameMatch, right: NameMatch) -> Bool { left.rawValue < right.rawValue }

  /// What the match is worth, against 0.6 for the greatest importance. Chosen, on the queries of
  /// geocoder-tester.
  var worth: Double {
    switch self {
    case .name: 1
    case .otherName: 0.8
    case .postalCode: 0.95
    case .misspelled: 0.5
    case .words: 0.45
    case .beginning: 0.4
    }
  }
}

extension String {
  fileprivate var hasDigit: Bool { utf8.contains { (48...57).contains($0) } }
}
