internal import LocationModel

/// Comma-separated observations of access points, one in each row, as NeoStumbler and WiGLE export
/// them. Rows of one place and moment are one scan.
struct ObservationTable: Sendable {
  /// The columns that matter, by the names that exports use.
  enum Column: CaseIterable {
    case address, name, time, level, frequency, latitude, longitude, accuracy, speed, kind, flags

    fileprivate var names: [String] {
      switch self {
      case .address: ["mac", "bssid", "macaddress", "netid"]
      case .name: ["ssid"]
      case .time: ["firstseen", "timestamp", "time", "lasttime"]
      case .level: ["rssi", "signalstrength", "level", "bestlevel"]
      case .frequency: ["frequency"]
      case .latitude: ["currentlatitude", "latitude", "lat", "trilat"]
      case .longitude: ["currentlongitude", "longitude", "lon", "trilong"]
      case .accuracy: ["accuracymeters", "accuracy", "locationaccuracy"]
      case .speed: ["speed"]
      case .kind: ["type"]
      case .flags: ["flags"]
      }
    }
  }

  /// Where the columns stand in a row.
  struct Columns {
    private let indices: [Column: Int]

    /// Reads the names of the columns; `nil` if one that is needed is missing.
    init?(_ header: [String], needed: [Column]) {
      let header = header.map { $0.lowercased().filter { $0 != "_" && $0 != " " } }
      var indices: [Column: Int] = [:]
      for column in Column.allCases {
        indices[column] = header.firstIndex { column.names.contains($0) }
      }
      guard needed.allSatisfy({ indices[$0] != nil }) else { return nil }
      self.indices = indices
    }

    /// Returns what stands in a column of a row; `nil` for nothing.
    func text(_ column: Column, in fields: [String]) -> String? {
      indices[column].flatMap { $0 < fields.count && !fields[$0].isEmpty ? fields[$0] : nil }
    }

    func number(_ column: Column, in fields: [String]) -> Double? {
      text(column, in: fields).flatMap { Double($0) }
    }

    /// Returns the access point of a row, and its place; or why it may not be used.
    func accessPoint(in fields: [String]) -> Result<AccessPointList.Entry, ImportRefusal> {
      if let kind = text(.kind, in: fields), kind.uppercased() != "WIFI" {
        return .failure(.otherRadio)
      }
      guard let address = text(.address, in: fields).flatMap({ BSSID(address: $0) }) else {
        return .failure(.noAddress)
      }
      if indices[.name] != nil,
        let refusal = NetworkName.refusal(of: text(.name, in: fields) ?? "")
      {
        return .failure(ImportRefusal(refusal))
      }
      let place = ImportRule.place(
        number(.latitude, in: fields), number(.longitude, in: fields))
      guard let place else { return .failure(.noPlace) }
      return .success(AccessPointList.Entry(address: address, place: place))
    }
  }

  /// A row that may be used.
  private struct Row {
    var place: Coordinate
    var accuracy: Double
    var time: UnixTime
    var reading: RadioScan.Reading
  }

  private let columns: Columns
  private var readings: [RadioScan.Reading] = []
  private var place: Coordinate?
  /// Meters: the worst of the rows of one scan.
  private var accuracy = 0.0
  private var time: UnixTime?

  /// Reads the names of the columns; `nil` if one that is needed is missing.
  init?(header: [String]) {
    let needed: [Column] = [.address, .latitude, .longitude, .time]
    guard let columns = Columns(header, needed: needed) else { return nil }
    self.columns = columns
  }

  mutating func take(
    _ fields: [String], at now: UnixTime, _ refusals: inout ImportRefusals
  ) -> [RadioObservation] {
    switch row(fields, at: now) {
    case .failure(let refusal):
      refusals.note(refusal)
      return []
    case .success(let row):
      var found: [RadioObservation] = []
      if row.place != place || row.time != time || readings.count >= Self.most {
        found = finish(at: now, &refusals)
      }
      (place, time) = (row.place, row.time)
      accuracy = max(accuracy, row.accuracy)
      readings.append(row.reading)
      return found
    }
  }

  /// Returns the scan that the last rows are.
  mutating func finish(
    at now: UnixTime, _ refusals: inout ImportRefusals
  ) -> [RadioObservation] {
    defer { (readings, accuracy) = ([], 0) }
    guard let place, let time, !readings.isEmpty else { return [] }
    return [.scan(RadioScan(readings, time: time), at: place, floor: nil, accuracy: accuracy)]
  }

  private func row(_ fields: [String], at now: UnixTime) -> Result<Row, ImportRefusal> {
    func number(_ column: Column) -> Double? { columns.number(column, in: fields) }
    return columns.accessPoint(in: fields).flatMap { entry in
      guard ImportRule.isAccurate(number(.accuracy), speed: number(.speed)) else {
        return .failure(.inaccurate)
      }
      let date = columns.text(.time, in: fields).flatMap(Self.date)
      guard let time = ImportRule.date(date, now: now) else { return .failure(.noDate) }
      guard ImportRule.isLevel(number(.level)) else { return .failure(.level) }
      let reading = RadioScan.Reading(.accessPoint(entry.address), level: number(.level))
      let accuracy = number(.accuracy) ?? RadioMap.usualAccuracy
      return .success(Row(place: entry.place, accuracy: accuracy, time: time, reading: reading))
    }
  }

  /// A date of ISO 8601, or milliseconds or seconds since 1970.
  private static func date(_ text: String) -> UnixTime? {
    guard let number = Double(text) else { return UnixTime(iso8601: text) }
    let seconds = number > 1e11 ? number / 1000 : number
    return abs(seconds) < 9e9 ? UnixTime(seconds: seconds) : nil
  }

  /// Rows of one scan.
  private static let most = 256
}

extension ImportRefusal: Error {}
