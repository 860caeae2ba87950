import Foundation
import LocationEngine
import LocationModel

/// What an index of circles costs, ours or another: nanoseconds, and bytes a circle.
struct CircleCost {
  /// By name: `build`, `insertion`, `removal`, `bytes`, `devices`, `walk`.
  var values: [String: Double] = [:]
  /// Answers of all look-ups by `devices` and `walk`.
  var answers: [String: Int] = [:]

  init() {}

  /// Reads lines of a name and a number.
  init(printed: String) {
    for line in printed.split(whereSeparator: \.isNewline) {
      let words = line.split(separator: " ")
      guard words.count == 2, let value = Double(words[1]) else { continue }
      let name = String(words[0])
      if name.hasSuffix(".answers") {
        answers[String(name.dropLast(".answers".count))] = Int(value)
      } else {
        values[name] = value
      }
    }
  }
}

/// Other indexes, each a program of its own, on the very boxes and places of our index.
struct CirclePeers {
  /// How many circles are removed and inserted again while an index is in use.
  static let churn = 10_000
  static let names = ["boost", "shapely", "postgis", "redis"]

  private let folder: URL
  private var commands: [String: (URL, [String])] = [:]
  /// Why a peer is not compared with.
  private(set) var missing: [String: String] = [:]

  /// Prepares all peers, or only the named ones.
  init(in folder: URL, only named: some Collection<String>) throws {
    self.folder = folder
    let sources = Peers.packageRoot.appending(path: "Benchmarks/Circles")
    let boost = folder.appending(path: "boost_circles")
    let compiler = try executable("g++").map {
      try run(
        $0,
        [
          "-O2", "-DBOOST_ALLOW_DEPRECATED_HEADERS",
          sources.appending(path: "boost_circles.cpp").path, "-o", boost.path,
        ])
    }
    if compiler == .some(.some("")) {
      commands["boost"] = (boost, [])
    } else {
      missing["boost"] = "boost_circles.cpp does not build (Debian: g++ libboost-dev)"
    }
    let venv = Peers.packageRoot.appending(path: ".build/bench-venv/bin/python")
    let python =
      FileManager.default.isExecutableFile(atPath: venv.path) ? venv : executable("python3")
    for name in Self.names.dropFirst() where named.isEmpty || named.contains(name) {
      guard let python else {
        missing[name] = "python3 is missing"
        continue
      }
      commands[name] = (python, [sources.appending(path: "circle_peers.py").path, name])
    }
  }

  /// What each peer makes of a world; a peer that is not there is left out from then on.
  mutating func measure(_ world: CircleWorld) throws -> [String: CircleCost] {
    let file = folder.appending(path: "world")
    try world.written.write(to: file)
    var costs: [String: CircleCost] = [:]
    for name in Self.names {
      guard let (program, arguments) = commands[name] else { continue }
      let (printed, status) = try outcome(
        program, arguments + [file.path, "\(Self.churn)", "\(rounds)"])
      if status == 0 {
        costs[name] = CircleCost(printed: printed)
      } else {
        commands[name] = nil
        missing[name] = printed.trimmingCharacters(in: .whitespacesAndNewlines)
      }
    }
    return costs
  }
}

extension CircleWorld {
  /// For the peers: counts, boxes and places in the whole units of our index, so that the answers
  /// are the same, and degrees.
  fileprivate var written: Data {
    var data = Data()
    func append<Value>(_ values: [Value]) {
      values.withUnsafeBytes { data.append(contentsOf: $0) }
    }
    func units(_ places: [Coordinate]) -> [Double] {
      places.flatMap { place -> [Double] in
        let point = GeodeticPoint(place)
        return [Double(point.longitude), Double(point.latitude)]
      }
    }
    append([circles.count, devices.count, walk.count].map { UInt32($0) })
    append(
      circles.flatMap { circle -> [Double] in
        let box = GeodeticBox(center: circle.center, radius: circle.radius)
        let (west, south) = (Double(box.west), Double(box.south))
        return [west, south, west + Double(box.width), south + Double(box.height)]
      })
    append(units(devices))
    append(units(walk))
    append([Self.radius])
    for places in [circles.map(\.center), devices, walk] {
      append(places.flatMap { [$0.longitude, $0.latitude] })
    }
    return data
  }
}
