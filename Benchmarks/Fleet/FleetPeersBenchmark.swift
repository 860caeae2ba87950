import Foundation
import LocationFleet
import LocationModel
import LocationProviders

/// Redis GEO with a script, and PostGIS, each of which keeps in which fences a device is, beside our fleet: the same
/// fences and fixes, and fixes in a second of one processor. Ours also decodes the lines, orders the fixes, and runs
/// all detectors.
func measureFleetPeers(_ world: FleetWorld) throws {
  let lines = world.lines(devices: 5_000, fixes: 20)
  // A worker has as many awake.
  var fleet = Fleet(world.index, mostAwake: 65_536)
  var entries: Set<FenceEntry> = []
  let begin = clock()
  for line in lines {
    guard let parsed = try FleetLine(line) else { continue }
    let outcome = fleet.take(parsed.fix, of: FleetDeviceName(device: parsed.device))
    for event in outcome?.events ?? [] where event.kind == .entered || event.kind == .found {
      entries.insert(FenceEntry(device: number(in: parsed.device), fence: number(in: event.fence)))
    }
  }
  let rate = Double(lines.count) / (Double(clock() - begin) / Double(CLOCKS_PER_SEC))
  try Figure.report("fleet.peers.rate", rate, "/s", "ours, in a second of one processor")
  let folder = try Peers.folder("fleet-peers")
  defer { try? FileManager.default.removeItem(at: folder) }
  let file = folder.appending(path: "world")
  try Data(try text(of: world, lines).utf8).write(to: file)
  var missing: [String] = []
  for (name, least) in [("redis", 3.0), ("postgis", 20)] {
    let script = Peers.packageRoot.appending(path: "Benchmarks/Fleet/fleet_peers.py").path
    let python = URL(filePath: try Peers.program("python3", from: "python3"))
    let (printed, status) = try outcome(python, ["-B", script, name, file.path])
    guard status == 0 else {
      missing.append("\(name): \(printed.suffix(200))")
      continue
    }
    let words = printed.split(separator: "\n").map { $0.split(separator: " ") }
    guard let theirs = words.first(where: { $0.first == "rate" }).flatMap({ Double($0[1]) }) else {
      throw InvalidMeasurement(text: "\(name) printed no rate")
    }
    let found = Set(
      words.filter { $0.first == "+" }.map {
        FenceEntry(device: number(in: String($0[1])), fence: number(in: String($0[2])))
      })
    try Figure.report("fleet.\(name).rate", theirs, "/s", "\(name), in a second of one processor")
    try Figure.report("fleet.\(name).ratio", rate / theirs, "times", "ours over \(name)")
    let isWon = rate / theirs >= least
    print("\(isWon ? "won " : "lost"): \(name), at least \(least) times: \(rate / theirs)")
    let others = entries.subtracting(found).count
    print(
      "entries: \(name) \(found.count), ours \(entries.count); \(others) of ours are none of its. "
        + "Ours are decided with the accuracy of the fixes: one that only grazes a fence is none.")
    try Figure.report(
      "fleet.\(name).other", 100 * Double(others) / Double(max(entries.count, 1)), "%",
      "our entries that \(name) has not")
  }
  guard missing.isEmpty else { throw MissingPeer(text: missing.joined(separator: "; ")) }
}

private struct FenceEntry: Hashable {
  var device: Int
  var fence: Int
}

/// The number with which a name ends.
private func number(in name: String?) -> Int {
  Int(name?.split(separator: "-").last ?? "") ?? -1
}

/// What `fleet_peers.py` reads.
private func text(of world: FleetWorld, _ lines: [[UInt8]]) throws -> String {
  var rows = ["fences \(world.index.count) 150"]
  for slot in 0..<world.index.count {
    guard case .circle(let circle) = world.index[FleetFences.Slot(slot)].area else { continue }
    rows.append("\(circle.center.longitude) \(circle.center.latitude)")
  }
  for line in lines {
    guard let parsed = try FleetLine(line) else { continue }
    let place = parsed.fix.coordinate
    rows.append("\(number(in: parsed.device)) \(place.longitude) \(place.latitude)")
  }
  return rows.joined(separator: "\n") + "\n"
}
