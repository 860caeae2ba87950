import Foundation
import LocationModel
import LocationRadio
import LocationSecrets

/// The recorded walks of a museum with the fixes of the phone's own receiver, and those by a map that
/// the walks of another round have taught.
enum MuseumWalks {
  private struct Scan {
    var seconds: Double
    var place: Coordinate
    var floor: Int
    var readings: [RadioScan.Reading]
  }

  /// Returns all walks; `nil` where the recordings are missing.
  static func read() throws -> [FusionWalk]? {
    let shared = ProcessInfo.processInfo.environment["MERIDIAN_SHARED"] ?? "../shared"
    let folder = URL(filePath: shared).appending(path: "data/wifi")
    guard let rows = try Table.rows(of: folder.appending(path: "ipin2023-scans.csv.gz")),
      let gnss = try Table.rows(of: folder.appending(path: "ipin2023-gnss.csv.gz"))
    else { return nil }
    let scans = Dictionary(grouping: rows) { $0["log"] ?? "" }.mapValues(Self.scans)
    let fixes = Dictionary(grouping: gnss) { $0["log"] ?? "" }
    let logs = scans.keys.sorted()
    return logs.enumerated().map { number, log in
      let round = log.suffix(5)
      let start = UnixTime(seconds: 1_700_000_000 + Double(number) * 3600)
      var map = taught(by: logs.filter { $0.suffix(5) != round }.compactMap { scans[$0] })
      return walk(scans[log] ?? [], fixes[log] ?? [], from: start, &map)
    }
  }

  private static func scans(_ rows: [[String: String]]) -> [Scan] {
    var scans: [Scan] = []
    for row in rows {
      guard let seconds = row["t"].flatMap(Double.init),
        let bits = UInt64((row["bssid"] ?? "").filter { $0 != ":" }, radix: 16),
        let level = row["rssi"].flatMap(Double.init), let place = place(row)
      else { continue }
      let reading = RadioScan.Reading(
        .accessPoint(BSSID(bits)), level: level, frequency: row["frequency"].flatMap { Int($0) })
      if scans.last?.seconds == seconds {
        scans[scans.count - 1].readings.append(reading)
      } else {
        scans.append(
          Scan(
            seconds: seconds, place: place, floor: row["floor"].flatMap { Int($0) } ?? 0,
            readings: [reading]))
      }
    }
    return scans
  }

  private static func place(_ row: [String: String]) -> Coordinate? {
    guard let latitude = row["latitude"].flatMap(Double.init),
      let longitude = row["longitude"].flatMap(Double.init)
    else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  private static func moment(_ time: UnixTime) -> Moment {
    Moment(uptime: Instant(nanoseconds: time.nanoseconds), unixTime: time)
  }

  /// A receiver knows the place before and after each scan.
  private static func taught(by walks: [[Scan]]) -> RadioMap {
    var map = RadioMap(secret: SecretKey(seed: 7))
    for (number, scans) in walks.enumerated() {
      for scan in scans {
        let time = UnixTime(seconds: 1_650_000_000 + Double(number) * 3600 + scan.seconds)
        for side in [-0.5, 0.5] {
          var fix = Fix(
            coordinate: scan.place, horizontalAccuracy: 3, time: time + .seconds(side))
          fix.floor = scan.floor
          _ = map.handle(.fix(fix), at: moment(fix.time))
          guard side < 0 else { continue }
          _ = map.handle(
            .scan(RadioScan(scan.readings, time: time), from: ProviderID(1)), at: moment(time))
        }
      }
    }
    return map
  }

  private static func walk(
    _ scans: [Scan], _ rows: [[String: String]], from start: UnixTime, _ map: inout RadioMap
  ) -> FusionWalk {
    var fixes: [(provider: ProviderID, fix: Fix)] = []
    for scan in scans {
      let time = start + .seconds(scan.seconds)
      let outputs = map.handle(
        .scan(RadioScan(scan.readings, time: time), from: ProviderID(1)), at: moment(time))
      for case .fix(let fix, _) in outputs { fixes.append((ProviderID(1), fix)) }
    }
    for row in rows {
      guard let place = place(row), let seconds = row["t"].flatMap(Double.init),
        let accuracy = row["accuracy"].flatMap(Double.init), accuracy > 0
      else { continue }
      var fix = Fix(
        coordinate: place, horizontalAccuracy: accuracy, time: start + .seconds(seconds))
      // The column that is named for the bearing holds the speed, 0 to 3 m/s; there is no course.
      fix.speed = row["bearing"].flatMap(Double.init)
      fixes.append((ProviderID(0), fix))
    }
    fixes.sort { ($0.fix.time, $0.provider) < ($1.fix.time, $1.provider) }
    return FusionWalk(fixes: fixes) { truth(at: $0.seconds(since: start), in: scans) }
  }

  /// Between two scans, on the line between their places.
  private static func truth(at seconds: Double, in scans: [Scan]) -> Coordinate? {
    guard let next = scans.firstIndex(where: { $0.seconds >= seconds - 1e-6 }) else { return nil }
    let after = scans[next]
    guard after.seconds - seconds > 1e-6 else { return after.place }
    guard next > 0, after.seconds - scans[next - 1].seconds <= 10 else { return nil }
    let before = scans[next - 1]
    let share = (seconds - before.seconds) / (after.seconds - before.seconds)
    let frame = LocalFrame(center: before.place)
    let way = frame.offset(of: after.place)
    return frame.place(east: way.east * share, north: way.north * share)
  }
}
