internal import LocationModel

/// What a stored row holds, as far as it can have been stored by a map.
struct StoredParts: Sendable {
  var stations: [(id: RadioStationID, station: RadioStation)] = []
  var cells: [(index: CellIndex, cell: RadioLayer.Cell)] = []
  var places: [(id: RadioStationID, place: PlacedStations.Place)] = []
  var calibrations: [RadioCalibration] = []
  /// Parts that no map stores: damaged, or altered.
  var refused = 0

  /// Whether nothing in the row is understood.
  var isEmpty: Bool {
    stations.isEmpty && cells.isEmpty && places.isEmpty && calibrations.isEmpty
  }
}

// Reads what is stored: docs/formats/state.md. Whoever can write a backup can write any bytes.
extension RadioMapStore {
  /// Returns what a row holds; what is damaged or altered is left out, and counted. The spacing is
  /// that of places of the row's kind, in meters.
  static func parts(of row: Row, in bytes: [UInt8], spacing: Double) -> StoredParts {
    switch row {
    case .tile(_, let tile): return parts(of: tile, in: bytes, spacing: spacing)
    case .placed(_, let bucket): return placed(of: bucket, in: bytes)
    case .moved: return moved(in: bytes)
    case .calibration:
      var parts = StoredParts()
      parts.calibrations = calibrations(in: bytes)
      parts.refused = parts.calibrations.isEmpty ? 1 : 0
      return parts
    }
  }

  private static func parts(
    of tile: TileIndex, in bytes: [UInt8], spacing: Double
  ) -> StoredParts {
    // The numbers by which places name their transmitters; `nil` for one that is left out.
    var names: [RadioStationID?] = []
    var parts = parts(in: bytes, newest: versionOfTiles) { form, reader, parts in
      guard let (index, cell) = cell(from: &reader, form, names) else { return nil }
      guard let cell, index.tile == tile, index.isNear(cell.coordinate, spacing: spacing) else {
        return false
      }
      parts.cells.append((index, cell))
      return true
    } head: { reader, parts in
      guard let count = reader.word(UInt16.self) else { return false }
      for _ in 0..<count {
        guard let (name, station) = station(from: &reader) else { return false }
        names.append(station == nil ? nil : name)
        if let station { parts.stations.append((name, station)) } else { parts.refused += 1 }
      }
      return true
    }
    // Without a place, their names are no use.
    if parts.cells.isEmpty { parts.stations = [] }
    return parts
  }

  private static func moved(in bytes: [UInt8]) -> StoredParts {
    parts(in: bytes) { _, reader, parts in
      guard let (name, station) = station(from: &reader) else { return nil }
      guard let station, station.moves > 0, parts.stations.count < mostMoved else { return false }
      parts.stations.append((name, station))
      return true
    }
  }

  /// Reads the parts of a row up to its end, or to a torn one; counts those that are left out.
  ///
  /// - Parameters:
  ///   - bytes: the row.
  ///   - newest: the newest version of its form.
  ///   - take: by the version reads the next part, and returns whether it was kept; `nil` for a torn one.
  ///   - head: reads what is between the version and the parts; `false` if it is torn.
  /// - Returns: what was kept.
  static func parts(
    in bytes: [UInt8], newest: UInt8 = version,
    _ take: (UInt8, inout ByteReader, inout StoredParts) -> Bool?,
    head: (inout ByteReader, inout StoredParts) -> Bool = { _, _ in true }
  ) -> StoredParts {
    var (reader, parts) = (ByteReader(bytes), StoredParts())
    guard let form = reader.word(UInt8.self), (version...newest).contains(form),
      head(&reader, &parts)
    else {
      parts.refused += 1
      return parts
    }
    while !reader.isAtEnd {
      let isKept = take(form, &reader, &parts)
      if isKept != true { parts.refused += 1 }
      if isKept == nil { break }
    }
    return parts
  }

  /// Returns the next transmitter, without a record if it is one that no map stores; `nil` for a
  /// torn one.
  private static func station(
    from reader: inout ByteReader
  ) -> (RadioStationID, RadioStation?)? {
    guard let hash = reader.word(UInt64.self), let latitude = reader.word(UInt64.self),
      let longitude = reader.word(UInt64.self), let first = reader.word(Int32.self),
      let last = reader.word(Int32.self), let moves = reader.word(Int32.self),
      let blocked = reader.word(Int32.self), let local = reader.word(UInt8.self)
    else { return nil }
    let name = RadioStationID(hash)
    let place = Coordinate(
      latitude: Double(bitPattern: latitude), longitude: Double(bitPattern: longitude))
    guard place.isValid, days.contains(first), days.contains(last), moves >= 0,
      days.contains(blocked) || blocked == .max
    else { return (name, nil) }
    var station = RadioStation(place: place, day: first, isLocal: local == 1)
    (station.lastDay, station.moves, station.blockedUntil) = (last, moves, blocked)
    return (name, station)
  }

  /// Returns the next place, without its contents if no map stores them; `nil` for a torn one.
  private static func cell(
    from reader: inout ByteReader, _ form: UInt8, _ names: [RadioStationID?]
  ) -> (CellIndex, RadioLayer.Cell?)? {
    guard let row = reader.word(Int32.self), let column = reader.word(Int32.self),
      let latitude = reader.word(UInt64.self), let longitude = reader.word(UInt64.self),
      let weight = reader.word(UInt32.self), let floor = reader.word(Int8.self),
      let day = reader.word(Int32.self),
      let accuracy = form == versionOfTiles
        ? reader.word(UInt16.self) : UInt16(RadioMap.usualAccuracy * 10),
      let count = reader.word(UInt8.self)
    else { return nil }
    var strengths: [RadioStationID: Double] = [:]
    var isAltered = false
    for _ in 0..<count {
      guard let number = reader.word(UInt16.self), let strength = reader.word(UInt16.self) else {
        return nil
      }
      guard names.indices.contains(Int(number)) else {
        isAltered = true
        continue
      }
      guard let name = names[Int(number)] else { continue }
      strengths[name] = Double(strength) / 65_535
    }
    let index = CellIndex(row: row, column: column, floor: floor)
    let (x, y) = (Double(bitPattern: latitude), Double(bitPattern: longitude))
    let number = Double(Float(bitPattern: weight))
    guard Coordinate(latitude: x, longitude: y).isValid, number > 0, number <= mostWeight,
      days.contains(day), !strengths.isEmpty, !isAltered
    else { return (index, nil) }
    let levels = strengths.sorted { $0.key < $1.key }.map {
      RadioLayer.Level(station: $0.key, strength: $0.value)
    }
    return (
      index,
      RadioLayer.Cell(
        latitude: x, longitude: y, weight: number, accuracy: Double(accuracy) / 10, levels: levels,
        day: day)
    )
  }

  /// Days since 1970 on which anything is taught: to the year 2243.
  static let days: ClosedRange<Int32> = 0...100_000
  /// More than all teachings of one place count.
  private static let mostWeight = 100.0
}
