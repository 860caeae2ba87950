import Foundation
import LocationModel
import TestSupport

/// The recordings of gpsd's regression suite, and what gpsd makes of them.
enum GpsdCorpus {
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

    /// Whether a fix has the same place, to 1e-7 degree, and the same time. gpsd 3.22 takes a date
    /// before its own release for one of an earlier round of GPS weeks, and adds rounds: 2005
    /// becomes 2025. There, times are compared within their round.
    func agrees(with fix: Fix, at milliseconds: Int64?, rounds: Bool) -> Bool {
      guard let lat, let lon else { return false }
      return abs(fix.coordinate.latitude - lat) <= 1e-7
        && abs(fix.coordinate.longitude - lon) <= 1e-7
        && (milliseconds.map { isSame($0, fix.time.nanoseconds / 1_000_000, rounds) } ?? true)
    }

    private func isSame(_ time: Int64, _ other: Int64, _ rounds: Bool) -> Bool {
      rounds ? (time - other) % (1024 * 7 * 86_400_000) == 0 : time == other
    }
  }

  /// gpsd's reports of positions in a log.
  static func reports(_ name: String, of logs: ReceiverLogs) throws -> [Report] {
    let start = Array(#"{"class":"TPV""#.utf8)
    let decoder = JSONDecoder()
    return try logs.reports(name).split(separator: UInt8(ascii: "\n"))
      .filter { $0.starts(with: start) }
      .map { try decoder.decode(Report.self, from: Data($0)) }
      .filter { $0.lat != nil }
  }

  /// Logs of other collections in the shared data; none without it.
  static func otherLogs() throws -> [(name: String, bytes: [UInt8])] {
    guard SharedData.folder != nil else { return [] }
    return try SharedData.names(in: "gps-receivers/nmea").map {
      ($0, Array(try SharedData.bytes("gps-receivers/nmea/\($0)")))
    }
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
