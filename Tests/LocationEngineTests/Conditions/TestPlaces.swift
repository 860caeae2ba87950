import LocationModel

@testable import LocationEngine

/// A place so many meters from 37° N, 122° W, on the plane that touches the sphere there.
func place(east: Double = 0, north: Double = 0) -> Coordinate {
  Coordinate(
    latitude: 37 + north / 110_985,
    longitude: -122 + east / 88_993)
}

func fix(
  east: Double = 0, north: Double = 0, accuracy: Double = 5, at seconds: Double,
  speed: Double? = nil
) -> Fix {
  var fix = Fix(
    coordinate: place(east: east, north: north), horizontalAccuracy: accuracy,
    time: UnixTime(seconds: 1_700_000_000 + seconds))
  fix.speed = speed
  return fix
}

func moment(_ seconds: Double) -> Moment {
  Moment(
    uptime: Instant(nanoseconds: Int64(seconds * 1e9)),
    unixTime: UnixTime(seconds: 1_700_000_000 + seconds))
}

/// Standard normal, from twelve uniform numbers.
func gaussian(_ random: inout SeededRandom) -> Double {
  (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
}
