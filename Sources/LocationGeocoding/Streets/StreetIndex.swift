import LocationModel
import LocationSQLite

/// Reads an address index. One thread at a time.
final class StreetIndex {
  let database: Database
  let folding: NameFolding
  let attribution: String

  /// A feature with its number and the number of its street's name.
  struct Entry {
    var identifier: Int
    var kind: StreetFeatureKind
    var name: String?
    var number: String?
    /// A number of the table of street names.
    var street: Int?
    var locality: String?
    var postalCode: String?
    var shape: StreetShape
  }

  init(path: String) throws(DatabaseError) {
    database = try Database(placesIn: path)
    let format = try database.meta("format") { $0.integer(0) }
    guard format == StreetImport.format else {
      throw DatabaseError(
        code: DatabaseError.notADatabase,
        message: "not an address index of format \(StreetImport.format)")
    }
    attribution = try database.meta("attribution") { $0.text(0) } ?? ""
    folding = NameFolding(
      table: try database.meta("folding") { $0.withBytes(0) { [UInt8]($0) } } ?? [])
  }

  private static let columns = "id, kind, name, number, street, locality, code, shape"

  /// The features whose boxes come within `radius` meters.
  func entries(
    within radius: Double, of neighborhood: Neighborhood
  ) throws(DatabaseError) -> [Entry] {
    var found: [Entry] = []
    for box in neighborhood.boxes(radius: radius) {
      let statement = try database.statement(
        """
        SELECT \(Self.columns) FROM feature_box JOIN feature USING (id)
        WHERE right >= ? AND left <= ? AND top >= ? AND bottom <= ?
        """)
      for (position, edge) in [box.west, box.east, box.south, box.north].enumerated() {
        statement.bind(edge * OsmPoint.stepsPerDegree, at: Int32(position) + 1)
      }
      while statement.step() { if let entry = Self.entry(statement) { found.append(entry) } }
    }
    return found
  }

  /// The streets that are lines, in a box.
  func lines(
    in box: DegreeBox, limit: Int
  ) throws(DatabaseError) -> [(name: String?, points: [OsmPoint])] {
    let statement = try database.statement(
      """
      SELECT \(Self.columns) FROM feature_box JOIN feature USING (id)
      WHERE right >= ? AND left <= ? AND top >= ? AND bottom <= ?
        AND kind = \(StreetFeatureKind.street.rawValue) ORDER BY id LIMIT ?
      """)
    for (position, edge) in [box.west, box.east, box.south, box.north].enumerated() {
      statement.bind(edge * OsmPoint.stepsPerDegree, at: Int32(position) + 1)
    }
    return Self.entries(statement.bind(Int64(limit), at: 5)).compactMap { entry in
      guard case .line(let points) = entry.shape else { return nil }
      return (entry.name, points)
    }
  }

  /// The houses with this number in streets of this name.
  func houses(number: String, street: Int) throws(DatabaseError) -> [Entry] {
    let statement = try database.statement(
      "SELECT \(Self.columns) FROM feature WHERE street = ? AND number = ? COLLATE NOCASE")
    return Self.entries(statement.bind(Int64(street), at: 1).bind(number, at: 2))
  }

  /// All houses in streets of this name, for what lies between them.
  func houses(street: Int) throws(DatabaseError) -> [Entry] {
    let statement = try database.statement(
      "SELECT \(Self.columns) FROM feature WHERE street = ? AND number IS NOT NULL LIMIT 2000")
    return Self.entries(statement.bind(Int64(street), at: 1))
  }

  /// The features of this name.
  func entries(named key: [String], limit: Int) throws(DatabaseError) -> [Entry] {
    try entries(matching: "\"" + key.joined(separator: "_") + "\"", limit: limit)
  }

  /// The features with all these words in their names.
  func entries(withWords words: [String], limit: Int) throws(DatabaseError) -> [Entry] {
    try entries(matching: words.map { "\"\($0)\"" }.joined(separator: " AND "), limit: limit)
  }

  private func entries(matching text: String, limit: Int) throws(DatabaseError) -> [Entry] {
    let statement = try database.statement(
      """
      SELECT \(Self.columns) FROM feature
      WHERE id IN (SELECT rowid FROM names WHERE names MATCH ? LIMIT ?)
      """)
    return Self.entries(statement.bind(text, at: 1).bind(Int64(limit), at: 2))
  }

  /// The number of a street's name, by its key.
  func street(key: [String]) throws(DatabaseError) -> Int? {
    let statement = try database.statement("SELECT id FROM street WHERE key = ?")
    return statement.bind(key.joined(separator: "_"), at: 1).step() ? statement.integer(0) : nil
  }

  func streetName(_ street: Int) throws(DatabaseError) -> String? {
    let statement = try database.statement("SELECT name FROM street WHERE id = ?")
    return statement.bind(Int64(street), at: 1).step() ? statement.text(0) : nil
  }

  private static func entries(_ statement: Statement) -> [Entry] {
    var found: [Entry] = []
    while statement.step() { if let entry = entry(statement) { found.append(entry) } }
    return found
  }

  private static func entry(_ statement: Statement) -> Entry? {
    guard let kind = StreetFeatureKind(rawValue: statement.integer(1)),
      let shape = statement.withBytes(7, { StreetShape(packed: $0) })
    else { return nil }
    return Entry(
      identifier: statement.integer(0), kind: kind, name: statement.text(2),
      number: statement.text(3), street: statement.optionalInteger(4),
      locality: statement.text(5), postalCode: statement.text(6), shape: shape)
  }
}
