import LocationModel

/// A position in the index: ten-thousandths of a degree from the south-west corner of the map.
struct GridPosition: Hashable {
  /// North of the equator.
  var latitude: Int
  /// East of Greenwich.
  var longitude: Int

  init(_ coordinate: Coordinate) {
    latitude = Int((coordinate.latitude * 10_000).rounded())
    longitude = Int((coordinate.longitude * 10_000).rounded())
  }

  /// Reads 44 bits: 22 of latitude over 22 of longitude, each counted from the corner.
  init(bits: UInt64) {
    latitude = Int(bits >> 22 & 0x3F_FFFF) - 900_000
    longitude = Int(bits & 0x3F_FFFF) - 1_800_000
  }

  var coordinate: Coordinate {
    Coordinate(latitude: Double(latitude) / 10_000, longitude: Double(longitude) / 10_000)
  }
}

/// Distances good enough to order neighbours: on a sphere, flat around one point.
struct Neighborhood {
  let center: Coordinate
  /// Meters per degree of longitude at the center.
  private let metersPerLongitude: Double
  static let metersPerLatitude = 111_195.0

  init(around center: Coordinate) {
    self.center = center
    metersPerLongitude = Self.metersPerLatitude * cos(Angle(degrees: center.latitude))
  }

  /// Meters.
  func distance(to other: Coordinate) -> Double {
    let (east, north) = offset(to: other)
    return (east * east + north * north).squareRoot()
  }

  /// Meters towards east and north.
  func offset(to other: Coordinate) -> (east: Double, north: Double) {
    var degrees = other.longitude - center.longitude
    if degrees > 180 { degrees -= 360 }
    if degrees < -180 { degrees += 360 }
    return (
      degrees * metersPerLongitude, (other.latitude - center.latitude) * Self.metersPerLatitude
    )
  }

  /// The boxes, in degrees, that hold every point within `radius` meters; two where the
  /// antimeridian cuts through.
  func boxes(radius: Double) -> [DegreeBox] {
    let high = radius / Self.metersPerLatitude
    let south = center.latitude - high
    let north = center.latitude + high
    // Near a pole a box of longitudes says nothing: take the whole cap.
    let narrowest = cos(Angle(degrees: min(max(abs(south), abs(north)), 90)))
    guard north < 90, south > -90, narrowest * 180 * Self.metersPerLatitude > radius else {
      return [DegreeBox(west: -180, east: 180, south: south, north: north)]
    }
    let wide = high / narrowest
    let box = DegreeBox(
      west: center.longitude - wide, east: center.longitude + wide, south: south, north: north)
    if box.west < -180 {
      return [
        DegreeBox(west: -180, east: box.east, south: south, north: north),
        DegreeBox(west: box.west + 360, east: 180, south: south, north: north),
      ]
    }
    if box.east > 180 {
      return [
        DegreeBox(west: box.west, east: 180, south: south, north: north),
        DegreeBox(west: -180, east: box.east - 360, south: south, north: north),
      ]
    }
    return [box]
  }
}

/// A box in degrees.
struct DegreeBox: Hashable {
  var west: Double
  var east: Double
  var south: Double
  var north: Double
}

/// Meters between two places on a sphere of the Earth's mean radius.
func sphericalDistance(_ a: Coordinate, _ b: Coordinate) -> Double {
  let half = { (first: Double, second: Double) in
    let s = sin(Angle(degrees: (second - first) / 2))
    return s * s
  }
  let chord =
    half(a.latitude, b.latitude) + half(a.longitude, b.longitude)
    * cos(Angle(degrees: a.latitude)) * cos(Angle(degrees: b.latitude))
  return 2 * 6_371_008.8 * arcsine(min(1, chord.squareRoot()))
}
