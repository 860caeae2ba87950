import LocationModel

/// Reads the cells that a modem reports.
struct ModemCells: Sendable {
  private(set) var readings: [RadioScan.Reading] = []
  private(set) var rejections: [ModemRejection] = []

  /// Reads the serving cell: `MCC,MNC,LAC,CI,TAC`, the last three as hexadecimal numbers.
  ///
  /// Without a network all of them are zero or empty, and there is no cell.
  mutating func take(serving text: String, of modem: ModemProperties) {
    guard text.utf8.count <= Self.longestText else { return rejections.append(.unreadable) }
    let fields = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    if fields.allSatisfy({ $0.allSatisfy { $0 == "0" } }) { return }
    guard fields.count == 5, let country = Self.decimal(fields[0]),
      let network = Self.decimal(fields[1]), let location = Self.hexadecimal(fields[2]),
      let cell = Self.hexadecimal(fields[3]), let tracking = Self.hexadecimal(fields[4])
    else { return rejections.append(.unreadable) }
    let (area, track) = (Self.area(location), Self.area(tracking))
    let radio = modem.radio(area: area, tracking: track, cell: cell)
    let isPacket = radio == .lte || radio == .nr
    let identity = Identity(
      radio: radio, country: country, network: network, area: isPacket ? track : area, cell: cell)
    add(identity.checked, level: nil, isServing: true)
  }

  /// Reads the serving cell and its neighbors, as `GetCellInfo` returns them.
  mutating func take(_ cells: [BusValue]) {
    if cells.count > Self.mostCells { rejections.append(.tooMany) }
    for cell in cells.prefix(Self.mostCells) { take(cell) }
  }

  private mutating func take(_ cell: BusValue) {
    guard let kind = cell["cell-type"]?.integer else { return rejections.append(.unreadable) }
    // CDMA and TD-SCDMA have other identities; their networks are gone.
    guard let form = Form.all[kind] else { return }
    let isServing = cell["serving"]?.boolean ?? false
    let level = form.level(of: cell)
    guard let text = cell["ci"]?.text else { return take(neighbor: cell, form, level) }
    guard let network = cell["operator-id"]?.text, (5...6).contains(network.utf8.count),
      let country = Self.decimal(String(network.prefix(3))),
      let code = Self.decimal(String(network.dropFirst(3))), let number = Self.hexadecimal(text)
    else {
      // A neighbor may name its cell and not its network.
      return take(neighbor: cell, form, level)
    }
    let area = (cell["tac"] ?? cell["lac"])?.text.flatMap { Self.hexadecimal($0) }
    let identity = Identity(
      radio: form.radio, country: country, network: code, area: area.flatMap { Self.area($0) },
      cell: number)
    add(identity.checked, level: level, isServing: isServing)
  }

  private mutating func take(neighbor cell: BusValue, _ form: Form, _ level: Double?) {
    let physical =
      cell["physical-ci"]?.text.flatMap { Self.hexadecimal($0) }.flatMap { Int(exactly: $0) }
      ?? cell["psc"]?.integer
    guard let channel = cell[form.channel]?.integer, let physical else {
      return rejections.append(.unreadable)
    }
    guard (0...form.lastChannel).contains(channel), (0...form.lastPhysical).contains(physical)
    else { return rejections.append(.impossible) }
    let identity = CellChannel(radio: form.radio, channel: channel, physical: physical)
    add(.neighbor(identity), level: level, isServing: false)
  }

  /// Adds a reading; the same cell is kept once, with the level if only one of the two has it.
  private mutating func add(_ transmitter: Transmitter?, level: Double?, isServing: Bool) {
    guard let transmitter else { return rejections.append(.impossible) }
    guard let index = readings.firstIndex(where: { $0.transmitter == transmitter }) else {
      return readings.append(RadioScan.Reading(transmitter, level: level, isServing: isServing))
    }
    readings[index].level = readings[index].level ?? level
    readings[index].isServing = readings[index].isServing || isServing
  }

  private static func decimal(_ text: String) -> Int? {
    text.allSatisfy { $0.isASCII && $0.isNumber } ? Int(text) : nil
  }

  private static func hexadecimal(_ text: String) -> UInt64? {
    guard (1...Self.mostDigits).contains(text.utf8.count), text.allSatisfy(\.isHexDigit) else {
      return nil
    }
    return UInt64(text, radix: 16)
  }

  /// Returns a location or tracking area; `nil` for the numbers that mean none.
  private static func area(_ number: UInt64) -> Int? {
    [0, 0xfffe, 0xffff, 0xff_fffe, 0xff_ffff].contains(number) ? nil : Int(exactly: number)
  }

  /// Cells of one answer. Chosen: a modem lists at most a few dozen.
  private static let mostCells = 64
  /// Hexadecimal digits of a number: those of 64 bits.
  private static let mostDigits = 16
  /// Bytes. Chosen: five numbers have fewer.
  private static let longestText = 64
}

/// The numbers of a cell before they are checked.
private struct Identity {
  var radio: CellIdentity.Radio
  var country: Int
  var network: Int
  var area: Int?
  var cell: UInt64

  /// The cell, if a network can have these numbers.
  var checked: Transmitter? {
    let bits: UInt64 =
      switch radio {
      case .gsm: 16
      case .umts, .lte: 28
      case .nr: 36
      }
    let mostArea = radio == .nr ? 0xff_fffd : 0xfffd
    // All bits set means that the modem does not know.
    let none = (UInt64(1) << bits) - 1
    guard (1...999).contains(country), (0...999).contains(network), cell > 0, cell < none,
      area.map({ (1...mostArea).contains($0) }) ?? true
    else { return nil }
    return .cell(
      CellIdentity(radio: radio, country: country, network: network, area: area, cell: cell))
  }
}

/// How ModemManager describes cells of one radio.
private struct Form {
  let radio: CellIdentity.Radio
  /// The name of the number of its frequency, and the greatest one.
  let channel: String
  let lastChannel: Int
  /// The greatest physical identity.
  let lastPhysical: Int

  /// By the number of the cell's type.
  static let all: [Int: Form] = [
    2: Form(radio: .gsm, channel: "arfcn", lastChannel: 1023, lastPhysical: 63),
    3: Form(radio: .umts, channel: "uarfcn", lastChannel: 16_383, lastPhysical: 511),
    5: Form(radio: .lte, channel: "earfcn", lastChannel: 262_143, lastPhysical: 503),
    6: Form(radio: .nr, channel: "nrarfcn", lastChannel: 3_279_165, lastPhysical: 1007),
  ]

  /// Returns dBm; `nil` where the modem does not report it, or reports what none can receive.
  func level(of cell: BusValue) -> Double? {
    let level: Double? =
      switch radio {
      case .gsm: cell["rx-level"]?.integer.map { Double($0) - 111 }
      case .umts: cell["rscp"]?.double
      case .lte, .nr: cell["rsrp"]?.double
      }
    // Modems report down to -156; a reading has at least -130.
    guard let level, (-156 ... -10).contains(level) else { return nil }
    return max(level, -130)
  }
}
