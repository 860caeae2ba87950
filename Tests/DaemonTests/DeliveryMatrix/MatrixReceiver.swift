import Foundation
import LocationModel
import LocationSimulation
import TestSupport

/// A receiver that is where the test says, with a clock that runs as the test says.
struct MatrixReceiver {
  let server: Server
  /// The time of the next solution.
  private var clock: Date

  init(isLate: Bool) throws {
    server = try Server()
    clock = Date(timeIntervalSinceNow: isLate ? -86_400 : 0)
  }

  static let home = Coordinate(latitude: 48.5, longitude: 11.5)
  /// Meters from home.
  static let away = 1500.0
  /// Meters per second, and between two solutions of a way.
  private static let (speed, step) = (10.0, 50.0)

  /// So many solutions at one place, at rest.
  mutating func stay(_ count: Int, at distance: Double, seconds: Double = 1) {
    for _ in 0..<count { solve(distance, speed: 0, seconds: seconds) }
  }

  /// A way in a straight line, by bicycle.
  mutating func travel(from start: Double, to end: Double) {
    let count = Int(abs(end - start) / Self.step)
    for number in 1...max(count, 1) {
      let part = Double(number) / Double(max(count, 1))
      solve(start + (end - start) * part, speed: Self.speed, seconds: Self.step / Self.speed)
    }
  }

  /// The compass of the receiver points there.
  func point(to degrees: Int) {
    server.write(NMEAWriter.sentence("HCHDM,\(degrees).0,M"))
  }

  private mutating func solve(_ distance: Double, speed: Double, seconds: Double) {
    let place = Self.home.moved(by: distance, towards: 0)
    let time = Self.words(clock, "HHmmss.SSS")
    let latitude = Self.degrees(place.latitude)
    let longitude = "0" + Self.degrees(place.longitude)
    let knots = String(format: "%05.1f", speed / 0.514444)
    server.write(
      NMEAWriter.sentence(
        "GPRMC,\(time),A,\(latitude),N,\(longitude),E,\(knots),180.0,"
          + "\(Self.words(clock, "ddMMyy")),,,A")
        + NMEAWriter.sentence(
          "GPGGA,\(time),\(latitude),N,\(longitude),E,1,08,0.9,545.4,M,46.9,M,,"))
    clock += seconds
  }

  private static func degrees(_ value: Double) -> String {
    let whole = value.rounded(.down)
    return String(format: "%02d%07.4f", Int(whole), (value - whole) * 60)
  }

  private static func words(_ date: Date, _ format: String) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = format
    return formatter.string(from: date)
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
