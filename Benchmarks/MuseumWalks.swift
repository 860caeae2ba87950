import Foundation
import LocationModel
import LocationRadio
import LocationSecrets
import TestSupport

/// The recorded walks of a museum with the fixes of the phone's own receiver, and those by a map that
/// the walks of another round have taught.
enum MuseumWalks {
  private typealias Scan = (seconds: Double, placed: PlacedScan)

  /// Returns all walks; `nil` where the recordings are missing.
  static func read() throws -> [FusionWalk]? {
    guard let (scans, fixes) = try recordings() else { return nil }
    let logs = scans.keys.sorted()
    return logs.enumerated().map { number, log in
      let round = log.suffix(5)
      let start = UnixTime(seconds: 1_700_000_000 + Double(number) * 3600)
      var map = taught(by: logs.filter { $0.suffix(5) != round }.compactMap { scans[$0] })
      return walk(scans[log] ?? [], fixes[log] ?? [], from: start, &map)
    }
  }

  /// The scans and the rows of the receiver, by walk.
  private static func recordings() throws -> (
    scans: [String: [Scan]], fixes: [String: [[String: String]]]
  )? {
    let shared = ProcessInfo.processInfo.environment["MERIDIAN_SHARED"] ?? "../shared"
    let folder = URL(filePath: shared).appending(path: "data/wifi")
    let scans = try RadioSet.museumWalks(in: folder)
    guard !scans.isEmpty,
      let gnss = try Table.rows(of: folder.appending(path: "ipin2023-gnss.csv.gz"))
    else { return nil }
    return (scans, Dictionary(grouping: gnss) { $0["log"] ?? "" })
  }

  private static func place(_ row: [String: String]) -> Coordinate? {
    guard let latitude = row["latitude"].flatMap(Double.init),
      let longitude = row["longitude"].flatMap(Double.init)
    else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  private static func taught(by walks: [[Scan]]) -> RadioMap {
    var map = RadioMap(secret: SecretKey(seed: 7))
    for scan in walks.joined() { scan.placed.teach(&map) }
    return map
  }

  private static func walk(
    _ scans: [Scan], _ rows: [[String: String]], from start: UnixTime, _ map: inout RadioMap
  ) -> FusionWalk {
    var fixes: [(provider: ProviderID, fix: Fix)] = []
    for scan in scans {
      if let fix = locate(scan, from: start, &map) { fixes.append((ProviderID(1), fix)) }
    }
    fixes += received(rows, from: start).map { (ProviderID(0), $0) }
    fixes.sort { ($0.fix.time, $0.provider) < ($1.fix.time, $1.provider) }
    return FusionWalk(fixes: fixes) { truth(at: $0.seconds(since: start), in: scans) }
  }

  /// The fixes of the phone's own receiver.
  private static func received(_ rows: [[String: String]], from start: UnixTime) -> [Fix] {
    rows.compactMap { row in
      guard let place = place(row), let seconds = row["t"].flatMap(Double.init),
        let accuracy = row["accuracy"].flatMap(Double.init), accuracy > 0
      else { return nil }
      var fix = Fix(
        coordinate: place, horizontalAccuracy: accuracy, time: start + .seconds(seconds))
      // The column that is named for the bearing holds the speed, 0 to 8 m/s; there is no course.
      fix.speed = row["bearing"].flatMap(Double.init)
      return fix
    }
  }

  // MARK: Taught by the phone's own receiver

  /// Returns how far off the positions of all walks are, and their radii, by maps that the phone's receiver
  /// has taught on the walks of other rounds; `nil` where the recordings are missing.
  ///
  /// Between two walks lies a day.
  static func taughtByReceiver() throws -> [(error: Double, radius: Double)]? {
    guard let (scans, fixes) = try recordings() else { return nil }
    let rounds = Dictionary(grouping: scans.keys.sorted()) { $0.suffix(5) }
    return rounds.sorted { $0.key < $1.key }.flatMap { round, logs in
      var map = RadioMap(secret: SecretKey(seed: 7))
      var start = UnixTime(seconds: 1_700_000_000)
      for log in scans.keys.sorted() where log.suffix(5) != round {
        teach(&map, scans[log] ?? [], received(fixes[log] ?? [], from: start), from: start)
        start = start + .seconds(86_400)
      }
      return logs.flatMap { log -> [(error: Double, radius: Double)] in
        start = start + .seconds(86_400)
        return (scans[log] ?? []).compactMap { scan in
          guard let fix = locate(scan, from: start, &map) else { return nil }
          let distance = LocalFrame(center: scan.placed.place).distance(to: fix.coordinate)
          return (distance, fix.horizontalAccuracy)
        }
      }
    }
  }

  private static func teach(
    _ map: inout RadioMap, _ scans: [Scan], _ fixes: [Fix], from start: UnixTime
  ) {
    var fixes = fixes.sorted { $0.time < $1.time }[...]
    for scan in scans {
      while let fix = fixes.first, fix.time < start + .seconds(scan.seconds) {
        _ = map.handle(.fix(fixes.removeFirst()), at: PlacedScan.moment(fix.time))
      }
      _ = locate(scan, from: start, &map)
    }
    for fix in fixes { _ = map.handle(.fix(fix), at: PlacedScan.moment(fix.time)) }
  }

  private static func locate(_ scan: Scan, from start: UnixTime, _ map: inout RadioMap) -> Fix? {
    let time = start + .seconds(scan.seconds)
    let outputs = map.handle(
      .scan(RadioScan(scan.placed.scan.readings, time: time), from: ProviderID(1)),
      at: PlacedScan.moment(time))
    for case .fix(let fix, _) in outputs { return fix }
    return nil
  }

  /// Between two scans, on the line between their places.
  private static func truth(at seconds: Double, in scans: [Scan]) -> Coordinate? {
    guard let next = scans.firstIndex(where: { $0.seconds >= seconds - 1e-6 }) else { return nil }
    let after = scans[next]
    guard after.seconds - seconds > 1e-6 else { return after.placed.place }
    guard next > 0, after.seconds - scans[next - 1].seconds <= 10 else { return nil }
    let before = scans[next - 1]
    let share = (seconds - before.seconds) / (after.seconds - before.seconds)
    let frame = LocalFrame(center: before.placed.place)
    let way = frame.offset(of: after.placed.place)
    return frame.place(east: way.east * share, north: way.north * share)
  }
}
