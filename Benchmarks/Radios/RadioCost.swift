import Foundation
import Glibc
import LocationModel
import LocationRadio
import LocationSecrets

/// What one scan costs: instructions under callgrind, and the bytes that a station is worth.
enum RadioCost {
  static let name = "radio-cost"

  /// Runs as a program of its own: teaches what a file has, and asks so many of its scans. It reads no
  /// compressed file, since no program starts another one under valgrind.
  static func run(_ words: [String]) throws {
    guard words.count == 3, let count = Int(words[2]) else { exit(2) }
    let lines = try String(contentsOfFile: words[1], encoding: .utf8)
    let set = RadioSet(name: name, lines: lines)
    var map = RadioMap(secret: SecretKey(seed: 7))
    for placed in set.teaching { placed.teach(&map) }
    var found = 0
    for placed in set.asking.prefix(count) {
      let moment = PlacedScan.moment(placed.scan.time)
      if !map.handle(.scan(placed.scan, from: ProviderID(0)), at: moment).isEmpty { found += 1 }
    }
    exit(found > count / 2 ? 0 : 3)
  }

  static func report() throws {
    guard let set = try museum() else { return }
    let counts = [100, set.asking.count]
    let folder = try Peers.folder("radio-cost")
    defer { try? FileManager.default.removeItem(at: folder) }
    let callgrind = try Callgrind(in: folder)
    let file = folder.appending(path: "scans.txt")
    try set.lines.write(to: file, atomically: false, encoding: .utf8)
    let totals = try counts.map { try callgrind.instructions(of: [name, file.path, "\($0)"]) }
    let each = (totals[1] - totals[0]) / Double(counts[1] - counts[0])
    try Figure.report("radios.museum.instructions", each / 1000, "k", "museum, instructions a scan")
    let before = residentBytes
    let maps = (0..<maps).map { number in
      var map = RadioMap(secret: SecretKey(seed: UInt64(number)))
      for placed in set.teaching { placed.teach(&map) }
      return map
    }
    let held = (residentBytes - before) / Double(maps.count)
    guard let last = set.teaching.last,
      let summary = maps[0].summaries(on: last.scan.time).first(where: { $0.kind == .accessPoints })
    else { return }
    let stations = Double(summary.transmitters)
    try Figure.report("radios.museum.stations", stations, "", "museum, stations that are known")
    try Figure.report(
      "radios.museum.station.memory", held / stations, "B", "museum, memory of a station")
    try Figure.report(
      "radios.museum.station.stored", Double(summary.bytes) / stations, "B",
      "museum, stored of a station")
  }

  /// So many that what the first of them leaves behind does not count.
  private static let maps = 10

  private static var residentBytes: Double {
    let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let pages = text?.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
    return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
  }

  private static func museum() throws -> RadioSet? {
    let environment = ProcessInfo.processInfo.environment
    let shared = URL(filePath: (environment["MERIDIAN_SHARED"] ?? "../shared") + "/data/wifi")
    return try RadioSet.all(teaching: shared, asking: nil).first { $0.name == "museum" }
  }
}
