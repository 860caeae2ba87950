internal import LocationModel

// The form in which transmitters of an imported list are stored: docs/formats/state.md.
extension RadioMapStore {
  /// Returns what stores a bucket; it is removed when it is empty.
  static func change(
    of bucket: UInt8, in stations: PlacedStations, _ kind: RadioMap.Kind
  ) -> StateChange {
    let entries = stations.entries(of: bucket)
    guard !entries.isEmpty else { return .remove(key(of: bucket, kind)) }
    var writer = ByteWriter()
    writer.write(version)
    for (id, place) in entries {
      writer.write(id.hash)
      writer.write(Int32((place.coordinate.latitude * Self.unitsPerDegree).rounded()))
      writer.write(Int32((place.coordinate.longitude * Self.unitsPerDegree).rounded()))
      writer.write(UInt32(min(max(place.range.rounded(), 1), Self.longestRange)))
      writer.write(place.day)
    }
    return .set(key(of: bucket, kind), writer.bytes)
  }

  /// Reads a bucket; what is damaged is left out.
  static func placed(in bytes: [UInt8]) -> [(RadioStationID, PlacedStations.Place)] {
    var reader = ByteReader(bytes)
    guard reader.read(UInt8.self) == version else { return [] }
    var entries: [(RadioStationID, PlacedStations.Place)] = []
    while let hash = reader.read(UInt64.self), let latitude = reader.read(Int32.self),
      let longitude = reader.read(Int32.self), let range = reader.read(UInt32.self),
      let day = reader.read(Int32.self)
    {
      let coordinate = Coordinate(
        latitude: Double(latitude) / unitsPerDegree, longitude: Double(longitude) / unitsPerDegree)
      entries.append(
        (RadioStationID(hash), PlacedStations.Place(coordinate, range: Double(range), day: day)))
    }
    return entries
  }

  /// About a centimeter each.
  private static let unitsPerDegree = 1e7
  /// Meters.
  private static let longestRange = 1e6
}
