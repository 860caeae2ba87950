import Foundation
import LocationModel

/// Compares a million inverse geodesics with GeographicLib's: deviations, and processor time of a
/// call.
///
/// The library in C++ does the same work as ours: doubles in memory, distance and both azimuths.
/// Debian's command GeodSolve serves for the deviations; its time has no ratio, for it starts a
/// process, reads text, and prints text.
func measureGeodesics() throws {
  let pairs = GeodesicPair.sample(count: 1_000_000, seed: 20_130_101)
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "meridian-geodesic-\(ProcessInfo.processInfo.processIdentifier)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }

  var total = 0.0
  let ours = {
    processorTime {
      for pair in pairs {
        let path = Geodesic.inverse(from: pair.start, to: pair.end)
        total += path.distance + path.initialAzimuth + path.finalAzimuth
      }
    }
  }
  let library = try librarySolving(pairs, in: folder)
  let best = try bestInTurns([ours] + (library.map { [$0] } ?? [])).map {
    $0 / Double(pairs.count) * 1e9
  }
  precondition(total.isFinite)
  try Figure.report("geodesic.inverse.time", best[0], "ns", "inverse, time per call")
  if best.count == 2 {
    try Figure.report("geodesic.library.time", best[1], "ns", "GeographicLib in C++, per call")
    try Figure.report(
      "geodesic.library.ratio", best[0] / best[1], "", "our time over GeographicLib's in C++")
  }
  try measureLocalFrames(inverse: best[0])
  try compareWithGeodSolve(pairs, in: folder)
}

/// Two places, and the stratum they were drawn from.
private struct GeodesicPair {
  enum Stratum: String, CaseIterable {
    /// Both uniform in latitude and longitude: eight of ten pairs.
    case random
    /// Up to 10 km apart: one of ten.
    case near
    /// Within a degree of antipodal: one of ten.
    case antipodal
  }

  var stratum: Stratum
  var start: Coordinate
  var end: Coordinate

  static func sample(count: Int, seed: UInt64) -> [GeodesicPair] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { index in
      let start = Coordinate.random(using: &random)
      switch index % 10 {
      case 0:
        let end = start.moved(
          by: .random(in: 0...10_000, using: &random), towards: .random(in: 0..<360, using: &random)
        )
        return GeodesicPair(stratum: .near, start: start, end: end)
      case 1:
        let latitude = -start.latitude + .random(in: -1...1, using: &random)
        let longitude = start.longitude + 180 + .random(in: -1...1, using: &random)
        let end = Coordinate(
          latitude: min(max(latitude, -90), 90),
          longitude: longitude.remainder(dividingBy: 360))
        return GeodesicPair(stratum: .antipodal, start: start, end: end)
      default:
        return GeodesicPair(stratum: .random, start: start, end: .random(using: &random))
      }
    }
  }

  var numbers: [Double] { [start.latitude, start.longitude, end.latitude, end.longitude] }
}

extension Coordinate {
  fileprivate static func random(using random: inout SeededRandom) -> Coordinate {
    Coordinate(
      latitude: .random(in: -90...90, using: &random),
      longitude: .random(in: -180...180, using: &random))
  }
}

/// The fast path for fences, against the geodesic.
private func measureLocalFrames(inverse: Double) throws {
  var random = SeededRandom(seed: 7)
  let center = Coordinate(latitude: 45, longitude: 7)
  let frame = LocalFrame(center: center)
  let places = (0..<100_000).map { _ in
    center.moved(
      by: .random(in: 0...LocalFrame.reach, using: &random),
      towards: .random(in: 0..<360, using: &random))
  }
  var total = 0.0
  let seconds = try leastProcessorTime {
    for place in places { total += frame.distance(to: place) }
  }
  precondition(total > 0)
  let perCall = seconds / Double(places.count) * 1e9
  let worst = places.map { (frame.distance(to: $0) - center.distance(to: $0)).magnitude }.max() ?? 0
  try Figure.report("geodesic.frame.time", perCall, "ns", "local frame, time per distance")
  try Figure.report(
    "geodesic.frame.ratio", perCall / inverse, "", "local frame, time over inverse")
  try Figure.report(
    "geodesic.frame.error", worst * 1000, "mm", "local frame, largest error to 100 km at 45 N")
}

/// Compares with what Debian's command answers.
private func compareWithGeodSolve(_ pairs: [GeodesicPair], in folder: URL) throws {
  guard let solver = executable("GeodSolve") else {
    print("GeodSolve is missing (Debian: geographiclib-tools): deviations are not measured")
    return
  }
  let (input, output) = (folder.appending(path: "pairs"), folder.appending(path: "solutions"))
  let text = pairs.map { $0.numbers.map(plainDecimal).joined(separator: " ") }
  try text.joined(separator: "\n").write(to: input, atomically: false, encoding: .utf8)
  let arguments = ["-i", "-p", "10", "--input-file", input.path, "--output-file", output.path]
  let best = try bestInTurns([
    {
      let child = try Child(solver.path, arguments)
      return child.wait().time
    }
  ])
  try Figure.report(
    "geodesic.geodsolve.time", best[0] / Double(pairs.count) * 1e9, "ns",
    "GeodSolve -i, a line: a process that reads and prints text, not to be compared with a call")

  let lines = String(decoding: try Data(contentsOf: output), as: UTF8.self)
    .split(separator: "\n")
  guard lines.count == pairs.count else {
    print("GeodSolve answered \(lines.count) lines: deviations are not measured")
    return
  }
  for stratum in GeodesicPair.Stratum.allCases {
    try reportDeviations(zip(pairs, lines).filter { $0.0.stratum == stratum }, stratum.rawValue)
  }
}

/// A number without exponent: GeodSolve takes an e for east.
private func plainDecimal(_ number: Double) -> String {
  let text = number.description
  return text.contains("e") ? String(format: "%.25f", number) : text
}

private func reportDeviations(_ rows: [(GeodesicPair, Substring)], _ stratum: String) throws {
  var (distance, azimuth, sideways) = (0.0, 0.0, 0.0)
  for (pair, line) in rows {
    let fields = line.split(separator: " ").compactMap { Double($0) }
    guard fields.count == 3 else {
      print("GeodSolve said: \(line)")
      continue
    }
    let path = Geodesic.inverse(from: pair.start, to: pair.end)
    let turns = [path.initialAzimuth - fields[0], path.finalAzimuth - fields[1]]
      .map { $0.remainder(dividingBy: 360).magnitude }
    let turn = turns.max() ?? 0
    distance = max(distance, (path.distance - fields[2]).magnitude)
    azimuth = max(azimuth, turn)
    sideways = max(sideways, Angle(degrees: turn).radians * min(path.distance, 6_378_137))
  }
  let prefix = "geodesic.\(stratum)."
  let count = "\(rows.count) \(stratum) pairs, largest deviation"
  try Figure.report(prefix + "distance", distance * 1e9, "nm", "\(count) of distance")
  try Figure.report(prefix + "azimuth", azimuth, "deg", "\(count) of azimuth")
  if stratum == "near" {
    try Figure.report(
      prefix + "sideways", sideways * 1e9, "nm", "\(count) of azimuth, times the distance")
  }
}

/// A round of the C++ library itself, without text, by a small program built on the spot; `nil` when
/// it does not build.
private func librarySolving(
  _ pairs: [GeodesicPair], in folder: URL
) throws -> (() throws -> Double)? {
  guard let compiler = executable("g++") else {
    print("g++ is missing: the library is not timed")
    return nil
  }
  let (source, binary) = (folder.appending(path: "inverse.cpp"), folder.appending(path: "inverse"))
  try libraryProgram.write(to: source, atomically: false, encoding: .utf8)
  let numbers = folder.appending(path: "numbers")
  try pairs.flatMap(\.numbers).withUnsafeBytes { try Data($0).write(to: numbers) }
  let build = ["-O2", source.path, "-o", binary.path, "-lGeographicLib"]
  guard try run(compiler, build) != nil else {
    print("GeographicLib does not build (Debian: libgeographiclib-dev): it is not timed")
    return nil
  }
  return {
    let answer = try run(binary, [numbers.path])
    guard let seconds = answer?.split(separator: " ").first.flatMap({ Double($0) }) else {
      throw InvalidMeasurement(text: "the program over GeographicLib prints no time")
    }
    return seconds
  }
}

/// Reads pairs as raw numbers; prints the seconds of processor time of one round.
private let libraryProgram = """
  #include <GeographicLib/Geodesic.hpp>
  #include <cstdio>
  #include <ctime>
  #include <vector>
  int main(int, char** argv) {
    std::vector<double> v;
    FILE* file = std::fopen(argv[1], "rb");
    for (double x; std::fread(&x, sizeof x, 1, file) == 1;) v.push_back(x);
    const GeographicLib::Geodesic& earth = GeographicLib::Geodesic::WGS84();
    double total = 0;
    std::clock_t start = std::clock();
    for (size_t i = 0; i + 3 < v.size(); i += 4) {
      double s12, azi1, azi2;
      earth.Inverse(v[i], v[i + 1], v[i + 2], v[i + 3], s12, azi1, azi2);
      total += s12 + azi1 + azi2;
    }
    double taken = double(std::clock() - start) / CLOCKS_PER_SEC;
    std::printf("%.17g %.17g\\n", taken, total);
  }
  """
