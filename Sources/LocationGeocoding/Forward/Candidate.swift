import LocationModel
import LocationSQLite

/// A place that may be meant.
struct Candidate {
  var match: NameMatch
  var rank: Int
  /// The place and everything it belongs to.
  var lineage: [PlaceRow]
  /// Parts of the text that do not fit this place.
  var missing = 0
  var postalCode: PostalCode?

  init(match: NameMatch, rank: Int, lineage: [PlaceRow]) {
    self.match = match
    self.rank = rank
    self.lineage = lineage
  }

  var kind: PlaceKind { lineage.first?.kind ?? .settlement }

  var position: GridPosition {
    postalCode?.position ?? lineage.first?.position ?? GridPosition(bits: 0)
  }

  /// From 1 for the most important place to about 0 for the least: ranks grow, so their logarithm
  /// measures how exclusive the company is.
  var importance: Double { 1 - logarithm(Double(max(1, rank))) / 12.6 }

  /// Whether all of the text was matched, letter for letter.
  var isExact: Bool { missing == 0 && match <= .postalCode }

  /// Counts the qualifiers that do not fit.
  mutating func compare(
    with qualifiers: [Qualifier], index: PlaceIndex
  ) throws(DatabaseError) {
    for qualifier in qualifiers where try !qualifier.fits(self, index: index) { missing += 1 }
  }
}

/// A part of the text that says what the place belongs to.
struct Qualifier {
  /// The ranks of the wholes that have this name.
  private let wholes: Set<Int>
  /// The letters of a state's code, in capitals: "CA".
  private let code: String?
  /// The text itself, as a postal code.
  private let postal: String

  /// Ranks beyond this are no wholes that people name.
  private static let breadth = 200

  init(_ words: [String], index: PlaceIndex) throws(DatabaseError) {
    let names = try index.ranks(named: words, limit: Self.breadth)
    let others = try index.ranks(alsoNamed: words, limit: Self.breadth)
    wholes = Set(names + others)
    let isCode = words.count == 1 && (2...3).contains(words[0].utf8.count)
    code = isCode ? words[0].uppercased() : nil
    postal = words.joined()
  }

  func fits(_ candidate: Candidate, index: PlaceIndex) throws(DatabaseError) -> Bool {
    if candidate.lineage.contains(where: { wholes.contains($0.rank) }) { return true }
    if let name = candidate.postalCode?.name,
      index.folding.words(name).joined() == postal
    {
      return true
    }
    guard let code else { return false }
    for whole in candidate.lineage where whole.kind == .state || whole.kind == .country {
      guard let known = try index.code(of: whole.rank) else { continue }
      if known == code || known.hasSuffix("." + code) { return true }
    }
    return false
  }
}
