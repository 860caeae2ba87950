import LocationModel

/// A person who lives somewhere, works elsewhere, walks around home, and travels on Sundays.
struct Wanderer {
  let home: Coordinate
  private let work: (east: Double, north: Double)
  private let seed: UInt64

  /// A life that only the seed explains, somewhere in middle latitudes.
  init(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    home = Coordinate(
      latitude: .random(in: 45...50, using: &random),
      longitude: .random(in: 5...15, using: &random))
    let bearing = Double.random(in: 0..<(2 * .pi), using: &random)
    let distance = Double.random(in: 3_000...25_000, using: &random)
    work = (distance * cosine(bearing), distance * sine(bearing))
    self.seed = seed
  }

  /// Where the person is, so many seconds after midnight of a Monday, as a receiver sees it.
  func position(at seconds: Double) -> Coordinate {
    let day = Int(seconds / 86_400)
    let hour = (seconds - Double(day) * 86_400) / 3600
    let moved = day % 7 == 6 ? trip(on: day, hour: hour) : workday(on: day, hour: hour)
    var noise = SeededRandom(seed: seed &+ UInt64(seconds))
    let east = moved.east + .random(in: -15...15, using: &noise)
    let north = moved.north + .random(in: -15...15, using: &noise)
    return home.moved(east: east, north: north)
  }

  /// At work from nine to five, an hour on the way, and a walk in the evening.
  private func workday(on day: Int, hour: Double) -> (east: Double, north: Double) {
    let there = min(max(min(hour - 8, 18 - hour), 0), 1)
    guard (19..<20).contains(hour) else { return (work.east * there, work.north * there) }
    return out(on: day, reach: 2_000, phase: hour - 19)
  }

  /// Away from ten to eight, in a direction of the day.
  private func trip(on day: Int, hour: Double) -> (east: Double, north: Double) {
    guard (10..<20).contains(hour) else { return (0, 0) }
    return out(on: day, reach: 60_000, phase: (hour - 10) / 10)
  }

  /// Out and back again while `phase` goes from 0 to 1.
  private func out(on day: Int, reach: Double, phase: Double) -> (east: Double, north: Double) {
    var random = SeededRandom(seed: seed &+ UInt64(day) &* 77_777)
    let bearing = Double.random(in: 0..<(2 * .pi), using: &random)
    let distance = reach * sine(phase * .pi)
    return (distance * cosine(bearing), distance * sine(bearing))
  }
}

extension Coordinate {
  /// A place so many meters away, on a small plane.
  func moved(east: Double, north: Double) -> Coordinate {
    let perDegree = 111_195.0
    return Coordinate(
      latitude: latitude + north / perDegree,
      longitude: longitude + east / (perDegree * cosine(latitude * .pi / 180)))
  }

  /// Meters to another place, on a small plane.
  func planeDistance(to other: Coordinate) -> Double {
    let perDegree = 111_195.0
    let north = (other.latitude - latitude) * perDegree
    let east = (other.longitude - longitude) * perDegree * cosine(latitude * .pi / 180)
    return hypotenuse(east, north)
  }
}
