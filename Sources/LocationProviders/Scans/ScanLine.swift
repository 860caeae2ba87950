package import LocationModel

/// One scan as a line of JSON, with the names of Ichnaea's geolocate:
/// `{"wifiAccessPoints":[{"macAddress":"00:11:22:33:44:55","signalStrength":-60,"age":0}],
/// "cellTowers":[{"radioType":"lte","mobileCountryCode":262,"mobileNetworkCode":1,
/// "locationAreaCode":5,"cellId":1234,"signalStrength":-95,"serving":1}]}`.
package enum ScanLine {
  /// Why a line, or a transmitter in it, is not used.
  enum Refusal: String, CaseIterable {
    case garbled = "lines that are no scan"
    case tooLong = "lines longer than 64 KiB"
    case transmitter = "transmitters without an address or with an impossible level"
    case network = "hidden networks, those that have opted out, and those of phones and vehicles"
    case old = "access points that were not heard for 30 s, and cells for 60 s"
    case surplus = "transmitters beyond 512 of a scan"
  }

  typealias Reading = RadioScan.Reading

  /// Reads a line.
  static func read(
    _ bytes: [UInt8], at time: UnixTime
  ) throws(JSONFault) -> (scan: RadioScan, refusals: [Refusal]) {
    var readings: [Transmitter: Reading] = [:]
    var refusals: [Refusal] = []
    var scanner = JSONScanner(bytes)
    try scanner.document { (key, scanner) throws(JSONFault) in
      let isCell = key == "cellTowers"
      guard isCell || key == "wifiAccessPoints", try scanner.isArray() else {
        return try scanner.skip()
      }
      try scanner.array { (scanner) throws(JSONFault) in
        guard try scanner.isObject() else { return try scanner.skip() }
        let element = try Element(&scanner)
        guard readings.count < most else { return refusals.append(.surplus) }
        guard element.refusal == nil else { return refusals.append(.network) }
        guard let reading = isCell ? element.cell : element.accessPoint else {
          return refusals.append(.transmitter)
        }
        guard reading.age <= (isCell ? longestAgeOfCell : WiFiFilter.longestAge.inSeconds) else {
          return refusals.append(.old)
        }
        readings[reading.transmitter] = reading
      }
    }
    let all = readings.values.sorted { $0.transmitter < $1.transmitter }
    return (RadioScan(all, time: time), refusals)
  }

  /// Writes a scan of access points and cells, as ``read(_:at:)`` reads it.
  package static func write(_ scan: RadioScan) -> [UInt8] {
    var accessPoints: [String] = []
    var cells: [String] = []
    for reading in scan.readings {
      switch (reading.transmitter, reading.level) {
      case (.accessPoint(let address), let level?):
        accessPoints.append("{\"macAddress\":\"\(address)\",\"signalStrength\":\(level)}")
      case (.cell(let cell), let level):
        let serving = reading.isServing ? ",\"serving\":1" : ""
        let members = level.map { ",\"signalStrength\":\($0)" } ?? ""
        cells.append("{\(text(of: cell))\(members)\(serving)}")
      case (.accessPoint, nil), (.neighbor, _), (.beacon, _): continue
      }
    }
    let towers = cells.isEmpty ? "" : ",\"cellTowers\":[\(cells.joined(separator: ","))]"
    return Array("{\"wifiAccessPoints\":[\(accessPoints.joined(separator: ","))]\(towers)}\n".utf8)
  }

  private static func text(of cell: CellIdentity) -> String {
    let radio =
      switch cell.radio {
      case .gsm: "gsm"
      case .umts: "wcdma"
      case .lte: "lte"
      case .nr: "nr"
      }
    let area = cell.area.map { ",\"locationAreaCode\":\($0)" } ?? ""
    return "\"radioType\":\"\(radio)\",\"mobileCountryCode\":\(cell.country),"
      + "\"mobileNetworkCode\":\(cell.network)\(area),\"cellId\":\(cell.cell)"
  }

  /// The members of one transmitter.
  private struct Element {
    private var numbers: [String: Double] = [:]
    private var address: String?
    private var radio: String?
    private(set) var refusal: NetworkName.Refusal?

    init(_ scanner: inout JSONScanner) throws(JSONFault) {
      try scanner.object { (key, scanner) throws(JSONFault) in
        switch key {
        case "macAddress": address = try scanner.string()
        case "radioType": radio = try scanner.string()
        case "ssid": refusal = try scanner.string().flatMap { NetworkName.refusal(of: $0) }
        default:
          if let number = try scanner.number(), number.isFinite { numbers[key.text] = number }
        }
      }
    }

    /// The level; `nil` for one that no radio reports.
    private var level: Double?? {
      guard let level = numbers["signalStrength"] else { return .some(nil) }
      return (-130.0 ... -10).contains(level) ? .some(level) : nil
    }

    /// Seconds.
    private var age: Double { max((numbers["age"] ?? 0) / 1000, 0) }

    var accessPoint: Reading? {
      guard let address = address.flatMap({ BSSID(address: $0) }), let level else { return nil }
      let frequency = numbers["frequency"].flatMap { Int(exactly: $0) }
      return Reading(.accessPoint(address), level: level, frequency: frequency, age: age)
    }

    var cell: Reading? {
      let radios: [String: CellIdentity.Radio] = [
        "gsm": .gsm, "wcdma": .umts, "umts": .umts, "lte": .lte, "nr": .nr,
      ]
      guard let radio = radio.flatMap({ radios[$0.lowercased()] }), let level,
        let country = whole("mobileCountryCode"), (1...999).contains(country),
        let network = whole("mobileNetworkCode"), (0...999).contains(network),
        let cell = numbers["cellId"].flatMap({ UInt64(exactly: $0) }), cell > 0
      else { return nil }
      let identity = CellIdentity(
        radio: radio, country: country, network: network, area: whole("locationAreaCode"),
        cell: cell)
      return Reading(.cell(identity), level: level, age: age, isServing: whole("serving") == 1)
    }

    private func whole(_ name: String) -> Int? { numbers[name].flatMap { Int(exactly: $0) } }
  }

  /// Seconds: a cell reaches farther than anybody comes in this time.
  private static let longestAgeOfCell = 60.0
  /// Transmitters of a scan. Chosen: more than any place has.
  private static let most = 512
}
