import Foundation
import LocationModel
import MachineTesting

/// The recordings of gpsd's regression suite, and what gpsd makes of them.
enum GpsdCorpus {
  static let folder = "gps-receivers/gpsd"

  /// One of gpsd's reports with a position.
  struct Report: Decodable {
    var `class`: String
    var mode: Int
    var time: String?
    var lat: Double?
    var lon: Double?

    /// Milliseconds of Unix time; `nil` before gpsd knows the date.
    var milliseconds: Int64? {
      get throws {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return try time.map { Int64((try style.parse($0).timeIntervalSince1970 * 1000).rounded()) }
      }
    }

    func agrees(with fix: Fix, at milliseconds: Int64?) -> Bool {
      guard let lat, let lon else { return false }
      return abs(fix.coordinate.latitude - lat) <= 1e-7
        && abs(fix.coordinate.longitude - lon) <= 1e-7
        && (milliseconds == nil || milliseconds == fix.time.nanoseconds / 1_000_000)
    }
  }

  /// The names of the logs of a kind (`nmea` or `binary`), or of all.
  static func names(_ kind: Substring? = nil) throws -> [String] {
    try SharedData.lines("\(folder)/index.tsv").dropFirst().compactMap { line in
      let fields = line.split(separator: "\t")
      return kind == nil || fields[1] == kind ? String(fields[0]) : nil
    }
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    Array(try SharedData.bytes("\(folder)/\(name).gz"))
  }

  static func reports(_ name: String) throws -> [Report] {
    let start = Array(#"{"class":"TPV""#.utf8)
    let bytes = Array(try SharedData.bytes("\(folder)/\(name).chk.gz"))
    let decoder = JSONDecoder()
    return try bytes.split(separator: UInt8(ascii: "\n")).filter { $0.starts(with: start) }
      .map { try decoder.decode(Report.self, from: Data($0)) }
      .filter { $0.lat != nil }
  }

  /// Noon of the day that a log's header names, as the host's date during the recording.
  static func moment(of bytes: [UInt8]) throws -> Moment {
    let head = String(decoding: bytes.prefix(2000), as: UTF8.self)
    guard let match = head.firstMatch(of: /# Date\s*[:=]\s*(\d{4})-(\d+)-(\d+)/),
      let year = Int(match.1), let month = Int(match.2), let day = Int(match.3)
    else { return noon }
    let parts = DateComponents(
      calendar: Calendar(identifier: .gregorian), timeZone: .gmt, year: year, month: month,
      day: day, hour: 12)
    guard let date = parts.date else { return noon }
    return Moment(uptime: .start, unixTime: UnixTime(seconds: date.timeIntervalSince1970))
  }
}
