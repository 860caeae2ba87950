import LocationModel

/// What is asked of a location service: the transmitters that were received last.
struct IchnaeaQuestion: Hashable, Sendable {
  /// The loudest access points, and the cells, in the order of the request.
  let readings: [RadioScan.Reading]
  /// When they were received.
  let time: UnixTime
  /// The JSON of the request.
  let body: [UInt8]

  /// Creates a question; `nil` for fewer than two access points and no cell, which a service cannot
  /// place.
  ///
  /// - Parameters:
  ///   - scans: the last scan of each radio; one that is older than a minute is left out.
  ///   - now: the time of the request.
  init?(_ scans: [RadioScan], at now: UnixTime) {
    let recent = scans.filter { abs(now.seconds(since: $0.time)) <= Self.longestAge }
    let heard = recent.flatMap { scan in
      scan.readings.map { reading in
        var reading = reading
        reading.age = max(0, reading.age + now.seconds(since: scan.time))
        return reading
      }
    }
    let usable = Self.usable(heard)
    guard !usable.isEmpty, let time = recent.map(\.time).max() else { return nil }
    readings = usable
    self.time = time
    body = Self.json(usable)
  }

  /// What identifies the place: the six loudest access points and the serving cell.
  var key: [Transmitter] {
    let accessPoints = readings.filter(\.isAccessPoint).prefix(6)
    let cell = readings.first { $0.isServing } ?? readings.first { !$0.isAccessPoint }
    return (accessPoints + [cell].compactMap(\.self)).map(\.transmitter).sorted()
  }

  /// What a service has use for: access points of at least two boxes, and the cells.
  static func usable(_ readings: [RadioScan.Reading]) -> [RadioScan.Reading] {
    let boxes = loudestOfEachBox(readings.filter(\.isAccessPoint))
    let accessPoints = loudest(boxes, mostAccessPoints)
    let cells = loudest(readings.filter(\.isCompleteCell), mostCells)
    return (accessPoints.count < 2 ? [] : accessPoints) + cells
  }

  /// Of the networks of one box the loudest: together they say no more of the place than it does.
  private static func loudestOfEachBox(_ readings: [RadioScan.Reading]) -> [RadioScan.Reading] {
    var boxes: Set<UInt64> = []
    return loudest(readings, readings.count).filter { reading in
      guard case .accessPoint(let address) = reading.transmitter else { return true }
      return boxes.insert(address.box).inserted
    }
  }

  /// So many, the serving cell first, then by how loud they are.
  private static func loudest(
    _ readings: [RadioScan.Reading], _ most: Int
  ) -> [RadioScan.Reading] {
    let sorted = readings.sorted {
      ($0.isServing ? 1 : 0, $0.level ?? -200, $1.transmitter)
        > ($1.isServing ? 1 : 0, $1.level ?? -200, $0.transmitter)
    }
    return Array(sorted.prefix(most))
  }

  private static func json(_ readings: [RadioScan.Reading]) -> [UInt8] {
    Array(
      """
      {"considerIp":false,"fallbacks":{"lacf":false,"ipf":false},\(members(readings))}
      """.utf8)
  }

  /// `wifiAccessPoints` and `cellTowers`.
  static func members(_ readings: [RadioScan.Reading]) -> String {
    let accessPoints = readings.compactMap(\.accessPointJSON).joined(separator: ",")
    let cells = readings.compactMap(\.cellJSON).joined(separator: ",")
    return "\"wifiAccessPoints\":[\(accessPoints)],\"cellTowers\":[\(cells)]"
  }

  /// Seconds.
  private static let longestAge = 60.0
  /// Services use about twenty.
  private static let mostAccessPoints = 20
  private static let mostCells = 8
}

extension RadioScan.Reading {
  fileprivate var isAccessPoint: Bool {
    if case .accessPoint(let address) = transmitter { !address.isGroup } else { false }
  }

  /// Whether this is a cell with all that a service needs, within the limits of version 1.
  fileprivate var isCompleteCell: Bool {
    guard case .cell(let cell) = transmitter, cell.radio.ichnaeaName != nil, let area = cell.area
    else { return false }
    return (1...65_533).contains(area) && cell.cell < 1 << 28
  }

  /// As a member of `wifiAccessPoints`; `nil` for a cell. No name of a network is ever sent.
  fileprivate var accessPointJSON: String? {
    guard isAccessPoint, case .accessPoint(let address) = transmitter else { return nil }
    let channel = frequency.flatMap { (2400...5999).contains($0) ? ",\"frequency\":\($0)" : nil }
    return "{\"macAddress\":\"\(address)\"\(common)\(channel ?? "")}"
  }

  /// As a member of `cellTowers`; `nil` for an access point.
  fileprivate var cellJSON: String? {
    guard isCompleteCell, case .cell(let cell) = transmitter, let name = cell.radio.ichnaeaName,
      let area = cell.area
    else { return nil }
    return """
      {"radioType":"\(name)","mobileCountryCode":\(cell.country),\
      "mobileNetworkCode":\(cell.network),"locationAreaCode":\(area),"cellId":\(cell.cell)\(common)}
      """
  }

  /// The age in milliseconds, and the level where it is within the limits of the services.
  private var common: String {
    let level = level.map { Int($0.rounded()) }.flatMap { (-100 ... -10).contains($0) ? $0 : nil }
    return ",\"age\":\(Int(min(age, 3600) * 1000))"
      + (level.map { ",\"signalStrength\":\($0)" } ?? "")
  }
}

extension CellIdentity.Radio {
  /// `nil` for NR, which version 1 does not have.
  fileprivate var ichnaeaName: String? {
    switch self {
    case .gsm: "gsm"
    case .umts: "wcdma"
    case .lte: "lte"
    case .nr: nil
    }
  }
}
