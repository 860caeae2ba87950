internal import LocationModel

/// Comma-separated cells with their places, as OpenCellID and Mozilla's service list them.
struct CellTable: Sendable {
  private let columns: [String: Int]

  /// The columns of files without their names.
  static let standard = CellTable([
    "radio", "mcc", "net", "area", "cell", "unit", "lon", "lat", "range", "samples", "changeable",
    "created", "updated", "averageSignal",
  ])

  private init(_ names: [String]) {
    var columns: [String: Int] = [:]
    for (number, name) in names.enumerated() where columns[name] == nil { columns[name] = number }
    self.columns = columns
  }

  /// Reads the names of the columns; `nil` if one that is needed is missing.
  init?(header: [String]) {
    self.init(header)
    let needed = ["radio", "mcc", "net", "cell", "lon", "lat"]
    guard needed.allSatisfy({ columns[$0] != nil }) else { return nil }
  }

  /// Whether the fields are those of a row of a file without names.
  static func isRow(_ fields: [String]) -> Bool {
    fields.count >= 9 && ["GSM", "UMTS", "LTE", "NR", "CDMA"].contains(fields[0].uppercased())
  }

  func take(
    _ fields: [String], at now: UnixTime, _ refusals: inout ImportRefusals
  ) -> [RadioObservation] {
    func text(_ name: String) -> String? {
      columns[name].flatMap { $0 < fields.count && !fields[$0].isEmpty ? fields[$0] : nil }
    }
    func number(_ name: String) -> Double? { text(name).flatMap { Double($0) } }
    let cell = ImportRule.cell(
      text("radio") ?? "", country: text("mcc").flatMap { Int($0) },
      network: text("net").flatMap { Int($0) }, area: text("area").flatMap { Int($0) },
      cell: text("cell").flatMap { UInt64($0) })
    guard let cell else {
      refusals.note(text("radio")?.uppercased() == "CDMA" ? .otherRadio : .noCell)
      return []
    }
    guard let place = ImportRule.place(number("lat"), number("lon")) else {
      refusals.note(.noPlace)
      return []
    }
    let updated = number("updated").flatMap { abs($0) < 9e9 ? UnixTime(seconds: $0) : nil }
    let isDated = text("updated") != nil
    guard let date = ImportRule.date(isDated ? updated : now, now: now) else {
      refusals.note(.noDate)
      return []
    }
    let range = number("range").flatMap { $0.isFinite && $0 > 0 ? $0 : nil } ?? Self.usualRange
    let known = PlacedStations.Place(
      place, range: min(max(range, Self.leastRange), Self.greatestRange), day: date.day)
    return [.placed(.cell(cell), known)]
  }

  /// Meters, where the list knows no range.
  private static let usualRange = 2000.0
  /// Meters: lists give the range of few samples far too small.
  private static let leastRange = 500.0
  private static let greatestRange = 35_000.0
}
