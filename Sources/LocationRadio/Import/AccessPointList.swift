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
    /// More than ``most``.
    case tooMany
    /// No row can be used.
    case empty
  }

  /// In the order of the file.
  package private(set) var entries: [Entry] = []
  /// The rows that were not used, by reason.
  package private(set) var refusals = ImportRefusals()

  /// - Parameter bytes: the contents of the file.
  /// - Throws: why it is no list.
  package init(_ bytes: [UInt8]) throws(Fault) {
    // An editor may have put a byte order mark before the first line, and WiGLE one about the app.
    let text = bytes.starts(with: Self.mark) ? bytes[3...] : bytes[...]
    var lines = text.split(separator: UInt8(ascii: "\n"))
      .drop { $0.starts(with: "WigleWifi".utf8) }.makeIterator()
    guard let first = lines.next(), first.count <= RadioImport.longestLine,
      let columns = Columns(CSVRow.fields(of: Self.row(first)))
    else { throw .noColumns }
    var known: Set<BSSID> = []
    while let line = lines.next() {
      guard line.count <= RadioImport.longestLine else {
        refusals.note(.tooLong)
        continue
      }
      switch columns.entry(in: CSVRow.fields(of: Self.row(line))) {
      case .failure(let refusal): refusals.note(refusal)
      case .success(let entry):
        guard known.insert(entry.address).inserted else { continue }
        guard entries.count < Self.most else { throw .tooMany }
        entries.append(entry)
      }
    }
    guard !entries.isEmpty else { throw .empty }
  }

  private static let mark: [UInt8] = [0xef, 0xbb, 0xbf]

  private static func row(_ line: ArraySlice<UInt8>) -> [UInt8] {
    Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
  }

  /// Where the columns that are needed stand.
  private struct Columns {
    var address: Int
    var latitude: Int
    var longitude: Int
    var name: Int?
    /// Why an access point would not be used, where the list has no names: some of `h`, `m`, and `n`.
    var flags: Int?

    init?(_ header: [String]) {
      typealias Column = ObservationTable.Column
      guard let address = Column.address.index(in: header),
        let latitude = Column.latitude.index(in: header),
        let longitude = Column.longitude.index(in: header)
      else { return nil }
      (self.address, self.latitude, self.longitude) = (address, latitude, longitude)
      name = Column.name.index(in: header)
      flags = header.firstIndex(of: "flags")
    }

    func entry(in fields: [String]) -> Result<Entry, ImportRefusal> {
      func text(_ column: Int?) -> String? {
        column.flatMap { $0 < fields.count ? fields[$0] : nil }
      }
      guard let address = text(address).flatMap({ BSSID(address: $0) }) else {
        return .failure(.noAddress)
      }
      let place = ImportRule.place(
        text(latitude).flatMap { Double($0) }, text(longitude).flatMap { Double($0) })
      guard let place else { return .failure(.noPlace) }
      if name != nil, let refusal = NetworkName.refusal(of: text(name) ?? "") {
        return .failure(ImportRefusal(refusal))
      }
      let marks = text(flags) ?? ""
      if marks.contains("h") { return .failure(.hidden) }
      if marks.contains("m") { return .failure(.mobile) }
      if marks.contains("n") { return .failure(.optedOut) }
      return .success(Entry(address: address, place: place))
    }
  }

  /// Access points of a list. Chosen: a city of a million people.
  package static let most = 200_000
}
