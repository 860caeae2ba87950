import Foundation
import LocationModel
import LocationSimulation
import TestSupport

/// A receiver that is where the test says, with a clock that runs as the test says.
struct MatrixReceiver {
  let server: Server
  /// The time of the next solution; `nil` for that of this computer.
  private var clock: Date?

  /// One that is late has a clock that begins a day ago, and runs with the solutions.
  init(isLate: Bool) throws {
    server = try Server()
    clock = isLate ? Date(timeIntervalSinceNow: -86_400) : nil
  }

  static let home = Coordinate(latitude: 48.5, longitude: 11.5)
  /// Meters from home.
  static let away = 1500.0
  /// Meters per second, and between two solutions of a way.
  private static let (speed, step) = (10.0, 50.0)

  /// So many solutions at one place, at rest.
  mutating func stay(_ count: Int, at distance: Double, seconds: Double = 1) {
    let now = Date()
    for number in 0..<count {
      let time = now + Double(number - count) * seconds
      solve(distance, Motion(speed: 0, course: 0), after: seconds, or: time)
    }
  }

  /// A way in a straight line, by bicycle.
  mutating func travel(from start: Double, to end: Double) {
    let count = max(Int(abs(end - start) / Self.step), 1)
    let motion = Motion(speed: Self.speed, course: end < start ? 180 : 0)
    for number in 1...count {
      let distance = start + (end - start) * Double(number) / Double(count)
      solve(distance, motion, after: Self.step / Self.speed, or: Date())
    }
  }

  /// The compass of the receiver points there.
  func point(to degrees: Int) {
    server.write(NMEAWriter.sentence("HCHDM,\(degrees).0,M"))
  }

  private struct Motion {
    /// Meters per second.
    var speed: Double
    /// Degrees.
    var course: Double
  }

  private mutating func solve(
    _ distance: Double, _ motion: Motion, after seconds: Double, or now: Date
  ) {
    clock = clock.map { $0 + seconds }
    let place = Self.home.moved(by: distance, towards: 0)
    let (date, time) = Self.words(clock ?? now)
    let latitude = Self.degrees(place.latitude)
    let longitude = "0" + Self.degrees(place.longitude)
    let way = String(format: "%05.1f,%05.1f", motion.speed / 0.514444, motion.course)
    server.write(
      NMEAWriter.sentence("GPRMC,\(time),A,\(latitude),N,\(longitude),E,\(way),\(date),,,A")
        + NMEAWriter.sentence(
          "GPGGA,\(time),\(latitude),N,\(longitude),E,1,08,0.9,545.4,M,46.9,M,,"))
  }

  private static func degrees(_ value: Double) -> String {
    let whole = value.rounded(.down)
    return String(format: "%02d%07.4f", Int(whole), (value - whole) * 60)
  }

  private static func words(_ date: Date) -> (date: String, time: String) {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "ddMMyy HHmmss.SSS"
    let words = formatter.string(from: date).split(separator: " ").map(String.init)
    return (words[0], words[1])
  }
}

/// The place index that the build has made.
enum PlaceIndex {
  static let path: String? = {
    var folder = URL(fileURLWithPath: BuiltProgram.path("locationd")).deletingLastPathComponent()
    while folder.path != "/" {
      let file = folder.appending(path: "places.sqlite").path
      if access(file, R_OK) == 0 { return file }
      folder = folder.deletingLastPathComponent()
    }
    return nil
  }()
}
