internal import LocationModel

/// The form in which tiles of the map are stored: docs/formats/state.md.
enum RadioMapStore {
  static let calibrationKey = key("calibration")

  /// What a row of the map holds.
  enum Row: Hashable {
    case tile(RadioMap.Kind, TileIndex)
    case placed(RadioMap.Kind, bucket: UInt8)
    case calibration
  }

  static func row(_ key: StateKey) -> Row? {
    if key == calibrationKey { return .calibration }
    if let (kind, tile) = tile(of: key) { return .tile(kind, tile) }
    let parts = key.name.split(separator: "/")
    guard parts.count == 3, parts[0] == placed,
      let kind = RadioMap.Kind(rawValue: String(parts[1])),
      let bucket = UInt8(parts[2])
    else { return nil }
    return .placed(kind, bucket: bucket)
  }

  private static let placed = "placed"

  static func key(_ name: String) -> StateKey {
    StateKey(domain: RadioMap.domain, owner: "", name: name)
  }

  static func key(of bucket: UInt8, _ kind: RadioMap.Kind) -> StateKey {
    key("\(placed)/\(kind.rawValue)/\(bucket)")
  }

  static func key(of tile: TileIndex, _ kind: RadioMap.Kind) -> StateKey {
    key("\(kind.rawValue)/\(tile.row)/\(tile.column)")
  }

  static func tile(of key: StateKey) -> (RadioMap.Kind, TileIndex)? {
    let parts = key.name.split(separator: "/")
    guard parts.count == 3, let kind = RadioMap.Kind(rawValue: String(parts[0])),
      let row = Int32(parts[1]), let column = Int32(parts[2])
    else { return nil }
    return (kind, TileIndex(row: row, column: column))
  }

  /// Returns what stores a tile; it is removed when nothing is known of it.
  static func change(
    of tile: TileIndex, in layer: RadioLayer, _ kind: RadioMap.Kind
  ) -> StateChange {
    let cells = layer.cells(of: tile)
    guard !cells.isEmpty else { return .remove(key(of: tile, kind)) }
    var writer = ByteWriter()
    writer.write(version)
    let names = Set(cells.flatMap { $0.cell.levels.map(\.station) }).sorted()
    writer.write(UInt16(clamping: names.count))
    for name in names.prefix(Int(UInt16.max)) { write(layer.stations[name], name, to: &writer) }
    var numbers: [RadioStationID: Int] = [:]
    for (number, name) in names.enumerated() { numbers[name] = number }
    for entry in cells { write(entry.cell, entry.index, numbers, to: &writer) }
    return .set(key(of: tile, kind), writer.bytes)
  }

  /// The factors of all kinds, then the numbers of comparisons that they rest on.
  static func change(of calibrations: [RadioCalibration]) -> StateChange {
    var writer = ByteWriter()
    for calibration in calibrations { writer.write(calibration.scale.bitPattern) }
    for calibration in calibrations { writer.write(calibration.count.bitPattern) }
    return .set(calibrationKey, writer.bytes)
  }

  static func calibrations(in bytes: [UInt8]) -> [RadioCalibration] {
    var reader = ByteReader(bytes)
    var numbers: [Double] = []
    while let word = reader.read(UInt64.self) { numbers.append(Double(bitPattern: word)) }
    let kinds = RadioMap.Kind.allCases.count
    // Older rows have no numbers of comparisons, and their factors belong to another spread.
    guard numbers.count >= 2 * kinds else { return [] }
    return zip(numbers, numbers.dropFirst(kinds)).prefix(kinds).map { scale, count in
      scale.isFinite && count.isFinite
        ? RadioCalibration(scale: scale, count: count) : RadioCalibration()
    }
  }

  /// Puts a stored tile back; what is damaged is left out.
  static func restore(_ bytes: [UInt8], to layer: inout RadioLayer) {
    var reader = ByteReader(bytes)
    guard reader.read(UInt8.self) == version, let count = reader.read(UInt16.self) else { return }
    var names: [RadioStationID] = []
    for _ in 0..<count {
      guard let (name, station) = station(from: &reader) else { return }
      names.append(name)
      layer.restore(station, as: name)
    }
    while let (index, cell) = cell(from: &reader, names) { layer.restore(cell, at: index) }
  }

  // MARK: Parts

  private static func write(
    _ station: RadioStation?, _ name: RadioStationID, to writer: inout ByteWriter
  ) {
    let station =
      station ?? RadioStation(place: Coordinate(latitude: 0, longitude: 0), day: 0, isLocal: false)
    writer.write(name.hash)
    writer.write(station.place.latitude.bitPattern)
    writer.write(station.place.longitude.bitPattern)
    for number in [
      station.firstDay, station.lastDay, station.moves, station.blockedUntil,
    ] { writer.write(number) }
    writer.write(UInt8(station.isLocal ? 1 : 0))
  }

  private static func station(
    from reader: inout ByteReader
  ) -> (RadioStationID, RadioStation)? {
    guard let hash = reader.read(UInt64.self), let latitude = reader.read(UInt64.self),
      let longitude = reader.read(UInt64.self), let first = reader.read(Int32.self),
      let last = reader.read(Int32.self), let moves = reader.read(Int32.self),
      let blocked = reader.read(Int32.self), let local = reader.read(UInt8.self)
    else { return nil }
    let place = Coordinate(
      latitude: Double(bitPattern: latitude), longitude: Double(bitPattern: longitude))
    guard place.isValid else { return nil }
    var station = RadioStation(place: place, day: first, isLocal: local == 1)
    (station.lastDay, station.moves, station.blockedUntil) = (last, moves, blocked)
    return (RadioStationID(hash), station)
  }

  private static func write(
    _ cell: RadioLayer.Cell, _ index: CellIndex, _ numbers: [RadioStationID: Int],
    to writer: inout ByteWriter
  ) {
    writer.write(index.row)
    writer.write(index.column)
    writer.write(cell.latitude.bitPattern)
    writer.write(cell.longitude.bitPattern)
    writer.write(Float(cell.weight).bitPattern)
    writer.write(index.floor)
    writer.write(cell.day)
    let levels = cell.levels.compactMap { level -> (UInt16, UInt16)? in
      guard let number = numbers[level.station], number < UInt16.max else {
        return nil
      }
      return (UInt16(number), UInt16(level.strength * 65_535))
    }
    writer.write(UInt8(clamping: levels.count))
    for (number, strength) in levels {
      writer.write(number)
      writer.write(strength)
    }
  }

  private static func cell(
    from reader: inout ByteReader, _ names: [RadioStationID]
  ) -> (CellIndex, RadioLayer.Cell)? {
    guard let row = reader.read(Int32.self), let column = reader.read(Int32.self),
      let latitude = reader.read(UInt64.self), let longitude = reader.read(UInt64.self),
      let weight = reader.read(UInt32.self), let floor = reader.read(Int8.self),
      let day = reader.read(Int32.self), let count = reader.read(UInt8.self)
    else { return nil }
    var levels: [RadioLayer.Level] = []
    for _ in 0..<count {
      guard let number = reader.read(UInt16.self), let strength = reader.read(UInt16.self),
        names.indices.contains(Int(number))
      else { return nil }
      levels.append(
        RadioLayer.Level(station: names[Int(number)], strength: Double(strength) / 65_535))
    }
    let (x, y) = (Double(bitPattern: latitude), Double(bitPattern: longitude))
    let weightNumber = Double(Float(bitPattern: weight))
    guard Coordinate(latitude: x, longitude: y).isValid, weightNumber.isFinite, weightNumber > 0
    else { return nil }
    let cell = RadioLayer.Cell(
      latitude: x, longitude: y, weight: weightNumber,
      levels: levels.sorted { $0.station < $1.station }, day: day)
    return (CellIndex(row: row, column: column, floor: floor), cell)
  }

  static let version: UInt8 = 1
}
