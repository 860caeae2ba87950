import LocationModel
import LocationSQLite

/// Reads the place index (docs/formats/place-index.md). One thread at a time.
final class PlaceIndex {
  let database: Database
  let folding: NameFolding
  /// What must be shown where answers are shown.
  let attribution: String
  /// Whether it was made from a source with postal codes; without them no text is taken for one.
  let hasPostalCodes: Bool
  private var rows: [Int: PlaceRow] = [:]
  private var zones: [Int: String] = [:]

  /// The format this code reads.
  static let format = 1
  /// Rows kept in memory, about 200 bytes each.
  private static let rowLimit = 4096

  init(path: String) throws(DatabaseError) {
    database = try Database(placesIn: path)
    let format = try database.meta("format") { $0.integer(0) }
    guard format == Self.format else {
      throw DatabaseError(
        code: DatabaseError.notADatabase, message: "not a place index of format \(Self.format)")
    }
    attribution = try database.meta("attribution") { $0.text(0) } ?? ""
    let table = try database.meta("folding") { $0.withBytes(0) { [UInt8]($0) } }
    folding = NameFolding(table: table ?? [])
    hasPostalCodes = try database.statement("SELECT 1 FROM postal_cell LIMIT 1").step()
  }

  /// The row of one place.
  func row(_ rank: Int) throws(DatabaseError) -> PlaceRow? {
    if let known = rows[rank] { return known }
    let statement = try database.statement(
      "SELECT name, kind, position, reach, parent, zone FROM place WHERE id = ?")
    guard statement.bind(Int64(rank), at: 1).step() else { return nil }
    let row = PlaceRow(
      rank: rank, name: statement.text(0) ?? "",
      kind: PlaceKind(rawValue: statement.integer(1)) ?? .settlement,
      position: GridPosition(bits: UInt64(truncatingIfNeeded: statement.integer(2))),
      reach: Double(statement.integer(3)) * PlaceRow.reachStep,
      parent: statement.optionalInteger(4), zone: statement.optionalInteger(5))
    if rows.count >= Self.rowLimit { rows.removeAll(keepingCapacity: true) }
    rows[rank] = row
    return row
  }

  /// A place and everything it belongs to, smallest first: at most county, state, country.
  func lineage(of rank: Int) throws(DatabaseError) -> [PlaceRow] {
    var lineage: [PlaceRow] = []
    var next: Int? = rank
    while let rank = next, lineage.count < 5, let row = try row(rank) {
      lineage.append(row)
      next = row.parent
    }
    return lineage
  }

  /// The time zone of a place: its own, or that of the first whole which differs from its whole.
  func zone(of lineage: [PlaceRow]) throws(DatabaseError) -> String? {
    guard let zone = lineage.lazy.compactMap(\.zone).first else { return nil }
    if let name = zones[zone] { return name }
    let statement = try database.statement("SELECT name FROM zone WHERE id = ?")
    guard statement.bind(Int64(zone), at: 1).step() else { return nil }
    zones[zone] = statement.text(0)
    return zones[zone]
  }

  /// The ISO code of a country, or the GeoNames code of a state (`US.CA`).
  func code(of rank: Int) throws(DatabaseError) -> String? {
    let statement = try database.statement("SELECT code FROM code WHERE place = ?")
    return statement.bind(Int64(rank), at: 1).step() ? statement.text(0) : nil
  }

  /// A place's name as the reader of `locale` knows it; the index knows states and larger places
  /// by script and countries by language.
  func name(of row: PlaceRow, in locale: PlaceLocale) throws(DatabaseError) -> String {
    if row.kind == .country {
      let statement = try database.statement(
        "SELECT name FROM country_name WHERE language = ? AND country = ?")
      statement.bind(locale.language, at: 1).bind(Int64(row.rank), at: 2)
      if statement.step(), let name = statement.text(0) { return name }
    }
    let scripts = locale.scripts
    guard !scripts.isEmpty else { return row.name }
    let statement = try database.statement("SELECT names FROM local_name WHERE place = ?")
    guard statement.bind(Int64(row.rank), at: 1).step(), let names = statement.text(0) else {
      return row.name
    }
    for script in scripts {
      for entry in names.split(separator: "|") where entry.hasPrefix(script + "=") {
        return String(entry.dropFirst(script.count + 1))
      }
    }
    return row.name
  }
}

/// What a row of the index stands for.
enum PlaceKind: Int {
  case settlement = 0
  /// A part of a larger settlement.
  case quarter = 1
  /// A second-level division.
  case county = 2
  /// A first-level division.
  case state = 3
  case country = 4
}

/// A row of the index.
struct PlaceRow: Hashable {
  /// The row's number; the most important place has the smallest.
  var rank: Int
  var name: String
  var kind: PlaceKind
  var position: GridPosition
  /// Meters: the radius of a round town of this population.
  var reach: Double
  /// The smallest larger whole, a rank.
  var parent: Int?
  /// Absent where the whole has the same zone.
  var zone: Int?

  /// Meters.
  static let reachStep = 200.0
}
