internal import LocationModel

// The form in which transmitters of an imported list are stored: docs/formats/state.md.
extension RadioMapStore {
  /// Returns what stores a bucket; it is removed when it is empty.
  static func change(
    of bucket: UInt8, in stations: PlacedStations, _ kind: RadioMap.Kind
  ) -> StateChange {
    let entries = stations.entries(of: bucket)
    guard !entries.isEmpty else { return .remove(key(of: bucket, kind)) }
    let haveAreas = entries.contains { $0.place.area != nil }
    var writer = ByteWriter()
    writer.append(word: haveAreas ? versionWithAreas : version)
    for (id, place) in entries {
      writer.append(word: id.hash)
      writer.append(word: Int32((place.coordinate.latitude * Self.unitsPerDegree).rounded()))
      writer.append(word: Int32((place.coordinate.longitude * Self.unitsPerDegree).rounded()))
      writer.append(word: UInt32(place.range.rounded()))
      writer.append(word: place.day)
      if haveAreas { writer.append(word: place.area?.hash ?? 0) }
    }
    return .set(key(of: bucket, kind), writer.bytes)
  }

  /// Reads a bucket; what is damaged or altered is left out, and counted.
  static func placed(of bucket: UInt8, in bytes: [UInt8]) -> StoredParts {
    parts(in: bytes, newest: versionWithAreas) { form, reader, parts in
      guard let hash = reader.word(UInt64.self), let latitude = reader.word(Int32.self),
        let longitude = reader.word(Int32.self), let range = reader.word(UInt32.self),
        let day = reader.word(Int32.self),
        let area = form == versionWithAreas ? reader.word(UInt64.self) : 0
      else { return nil }
      let name = RadioStationID(hash)
      let coordinate = Coordinate(
        latitude: Double(latitude) / unitsPerDegree, longitude: Double(longitude) / unitsPerDegree)
      var place = PlacedStations.Place(coordinate, range: Double(range), day: day)
      place.area = area == 0 ? nil : RadioStationID(area)
      guard coordinate.isValid, PlacedStations.ranges.contains(place.range), days.contains(day),
        PlacedStations.bucket(of: name) == bucket
      else { return false }
      parts.places.append((name, place))
      return true
    }
  }

  /// The form in which each transmitter has the name of its area, or zero, at its end.
  private static let versionWithAreas: UInt8 = 2
  /// About a centimeter each.
  private static let unitsPerDegree = 1e7
}
