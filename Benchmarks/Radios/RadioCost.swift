import Foundation
import Glibc
import LocationModel
import LocationRadio
import LocationSecrets

/// What one scan costs: instructions under callgrind, and the bytes that a station is worth.
enum RadioCost {
  static let name = "radio-cost"

  /// Runs as a program of its own: teaches what a file has, and asks so many of its scans, or prints the
  /// sizes of what it has learned. It reads no compressed file, since no program starts another one under valgrind.
  static func run(_ words: [String]) throws {
    guard words.count == 3 else { exit(2) }
    let lines = try String(contentsOfFile: words[1], encoding: .utf8)
    let set = RadioSet(name: name, lines: lines)
    guard let count = Int(words[2]) else { try printSizes(of: set) }
    var map = RadioMap(secret: SecretKey(seed: 7))
    for placed in set.teaching { placed.teach(&map) }
    var found = 0
    for placed in set.asking.prefix(count) {
      let moment = PlacedScan.moment(placed.scan.time)
      if !map.handle(.scan(placed.scan, from: ProviderID(0)), at: moment).isEmpty { found += 1 }
    }
    exit(found > count / 2 ? 0 : 3)
  }

  static func report(_ set: RadioSet) throws {
    let counts = [100, set.asking.count]
    let folder = try Peers.folder("radio-cost")
    defer { try? FileManager.default.removeItem(at: folder) }
    let callgrind = try Callgrind(in: folder)
    let file = folder.appending(path: "scans.txt")
    try set.lines.write(to: file, atomically: false, encoding: .utf8)
    let totals = try counts.map { try callgrind.instructions(of: [name, file.path, "\($0)"]) }
    let each = (totals[1] - totals[0]) / Double(counts[1] - counts[0])
    try Figure.report(
      "radios.\(set.name).instructions", each / 1000, "k", "\(set.name), instructions a scan")
    let own = URL(filePath: Peers.own)
    let printed = try Benchmarks.run(own, [name, file.path, "sizes"]) ?? ""
    let sizes = printed.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard sizes.count == 3 else { throw MissingPeer(text: "the sizes of a map are not printed") }
    for (size, figure, unit, label) in [
      (sizes[0], "stations", "", "stations that are known"),
      (sizes[1], "station.memory", "B", "memory of a station and of where it is heard"),
      (sizes[2], "station.stored", "B", "stored of a station and of where it is heard"),
    ] {
      try Figure.report("radios.\(set.name).\(figure)", size, unit, "\(set.name), \(label)")
    }
  }

  /// Prints how many stations a map knows, and the bytes of each in memory and stored.
  private static func printSizes(of set: RadioSet) throws -> Never {
    guard let last = set.teaching.last?.scan.time else { exit(3) }
    func taught(_ number: Int) -> RadioMap {
      var map = RadioMap(secret: SecretKey(seed: UInt64(number)))
      for placed in set.teaching { placed.teach(&map) }
      _ = map.handle(.wake, at: PlacedScan.moment(last + .seconds(3600)))
      return map
    }
    // Before it is counted, so that what learning needs besides is there already.
    let first = taught(0)
    let before = try residentBytes()
    let more = (1...maps).map(taught)
    let held = (try residentBytes() - before) / Double(more.count)
    guard let summary = first.summaries(on: last).first(where: { $0.kind == .accessPoints }) else {
      exit(3)
    }
    let stations = Double(summary.transmitters)
    print(stations, held / stations, Double(summary.bytes) / stations)
    exit(0)
  }

  /// So many that a page more or less does not count.
  private static let maps = 20
}
