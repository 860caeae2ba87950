import Foundation
import LocationModel
import LocationSimulation

/// A drive along a road as an NMEA receiver tells it: one epoch after the other, each with GGA,
/// GSA, two GSV, and RMC.
struct Drive {
  private let start: UnixTime

  init(from start: UnixTime) {
    self.start = start
  }

  /// The sentences of one epoch, at 25 m/s since the start; dates are whole milliseconds.
  func epoch(at time: UnixTime, speed: String = "048.6") -> [UInt8] {
    let elapsed = time.seconds(since: start)
    let (latitude, longitude) = (48.1 + elapsed * 0.000_2, 11.5 + elapsed * 0.000_15)
    let stamp = time.iso8601
    let digits = stamp.filter(\.isNumber)
    let clock = "\(digits.dropFirst(8).prefix(6)).\(digits.suffix(3))"
    let date =
      "\(digits.dropFirst(6).prefix(2))\(digits.dropFirst(4).prefix(2))"
      + "\(digits.dropFirst(2).prefix(2))"
    let place = "\(Self.angle(latitude, 2)),N,\(Self.angle(longitude, 3)),E"
    let bodies = [
      "GPGGA,\(clock),\(place),1,08,0.9,545.4,M,46.9,M,,",
      "GPGSA,A,3,04,05,09,12,24,25,29,31,,,,,1.8,0.9,1.5",
      "GPGSV,2,1,08,04,40,083,46,05,17,308,41,09,07,344,39,12,22,228,45",
      "GPGSV,2,2,08,24,62,150,48,25,31,045,43,29,55,210,47,31,12,120,38",
      "GPRMC,\(clock),A,\(place),\(speed),035.4,\(date),,",
    ]
    return bodies.flatMap { Self.sentence($0) }
  }

  /// The sentences of one epoch at the place of the start.
  func standing(at time: UnixTime) -> [UInt8] {
    Drive(from: UnixTime(milliseconds: time.nanoseconds / 1_000_000))
      .epoch(at: UnixTime(milliseconds: time.nanoseconds / 1_000_000), speed: "000.0")
  }

  static let sentencesOfEpoch = 5

  private static func angle(_ degrees: Double, _ digits: Int) -> String {
    let whole = Int(degrees)
    let minutes = String(format: "%07.4f", (degrees - Double(whole)) * 60)
    return String(format: "%0\(digits)d", whole) + minutes
  }

  private static func sentence(_ body: String) -> [UInt8] { NMEAWriter.sentence(body) }
}
