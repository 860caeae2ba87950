package import LocationModel

/// Reads a file of somebody else's observations, a piece at a time: what was received where, or where
/// a list places transmitters.
///
/// Understood are CSV of NeoStumbler, WiGLE, OpenCellID, and Mozilla's cell lists, geosubmit JSON of
/// Ichnaea, as lines or as one document, and what `locationctl map export` writes. Memory does not
/// grow with the file.
package struct RadioImport: Sendable {
  /// What kind of file it is, as its first line shows.
  private enum Format: Sendable {
    case undecided
    case observations(ObservationTable)
    case cells(CellTable)
    case json(JSONItems)
    case unknown
  }

  private var format = Format.undecided
  /// The beginning of a line whose end has not come.
  private var line: [UInt8] = []
  private var isTooLong = false
  package private(set) var refusals = ImportRefusals()
  private let now: UnixTime

  /// - Parameter now: later dates are not believed.
  package init(now: UnixTime) {
    self.now = now
  }

  /// Whether the file is of a form that is understood, as far as it has been read.
  package var isUnderstood: Bool {
    if case .unknown = format { false } else { true }
  }

  /// Takes the next bytes of the file, and returns what they complete.
  package mutating func read(_ bytes: some Sequence<UInt8>) -> [RadioObservation] {
    var found: [RadioObservation] = []
    for byte in bytes {
      if case .json = format {
        take(byte, &found)
      } else if byte == UInt8(ascii: "\n") {
        endLine(&found)
      } else if line.count < Self.longestLine {
        line.append(byte)
        if case .undecided = format, Self.beginsJSON(line) {
          format = .json(JSONItems())
          let begun = line
          line = []
          for byte in begun { take(byte, &found) }
        }
      } else {
        isTooLong = true
      }
    }
    return found
  }

  /// Takes the end of the file.
  package mutating func finish() -> [RadioObservation] {
    var found: [RadioObservation] = []
    if !line.isEmpty { endLine(&found) }
    switch format {
    case .observations(var table):
      found += table.finish(at: now, &refusals)
      format = .observations(table)
    case .json(let items): if items.isWithin { refusals.note(.notUnderstood) }
    case .undecided, .cells, .unknown: break
    }
    return found
  }

  private mutating func take(_ byte: UInt8, _ found: inout [RadioObservation]) {
    guard case .json(var items) = format else { return }
    format = .undecided
    let item = items.take(byte)
    format = .json(items)
    switch item {
    case nil: break
    case .tooLong?: refusals.note(.tooLong)
    case .item(let bytes)?:
      found += RadioItem.observations(parsing: bytes, at: now, &refusals)
    }
  }

  private mutating func endLine(_ found: inout [RadioObservation]) {
    defer { (line, isTooLong) = ([], false) }
    guard !isTooLong else { return refusals.note(.tooLong) }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    guard !line.isEmpty else { return }
    let fields = CSVRow.fields(of: line)
    switch format {
    case .undecided: decide(fields, &found)
    case .observations(var table):
      format = .undecided
      found += table.take(fields, at: now, &refusals)
      format = .observations(table)
    case .cells(let table): found += table.take(fields, at: now, &refusals)
    case .json: break
    case .unknown: refusals.note(.notUnderstood)
    }
  }

  private mutating func decide(_ fields: [String], _ found: inout [RadioObservation]) {
    var fields = fields
    // An editor may have put a byte order mark before the first.
    if let first = fields.first, first.unicodeScalars.first == "\u{FEFF}" {
      fields[0] = String(first.unicodeScalars.dropFirst())
    }
    // WiGLE writes a line about the app before the names of the columns.
    if fields.first?.hasPrefix("WigleWifi") ?? false { return }
    if let table = CellTable(header: fields) {
      format = .cells(table)
    } else if let table = ObservationTable(header: fields) {
      format = .observations(table)
    } else if CellTable.isRow(fields) {
      format = .cells(.standard)
      found += CellTable.standard.take(fields, at: now, &refusals)
    } else {
      format = .unknown
      refusals.note(.notUnderstood)
    }
  }

  private static func beginsJSON(_ line: [UInt8]) -> Bool {
    // A byte order mark may come first.
    let first = line.first { $0 > 0x20 && ![0xef, 0xbb, 0xbf].contains($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// Bytes. Chosen: no row of these files has a tenth of it.
  package static let longestLine = 65_536
}

/// The fields of a line of comma-separated values.
enum CSVRow {
  static func fields(of line: [UInt8]) -> [String] {
    var fields: [String] = []
    var field: [UInt8] = []
    var isQuoted = false
    for byte in line {
      switch byte {
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: ",") where !isQuoted:
        fields.append(String(decoding: field, as: UTF8.self))
        field = []
        if fields.count > mostFields { return fields }
      default: field.append(byte)
      }
    }
    fields.append(String(decoding: field, as: UTF8.self))
    return fields
  }

  private static let mostFields = 64
}

/// The numbers of an import, as far as they may be believed.
enum ImportRule {
  /// Returns a place; `nil` off the earth, and for 0, 0, which means that there was none.
  static func place(_ latitude: Double?, _ longitude: Double?) -> Coordinate? {
    guard let latitude, let longitude else { return nil }
    let place = Coordinate(latitude: latitude, longitude: longitude)
    return place.isValid && (latitude != 0 || longitude != 0) ? place : nil
  }

  /// Returns a date, up to a day after now, because clocks differ; `nil` for any other.
  static func date(_ time: UnixTime?, now: UnixTime) -> UnixTime? {
    guard let time, time.seconds > earliest, time.seconds <= now.seconds + 86_400 else {
      return nil
    }
    return min(time, now)
  }

  /// Whether a place may be taught.
  static func isAccurate(_ accuracy: Double?, speed: Double?) -> Bool {
    let accuracy = accuracy ?? 0
    let speed = speed ?? 0
    return accuracy >= 0 && accuracy <= worstAccuracy && speed <= fastest
  }

  static func isLevel(_ level: Double?) -> Bool {
    level.map { (-130.0 ... -10).contains($0) } ?? true
  }

  /// Returns a cell; `nil` for numbers that no network has, and for those that several cells have.
  static func cell(
    _ radio: String, country: Int?, network: Int?, area: Int?, cell: UInt64?
  ) -> CellIdentity? {
    let radios: [String: CellIdentity.Radio] = [
      "gsm": .gsm, "umts": .umts, "wcdma": .umts, "lte": .lte, "nr": .nr, "5gnr": .nr,
    ]
    guard let radio = radios[radio.lowercased()], let country, (1...999).contains(country),
      let network, (0...999).contains(network), let cell, cell > 0
    else { return nil }
    let bits: UInt64 = radio == .gsm ? 16 : radio == .nr ? 36 : 28
    guard cell < (1 << bits) - 1 else { return nil }
    let identity = CellIdentity(
      radio: radio, country: country, network: network, area: area, cell: cell)
    return RadioStationNames.isDistinct(identity) ? identity : nil
  }

  /// 2000-01-01.
  private static let earliest = 946_684_800.0
  /// Meters.
  private static let worstAccuracy = 30.0
  /// Meters per second.
  private static let fastest = 15.0
}
