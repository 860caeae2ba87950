internal import LocationModel

/// The form in which tiles of the map are stored: docs/formats/state.md.
enum RadioMapStore {
  static let calibrationKey = key("calibration")

  /// What a row of the map holds.
  enum Row: Hashable {
    case tile(RadioMap.Kind, TileIndex)
    case placed(RadioMap.Kind, bucket: UInt8)
    /// Transmitters that have moved and are known at no place.
    case moved(RadioMap.Kind)
    case calibration

    /// The kind of transmitters; `nil` where it concerns all.
    var kind: RadioMap.Kind? {
      switch self {
      case .tile(let kind, _), .placed(let kind, _), .moved(let kind): kind
      case .calibration: nil
      }
    }
  }

  static func row(_ key: StateKey) -> Row? {
    if key == calibrationKey { return .calibration }
    if let (kind, tile) = tile(of: key) { return .tile(kind, tile) }
    let parts = key.name.split(separator: "/")
    guard parts.count > 1, let kind = RadioMap.Kind(rawValue: String(parts[1])) else { return nil }
    if parts.count == 2, parts[0] == moved { return .moved(kind) }
    guard parts.count == 3, parts[0] == placed, let bucket = UInt8(parts[2]) else { return nil }
    return .placed(kind, bucket: bucket)
  }

  private static let placed = "placed"
  private static let moved = "moved"

  static func key(_ name: String) -> StateKey {
    StateKey(domain: RadioMap.domain, owner: "", name: name)
  }

  static func key(of bucket: UInt8, _ kind: RadioMap.Kind) -> StateKey {
    key("\(placed)/\(kind.rawValue)/\(bucket)")
  }

  static func key(ofMoved kind: RadioMap.Kind) -> StateKey { key("\(moved)/\(kind.rawValue)") }

  static func key(of tile: TileIndex, _ kind: RadioMap.Kind) -> StateKey {
    key("\(kind.rawValue)/\(tile.row)/\(tile.column)")
  }

  static func tile(of key: StateKey) -> (RadioMap.Kind, TileIndex)? {
    let parts = key.name.split(separator: "/")
    guard parts.count == 3, let kind = RadioMap.Kind(rawValue: String(parts[0])),
      let row = Int32(parts[1]), let column = Int32(parts[2]),
      tiles.contains(row), tiles.contains(column)
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
    writer.append(word: versionOfTiles)
    let names = Set(cells.flatMap { $0.cell.levels.map(\.station) }).sorted()
    writer.append(word: UInt16(clamping: names.count))
    for name in names.prefix(Int(UInt16.max)) { write(layer.stations[name], name, to: &writer) }
    var numbers: [RadioStationID: Int] = [:]
    for (number, name) in names.enumerated() { numbers[name] = number }
    for entry in cells { write(entry.cell, entry.index, numbers, to: &writer) }
    return .set(key(of: tile, kind), writer.bytes)
  }

  /// Returns what stores the transmitters that have moved and are known at no place: of many those
  /// that were received last.
  static func change(ofMovedIn layer: RadioLayer, _ kind: RadioMap.Kind) -> StateChange {
    let moved = layer.moved.sorted {
      ($1.station.lastDay, $0.id) < ($0.station.lastDay, $1.id)
    }
    guard !moved.isEmpty else { return .remove(key(ofMoved: kind)) }
    var writer = ByteWriter()
    writer.append(word: version)
    for entry in moved.prefix(mostMoved) { write(entry.station, entry.id, to: &writer) }
    return .set(key(ofMoved: kind), writer.bytes)
  }

  /// The factors of the first two kinds, then the numbers of comparisons that they rest on; then both of each
  /// further kind, so that older versions, which have two, read theirs.
  static func change(of calibrations: [RadioCalibration]) -> StateChange {
    var writer = ByteWriter()
    let first = calibrations.prefix(firstKinds)
    for calibration in first { writer.append(word: calibration.scale.bitPattern) }
    for calibration in first { writer.append(word: calibration.count.bitPattern) }
    for calibration in calibrations.dropFirst(firstKinds) {
      writer.append(word: calibration.scale.bitPattern)
      writer.append(word: calibration.count.bitPattern)
    }
    return .set(calibrationKey, writer.bytes)
  }

  static func calibrations(in bytes: [UInt8]) -> [RadioCalibration] {
    var reader = ByteReader(bytes)
    var numbers: [Double] = []
    while let word = reader.word(UInt64.self) { numbers.append(Double(bitPattern: word)) }
    // Older rows have no numbers of comparisons, and their factors belong to another spread.
    guard numbers.count >= 2 * firstKinds else { return [] }
    let first = zip(numbers, numbers.dropFirst(firstKinds)).prefix(firstKinds)
    let further = stride(from: 2 * firstKinds, to: numbers.count - 1, by: 2).map {
      (numbers[$0], numbers[$0 + 1])
    }
    return (first + further).prefix(RadioMap.Kind.allCases.count).map { scale, count in
      scale.isFinite && count.isFinite
        ? RadioCalibration(scale: scale, count: count) : RadioCalibration()
    }
  }

  // MARK: Parts

  private static func write(
    _ station: RadioStation?, _ name: RadioStationID, to writer: inout ByteWriter
  ) {
    let station =
      station ?? RadioStation(place: Coordinate(latitude: 0, longitude: 0), day: 0, isLocal: false)
    writer.append(word: name.hash)
    writer.append(word: station.place.latitude.bitPattern)
    writer.append(word: station.place.longitude.bitPattern)
    for number in [
      station.firstDay, station.lastDay, station.moves, station.blockedUntil,
    ] { writer.append(word: number) }
    writer.append(word: UInt8(station.isLocal ? 1 : 0))
  }

  private static func write(
    _ cell: RadioLayer.Cell, _ index: CellIndex, _ numbers: [RadioStationID: Int],
    to writer: inout ByteWriter
  ) {
    writer.append(word: index.row)
    writer.append(word: index.column)
    writer.append(word: cell.latitude.bitPattern)
    writer.append(word: cell.longitude.bitPattern)
    writer.append(word: Float(cell.weight).bitPattern)
    writer.append(word: index.floor)
    writer.append(word: cell.day)
    writer.append(word: UInt16(min((cell.accuracy * 10).rounded(), 65_535)))
    let levels = cell.levels.compactMap { level -> (UInt16, UInt16)? in
      guard let number = numbers[level.station], number < UInt16.max else {
        return nil
      }
      return (UInt16(number), UInt16(level.strength * 65_535))
    }
    writer.append(word: UInt8(clamping: levels.count))
    for (number, strength) in levels {
      writer.append(word: number)
      writer.append(word: strength)
    }
  }

  /// The kinds that the first rows of calibrations had.
  private static let firstKinds = 2
  /// Numbers of tiles: more than the ground has in cells of a meter.
  private static let tiles: ClosedRange<Int32> = -10_000_000...10_000_000
  /// Chosen: a row of 41 kB, below the bound of one.
  static let mostMoved = 1000
  static let version: UInt8 = 1
  /// With the accuracy of what taught each place.
  static let versionOfTiles: UInt8 = 2
}
