import LocationModel
import LocationSQLite

/// Answers "where is Main Street 5?" from an address index.
struct StreetForwardSearch {
  let index: StreetIndex
  let limit: Int

  /// An address or a named thing that a text may mean.
  struct Answer {
    var entry: StreetIndex.Entry
    var street: String?
    var number: String?
    var coordinate: Coordinate
    /// Parts of the text that could not be matched: the number, or the rest.
    var isPartial = false
    /// Whether the whole name was matched, not some of its words.
    var isExact = false
    var score = 0.0
  }

  /// A text taken apart: "Im Sütigerwis 17" or "1001 East Main Street".
  private struct Query {
    var name: [String]
    var number: String?
  }

  private static let breadth = 200
  /// Meters: a settlement named in the text attracts streets about so far around. Chosen.
  private static let pull = 5000.0

  /// The answers for a text, best first. `anchors` are where the rest of the text lies.
  func answers(
    for parts: [[String]], anchors: [Coordinate], hint: RegionHint?
  ) throws(DatabaseError) -> [Answer] {
    guard let first = parts.first else { return [] }
    for query in queries(for: first, isAlone: parts.count == 1) {
      var found = try answers(for: query)
      guard !found.isEmpty else { continue }
      for position in found.indices {
        found[position].score += nearness(
          of: found[position].coordinate, anchors: anchors, hint: hint)
      }
      return Array(
        found.sorted { ($0.score, $1.entry.identifier) > ($1.score, $0.entry.identifier) }
          .prefix(limit))
    }
    return []
  }

  /// The ways to read the first part; without commas, its last words may be a settlement.
  private func queries(for words: [String], isAlone: Bool) -> [Query] {
    var queries = [Query(name: words, number: nil)]
    let shortest = isAlone ? 1 : words.count
    for length in stride(from: words.count, through: max(2, shortest), by: -1) {
      let some = Array(words[..<length])
      if let first = some.first, first.utf8.first.map({ (48...57).contains($0) }) == true {
        queries.append(Query(name: Array(some.dropFirst()), number: first))
      }
      if let last = some.last, last.utf8.first.map({ (48...57).contains($0) }) == true {
        queries.append(Query(name: Array(some.dropLast()), number: last))
      } else if length > 2, some[length - 1].utf8.count == 1,
        let number = some[length - 2].utf8.first, (48...57).contains(number)
      {
        // "5 b" is written "5b" on the house.
        let joined = some[length - 2] + some[length - 1]
        queries.append(Query(name: Array(some.dropLast(2)), number: joined))
      }
      if length < words.count { queries.append(Query(name: some, number: nil)) }
    }
    return queries
  }

  private func answers(for query: Query) throws(DatabaseError) -> [Answer] {
    let key = StreetFeature.key(query.name)
    if let number = query.number {
      let houses = try houses(number, key: key)
      if !houses.isEmpty { return houses }
    }
    var entries = try index.entries(named: key, limit: Self.breadth)
    if entries.isEmpty, key.count > 1, query.number == nil {
      entries = try index.entries(withWords: key, limit: Self.breadth)
    }
    return entries.map { entry in
      var answer = Answer(entry: entry, coordinate: entry.shape.center)
      if entry.kind == .street { answer.street = entry.name }
      answer.isPartial = query.number != nil
      answer.isExact =
        !answer.isPartial && StreetFeature.key(index.folding.words(entry.name ?? "")) == key
      answer.score = Self.prominence(of: entry) + (answer.isExact ? 1 : 0)
      return answer
    }
  }

  /// A settlement before a street, a street before what lies in it; of the pieces of a street the
  /// longest stands for it.
  private static func prominence(of entry: StreetIndex.Entry) -> Double {
    switch (entry.kind, entry.shape) {
    case (.other, .point): 0.3
    case (.street, _): 0.1 + min(0.1, entry.shape.length / 100_000)
    case (.other, _), (.address, _), (.interest, _), (.interpolation, _): 0
    }
  }

  private func houses(_ number: String, key: [String]) throws(DatabaseError) -> [Answer] {
    guard let street = try index.street(key: key) else { return [] }
    let name = try index.streetName(street)
    let houses = try index.houses(number: number, street: street).map {
      Answer(
        entry: $0, street: name, number: $0.number, coordinate: $0.shape.center, isExact: true)
    }
    guard houses.isEmpty, let wanted = Int(number) else { return houses }
    return try index.houses(street: street).compactMap { entry in
      guard let line = HouseNumberLine(entry), let position = line.position(of: wanted) else {
        return nil
      }
      return Answer(
        entry: entry, street: name, number: number, coordinate: position, isExact: true)
    }
  }

  private func nearness(
    of point: Coordinate, anchors: [Coordinate], hint: RegionHint?
  ) -> Double {
    let distance = anchors.map { sphericalDistance($0, point) }.min()
    var score = distance.map { exponential(-$0 / Self.pull) } ?? 0
    if let hint {
      score +=
        0.4 * exponential(-sphericalDistance(hint.center, point) / max(2 * hint.radius, 5000))
    }
    return score
  }
}
