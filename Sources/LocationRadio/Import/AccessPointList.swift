package import LocationModel

/// Access points and where they are: a list as of a city, of which a simulated world is laid out.
///
/// Understood are rows of comma-separated values with an address, a latitude, and a longitude, by any of
/// the names that ``RadioImport`` knows. Of an address that stands in several rows, the first counts.
package struct AccessPointList: Sendable {
  package struct Entry: Hashable, Sendable {
    package var address: BSSID
    package var place: Coordinate
  }

  /// Why a file is no such list.
  package enum Fault: Error, Hashable, Sendable {
    /// The first line does not name the columns that are needed.
    case noColumns
    /// More than a list may have.
    case tooMany
    /// No row can be used: how many were not, by reason.
    case empty(ImportRefusals)
  }

  /// In the order of the file.
  package private(set) var entries: [Entry] = []
  /// The rows that were not used, by reason.
  package private(set) var refusals = ImportRefusals()

  /// - Parameters:
  ///   - bytes: the contents of the file.
  ///   - most: the access points that it may have.
  /// - Throws: why it is no list.
  package init(_ bytes: [UInt8], most: Int = Self.most) throws(Fault) {
    // An editor may have put a byte order mark before the first line, and WiGLE one about the app.
    let text = bytes.starts(with: Self.mark) ? bytes[3...] : bytes[...]
    var lines = text.split(separator: UInt8(ascii: "\n"))
      .drop { $0.starts(with: "WigleWifi".utf8) }.makeIterator()
    guard let first = lines.next(), first.count <= RadioImport.longestLine,
      let columns = ObservationTable.Columns(
        CSVRow.fields(of: Self.row(first)), needed: [.address, .latitude, .longitude])
    else { throw .noColumns }
    var known: Set<BSSID> = []
    while let line = lines.next() {
      guard line.count <= RadioImport.longestLine else {
        refusals.note(.tooLong)
        continue
      }
      switch Self.entry(columns, in: CSVRow.fields(of: Self.row(line))) {
      case .failure(let refusal): refusals.note(refusal)
      case .success(let entry):
        guard known.insert(entry.address).inserted else { continue }
        guard entries.count < most else { throw .tooMany }
        entries.append(entry)
      }
    }
    guard !entries.isEmpty else { throw .empty(refusals) }
  }

  private static let mark: [UInt8] = [0xef, 0xbb, 0xbf]

  private static func row(_ line: ArraySlice<UInt8>) -> [UInt8] {
    Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
  }

  private static func entry(
    _ columns: ObservationTable.Columns, in fields: [String]
  ) -> Result<Entry, ImportRefusal> {
    columns.accessPoint(in: fields).flatMap { entry in
      // Why it would not be used, where the list has no names: some of `h`, `m`, and `n`.
      let flags = columns.text(.flags, in: fields) ?? ""
      if flags.contains("h") { return .failure(.hidden) }
      if flags.contains("m") { return .failure(.mobile) }
      if flags.contains("n") { return .failure(.optedOut) }
      return .success(entry)
    }
  }

  /// Access points of a list. Chosen: a city of a million people.
  package static let most = 200_000
}
