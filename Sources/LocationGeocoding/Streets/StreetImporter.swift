import Glibc
import LocationSQLite

/// Makes an address index from an OpenStreetMap extract.
package enum StreetImporter {
  /// Why an import did not happen.
  package enum Failure: Error, Hashable, Sendable {
    /// The extract is not there or cannot be read.
    case extractUnreadable(String)
    /// Its name is none of those that osmium reads.
    case notAnExtract
    /// There is no place index, whose folding of names is needed.
    case placesMissing(String)
    /// Debian's `osmium-tool` is not installed.
    case osmiumMissing
    /// Osmium ended with a status other than 0; the reason is on standard error.
    case osmiumFailed(status: Int32)
    /// The index could not be written.
    case unwritable(String)
    /// The file is readable but holds no street and no address.
    case nothingToImport
  }

  /// Lines between two reports.
  private static let reportInterval = 10_000

  /// Imports an extract; the index appears at `output` complete, or not at all.
  ///
  /// `progress` is called every 10,000 features. The folding table is taken from the place index,
  /// so that both fold names alike.
  package static func run(
    extract: String, output: String, places: String? = IndexLocation.places.found,
    progress: (StreetImport.Summary) -> Void = { _ in }
  ) throws(Failure) -> StreetImport.Summary {
    let places = try check(extract, places: places)
    let temporary = output + ".part"
    unlink(temporary)
    do {
      let summary = try build(extract, temporary, places, progress)
      guard summary.streets + summary.addresses > 0 else { throw Failure.nothingToImport }
      guard rename(temporary, output) == 0 else { throw Failure.unwritable(output) }
      return summary
    } catch {
      unlink(temporary)
      switch error {
      case let failure as Failure: throw failure
      case let failure as DatabaseError: throw .unwritable(failure.message)
      case OsmiumExport.Failure.notInstalled: throw .osmiumMissing
      case OsmiumExport.Failure.failed(let status): throw .osmiumFailed(status: status)
      default: throw .unwritable("\(error)")
      }
    }
  }

  /// Checks what an import needs, before anything is made.
  ///
  /// - Returns: the place index.
  /// - Throws: that the extract cannot be one, or else that there is no place index.
  @discardableResult
  package static func check(
    _ extract: String, places: String? = IndexLocation.places.found
  ) throws(Failure) -> String {
    guard access(extract, R_OK) == 0 else { throw .extractUnreadable(extract) }
    let name = extract.split(separator: "/").last ?? ""
    guard name.split(separator: ".").dropFirst().contains(where: { suffixes.contains($0) }) else {
      throw .notAnExtract
    }
    guard let places else { throw .placesMissing(IndexLocation.places.advice) }
    return places
  }

  /// By which osmium knows the format of a file.
  private static let suffixes: [Substring] = ["osm", "pbf", "opl", "o5m", "osh", "xml"]

  private static func build(
    _ extract: String, _ path: String, _ places: String,
    _ progress: (StreetImport.Summary) -> Void
  ) throws -> StreetImport.Summary {
    let table =
      try Database(placesIn: places).meta("folding") {
        $0.withBytes(0) { [UInt8]($0) }
      } ?? []
    var index = try StreetImport(
      path: path, folding: NameFolding(table: table), foldingTable: table)
    var trouble: DatabaseError?
    try OsmiumExport(extract: extract, scratch: path + ".osm.pbf").forEachLine { line in
      do throws(DatabaseError) {
        try index.add(line: line)
      } catch {
        trouble = error
        return false
      }
      if index.summary.lines % reportInterval == 0 { progress(index.summary) }
      return true
    }
    if let trouble { throw trouble }
    return try index.finish()
  }
}
