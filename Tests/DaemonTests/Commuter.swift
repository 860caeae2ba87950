import Foundation
import LocationModel

/// A device that goes to and fro between home and work, as a receiver has logged it: six thousand
/// times as fast as time passes.
struct Commuter {
  let log: String

  var source: String { "log://\(log)?rate=6000" }

  static let home = Coordinate(latitude: 48.5, longitude: 11.5)
  static let work = home.moved(by: 2000, towards: 90)
  /// Seconds of one log; a daemon is killed long before its end.
  private static let lap = 1200
  /// Seconds: a stay, and the way there or back, fast on a bicycle.
  static let (stay, way) = (600, 200)
  /// Far enough back for the soak, and not so far that the daemon keeps no visits.
  private static let begin = Date(timeIntervalSinceNow: -30 * 86_400)

  /// Writes the log of the lap of this number.
  func travel(lap number: Int) throws {
    try travel(from: number * Self.lap, to: (number + 1) * Self.lap)
  }

  /// Writes the log of what happens from one second to another: the first stay is at home.
  func travel(from first: Int, to last: Int) throws {
    let lines = stride(from: first, to: last, by: 5).map { second in
      let place = Self.place(at: second)
      let date = (Self.begin + TimeInterval(second)).formatted(.iso8601)
      return #"{"class":"TPV","mode":3,"time":"\#(date)","lat":\#(place.latitude),"#
        + #""lon":\#(place.longitude),"eph":5.0}"#
    }
    try lines.joined(separator: "\n").write(toFile: log, atomically: true, encoding: .utf8)
  }

  private static func place(at second: Int) -> Coordinate {
    let leg = stay + way
    let gone = Double(max(0, second % leg - stay)) / Double(way)
    let isBack = second / leg % 2 == 1
    return home.moved(by: 2000 * (isBack ? 1 - gone : gone), towards: 90)
  }
}
