import Foundation
import LocationModel
import LocationRadio
import LocationSecrets

/// How well a learned map finds the place of what is heard.
///
/// `Benchmarks radios [FOLDER]`: teaches the shared recordings and asks for the places of those in
/// FOLDER, which has files of the same names; without FOLDER, one part of the shared recordings
/// teaches and another asks. The map calibrates itself while it is taught. The sets of access
/// points are measured again with poisoned maps, and beside other ways in the same run.
func measureRadios() throws {
  let environment = ProcessInfo.processInfo.environment
  let shared = URL(filePath: (environment["MERIDIAN_SHARED"] ?? "../shared") + "/data")
  let folder = CommandLine.arguments.dropFirst(2).first.map { URL(filePath: $0) }
  let peers = try RadioPeers()
  for set in try RadioSet.all(teaching: shared.appending(path: "wifi"), asking: folder) {
    let result = try RadioResult.reported(set)
    try peers.report(set, beside: result)
    if set.name == "museum" { try RadioCost.report(set) }
    try result.reportPoisoned(set)
  }
  let cells = try RadioSet.cells(teaching: shared.appending(path: "cell"), asking: folder)
  for set in cells {
    // A cell has no floor.
    _ = try RadioResult.reported(set, without: "floor")
  }
  try RadioRegionBenchmark.reportCountry(cells)
  try RadioRegionBenchmark.reportTime()
}

/// A scan at a place that is known from elsewhere.
struct PlacedScan {
  var scan: RadioScan
  var place: Coordinate
  var floor: Int8?

  /// The moment of a time, of a computer that has run since 1970.
  static func moment(_ time: UnixTime) -> Moment {
    Moment(uptime: Instant(nanoseconds: time.nanoseconds), unixTime: time)
  }

  /// Meters: how far from the marks of a survey people stand who say that they stand there.
  private static let accuracyOfMarks = 1.0

  /// A receiver tells the place before and after the scan, as exactly as the recording knows it.
  func teach(_ map: inout RadioMap) {
    let half = Duration.milliseconds(500)
    for (time, isScan) in [
      (scan.time - half, false), (scan.time, true), (scan.time + half, false),
    ] {
      if isScan {
        _ = map.handle(.scan(scan, from: ProviderID(0)), at: Self.moment(time))
      } else {
        var fix = Fix(coordinate: place, horizontalAccuracy: Self.accuracyOfMarks, time: time)
        fix.floor = floor.map { Int($0) }
        _ = map.handle(.fix(fix), at: Self.moment(time))
      }
    }
  }
}

/// What teaches, and what asks.
struct RadioSet {
  var name: String
  var teaching: [PlacedScan]
  var asking: [PlacedScan]
}

/// What came of one set.
struct RadioResult {
  private var name: String
  private var errors: [Double] = []
  private var radii: [Double] = []
  private var inside = 0
  private var floors = (right: 0, of: 0)
  private var unknown = 0
  private var time = Duration.zero

  init(_ set: RadioSet) {
    name = set.name
    var map = RadioMap(secret: SecretKey(seed: 7))
    for placed in set.teaching { placed.teach(&map) }
    let clock = ContinuousClock()
    for placed in set.asking {
      let moment = PlacedScan.moment(placed.scan.time)
      var outputs: [RadioMap.Output] = []
      time += clock.measure {
        outputs = map.handle(.scan(placed.scan, from: ProviderID(0)), at: moment)
      }
      note(outputs, placed)
    }
  }

  private mutating func note(_ outputs: [RadioMap.Output], _ placed: PlacedScan) {
    for output in outputs {
      guard case .fix(let fix, _) = output else { continue }
      let error = LocalFrame(center: placed.place).distance(to: fix.coordinate)
      errors.append(error)
      radii.append(fix.horizontalAccuracy)
      if error <= fix.horizontalAccuracy { inside += 1 }
      guard let floor = placed.floor else { return }
      floors.of += 1
      if fix.floor == Int(floor) { floors.right += 1 }
      return
    }
    unknown += 1
  }

  /// Measures a set and prints its figures, without the one that says nothing of it.
  static func reported(_ set: RadioSet, without left: String? = nil) throws -> RadioResult {
    let result = RadioResult(set)
    print(result.line)
    for (name, value, unit) in result.figures where name != left {
      try Figure.report("radios.\(set.name).\(name)", value, unit, "\(set.name), \(name)")
    }
    return result
  }

  /// Poisons the map in every way that there is, and prints how much further off it is then: of all ways together,
  /// and of the one that does most, beside what its boxes do that are not known at all.
  func reportPoisoned(_ set: RadioSet) throws {
    guard !errors.isEmpty else { return }
    let clean = errors.quantile(0.9)
    func report(_ name: String, _ errors: [Double], _ text: String) throws {
      try Figure.report(
        "radios.\(set.name).poisoned\(name)", errors.quantile(0.9) / clean, "times",
        "\(set.name), p90 if poisoned\(text)")
    }
    let poisoned = (0..<RadioSet.poisons).map { RadioResult(set.poisoned($0)).errors }
    try report("", poisoned.flatMap(\.self), ", all choices of boxes")
    let ends = poisoned.map { $0.quantile(0.9) }
    let worst = ends.indices.max { ends[$0] < ends[$1] } ?? 0
    try report(".worst", poisoned[worst], ", the choice that does most")
    try report(
      ".worst.missing", RadioResult(set.poisoned(worst, isLie: false)).errors,
      " by boxes that are not known, the same choice")
  }

  var figures: [(String, Double, String)] {
    guard !errors.isEmpty else { return [("unknown", Double(unknown), "scans")] }
    return [
      ("median", errors.median, "m"), ("p90", errors.quantile(0.9), "m"),
      ("held", 100 * Double(inside) / Double(errors.count), "%"), ("radius", radii.median, "m"),
      ("floor", floors.of == 0 ? 100 : 100 * Double(floors.right) / Double(floors.of), "%"),
      ("unknown", Double(unknown), "scans"),
      ("scan", time.inSeconds * 1e6 / Double(errors.count + unknown), "µs"),
    ]
  }

  var line: String {
    let figures = Dictionary(uniqueKeysWithValues: figures.map { ($0.0, $0.1) })
    func text(_ key: String) -> String { String(format: "%.1f", figures[key] ?? .nan) }
    return
      "\(name): \(text("median")) / \(text("p90")) m, radius holds \(text("held")) % (median "
      + "\(text("radius")) m), floor right \(text("floor")) %, \(text("unknown")) unknown, "
      + "\(text("scan")) µs a scan"
  }
}
