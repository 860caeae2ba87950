import LocationSQLite

/// Builds an address index from the lines that osmium writes.
///
/// One pass; the parent street of a house without `addr:street` is found when it is asked for.
package struct StreetImport {
  /// What an import has done so far, or in all.
  package struct Summary: Hashable, Sendable {
    package var streets = 0
    package var addresses = 0
    package var pointsOfInterest = 0
    package var others = 0
    /// Features without use for addresses.
    package var skipped = 0
    /// Lines that could not be read.
    package var rejected = 0

    /// Every line seen.
    package var lines: Int {
      streets + addresses + pointsOfInterest + others + skipped + rejected
    }
  }

  private let writer: Database
  private let folding: NameFolding
  private var streets: [String: Int] = [:]
  private var features = 0
  private var houses: [OsmPoint: (number: Int, street: String?)] = [:]
  private var interpolations: [StreetFeature] = []
  private(set) var summary = Summary()

  static let format = 1

  init(path: String, folding: NameFolding, foldingTable: [UInt8]) throws(DatabaseError) {
    do throws(DatabaseError) { writer = try Database(path, for: .creating) } catch {
      throw DatabaseError(code: error.code, message: "\(path): \(error.message)")
    }
    self.folding = folding
    try writer.run(Self.schema)
    let meta = "INSERT INTO meta VALUES (?, ?)"
    try writer.insert(meta) { $0.bind("format", at: 1).bind(Int64(Self.format), at: 2) }
    try writer.insert(meta) { $0.bind("folding", at: 1).bind(foldingTable, at: 2) }
    try writer.insert(meta) {
      $0.bind("attribution", at: 1)
        .bind("© OpenStreetMap contributors, ODbL 1.0 (https://osm.org/copyright)", at: 2)
    }
  }

  /// Takes one line in; a line that cannot be read is counted.
  mutating func add(line: Substring) throws(DatabaseError) {
    let feature: OsmFeature
    do {
      feature = try OsmFeature(line: line)
    } catch {
      summary.rejected += 1
      return
    }
    guard let found = StreetFeature(feature) else {
      summary.skipped += 1
      return
    }
    switch found.kind {
    case .street: summary.streets += 1
    case .address: summary.addresses += 1
    case .interest: summary.pointsOfInterest += 1
    case .other: summary.others += 1
    case .interpolation:
      summary.others += 1
      interpolations.append(found)
      return
    }
    if case .point(let point) = found.shape, let number = found.number.flatMap({ Int($0) }) {
      houses[point] = (number, found.street)
    }
    try insert(found)
  }

  /// Writes what can only be known at the end, and closes the index.
  mutating func finish() throws(DatabaseError) -> Summary {
    for line in interpolations { try insertNumbered(line) }
    try writer.run(
      "CREATE INDEX house ON feature(street, number) WHERE street IS NOT NULL; COMMIT; VACUUM")
    return summary
  }

  /// A line of numbers is of use when both of its ends have one.
  private mutating func insertNumbered(_ line: StreetFeature) throws(DatabaseError) {
    guard case .line(let points) = line.shape, let first = points.first, let last = points.last,
      let start = houses[first], let end = houses[last]
    else { return }
    var numbered = line
    numbered.number = "\(start.number)-\(end.number)"
    numbered.street = line.street ?? start.street ?? end.street
    try insert(numbered)
  }

  private mutating func insert(_ feature: StreetFeature) throws(DatabaseError) {
    features += 1
    let identifier = Int64(features)
    let street = try feature.street.map { (s) throws(DatabaseError) in try self.street(s) }
    try writer.insert("INSERT INTO feature VALUES (?, ?, ?, ?, ?, ?, ?, ?)") { statement in
      statement.bind(identifier, at: 1).bind(Int64(feature.kind.rawValue), at: 2)
      if let name = feature.name { statement.bind(name, at: 3) }
      if let number = feature.number { statement.bind(number, at: 4) }
      if let street { statement.bind(Int64(street), at: 5) }
      if let locality = feature.locality { statement.bind(locality, at: 6) }
      if let code = feature.postalCode { statement.bind(code, at: 7) }
      statement.bind(feature.shape.packed, at: 8)
    }
    if feature.kind != .other {
      let (west, east, south, north) = feature.shape.box
      try writer.insert("INSERT INTO feature_box VALUES (?, ?, ?, ?, ?)") { statement in
        for (position, edge) in [west, east, south, north].enumerated() {
          statement.bind(Int64(edge), at: Int32(position) + 2)
        }
        statement.bind(identifier, at: 1)
      }
    }
    guard let name = feature.name else { return }
    let key = StreetFeature.key(folding.words(name))
    try writer.insert("INSERT INTO names(rowid, name) VALUES (?, ?)") {
      $0.bind(identifier, at: 1).bind(
        (key.count > 1 ? key : []).joined(separator: " ") + " " + key.joined(separator: "_"), at: 2)
    }
  }

  /// The number of a street's name; streets of the same name share it.
  private mutating func street(_ name: String) throws(DatabaseError) -> Int {
    let key = StreetFeature.key(folding.words(name)).joined(separator: "_")
    if let known = streets[key] { return known }
    let identifier = streets.count + 1
    streets[key] = identifier
    try writer.insert("INSERT INTO street VALUES (?, ?, ?)") {
      $0.bind(Int64(identifier), at: 1).bind(name, at: 2).bind(key, at: 3)
    }
    return identifier
  }

  private static let schema = """
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    BEGIN;
    CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE street(id INTEGER PRIMARY KEY, name TEXT, key TEXT UNIQUE);
    CREATE TABLE feature(
      id INTEGER PRIMARY KEY, kind INT, name TEXT, number TEXT, street INT, locality TEXT,
      code TEXT, shape BLOB);
    CREATE VIRTUAL TABLE feature_box USING rtree_i32(id, left, right, bottom, top);
    CREATE VIRTUAL TABLE names USING fts5(
      name, content='', detail=none, columnsize=0, tokenize="ascii tokenchars '_'");
    """
}
