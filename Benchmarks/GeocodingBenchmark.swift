import Foundation
import LocationGeocoding
import LocationModel

/// Look-ups in the place index, against PyPI `reverse_geocoder` and a plain SQLite query.
///
/// Needs the index (Scripts/build_place_index.py). The points are the same for all: 1,000 near
/// settlements of the index, drawn by rank. Without `reverse_geocoder` (`pip install
/// reverse_geocoder`) its part is left out and said so.
func measureGeocoding() throws {
  let opened = ContinuousClock.now
  guard IndexLocation.places.found != nil else {
    print(IndexLocation.places.advice)
    return
  }
  let geocoder = try Geocoder(streets: .none)
  let names = ["Berlin", "Springfield, Illinois", "10115 Berlin", "Munchen", "Londn", "東京"]
  _ = try geocoder.reverse(Coordinate(latitude: 52.52, longitude: 13.4))
  let opening = (ContinuousClock.now - opened) / .milliseconds(1)
  try Figure.report("geocoding.open", opening, "ms", "opening the index and the first answer")

  let points = try samplePoints(around: geocoder)
  try report("geocoding.reverse", "reverse", times(points) { _ = try geocoder.reverse($0) })
  let queries = (0..<1000).map { names[$0 % names.count] }
  try report("geocoding.forward", "forward", times(queries) { _ = try geocoder.forward($0) })
  try Figure.report("geocoding.memory", residentMegabytes(), "MB", "resident after all look-ups")
  try measureFirstAnswers()
  try compareWithPython(points, names: names)
}

/// From the start of `locationctl` to its first line, and its memory.
private func measureFirstAnswers() throws {
  let tool = try builtTool()
  let folder = try Peers.folder("geocoding")
  defer { try? FileManager.default.removeItem(at: folder) }
  let meter = try Peers.memoryMeter(in: folder)
  for words in [["reverse", "52.52,13.4"], ["geocode", "Springfield, Illinois"]] {
    let runs = try (0..<20).map { _ in try startUp(tool, words + ["--json"], meter) }
    try report(runs, "geocoding.\(words[0]).start", "locationctl \(words[0])")
  }
}

/// A thousand points some kilometers around places that a search finds.
private func samplePoints(around geocoder: Geocoder) throws -> [Coordinate] {
  var random = SeededRandom(seed: 9)
  let names = [
    "Springfield", "San Jose", "Santa Cruz", "Richmond", "Victoria", "Newport", "Saint Martin",
    "Neustadt", "Villanueva", "Salem", "Clinton", "Georgetown", "Franklin", "Buenavista",
    "Alexandria",
    "Union", "San Antonio", "Arlington", "Manchester", "Santa Maria",
  ]
  let places = try names.flatMap { try geocoder.forward($0, limit: 50) }.map(\.coordinate)
  return (0..<1000).map { index in
    let place = places[index % places.count]
    return Coordinate(
      latitude: place.latitude + .random(in: -0.05...0.05, using: &random),
      longitude: place.longitude + .random(in: -0.05...0.05, using: &random))
  }
}

/// Milliseconds for each, sorted.
private func times<Question>(
  _ questions: [Question], _ ask: (Question) throws -> Void
) rethrows -> [Double] {
  try questions.map { question in
    let start = ContinuousClock.now
    try ask(question)
    return (ContinuousClock.now - start) / .milliseconds(1)
  }.sorted()
}

private func report(_ name: String, _ label: String, _ times: [Double]) throws {
  let mean = times.reduce(0, +) / Double(times.count)
  try Figure.report("\(name).rate", 1000 / mean, "1/s", "\(label), look-ups per second")
  for share in [50, 95, 99] {
    let time = times[times.count * share / 100]
    try Figure.report("\(name).p\(share)", time, "ms", "\(label), \(share) % within")
  }
}

private func residentMegabytes() -> Double {
  let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line = status?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
  let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap { Double($0) }
  return (kilobytes ?? 0) / 1024
}

/// The same points for a Python that loads `reverse_geocoder`, and for plain SQL on our index.
private func compareWithPython(_ points: [Coordinate], names: [String]) throws {
  guard let python = executable("python3"), let index = IndexLocation.places.found else { return }
  let list = points.map { "(\($0.latitude), \($0.longitude))" }.joined(separator: ",")
  if let printed = try run(python, ["-c", referenceProgram, "[\(list)]"]) {
    let figures = printed.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard figures.count == 3 else { return }
    try Figure.report("geocoding.reference.load", figures[0], "ms", "reverse_geocoder, loading")
    try Figure.report("geocoding.reference.single", figures[1], "ms", "reverse_geocoder, a look-up")
    try Figure.report(
      "geocoding.reference.amortized", figures[0] / 1000 + figures[1], "ms",
      "reverse_geocoder, a look-up with its share of the loading")
    try Figure.report("geocoding.reference.memory", figures[2], "MB", "reverse_geocoder, resident")
  } else {
    print("reverse_geocoder is not installed: pip install reverse_geocoder")
  }
  let quoted = names.map { "'\($0)'" }.joined(separator: ",")
  if let printed = try run(python, ["-c", plainProgram, index, "[\(quoted)]"]),
    let time = Double(printed.trimmingCharacters(in: .whitespacesAndNewlines))
  {
    try Figure.report("geocoding.plain", time, "ms", "plain SQL by exact name, no index on names")
  }
}

private let referenceProgram = """
  import sys, time, io, contextlib, resource
  points = eval(sys.argv[1])
  start = time.perf_counter()
  import reverse_geocoder
  with contextlib.redirect_stdout(io.StringIO()):
    reverse_geocoder.search([points[0]], mode=1)
    loaded = time.perf_counter()
    for point in points: reverse_geocoder.search([point], mode=1)
  done = time.perf_counter()
  memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
  print((loaded - start) * 1000, (done - loaded) * 1000 / len(points), memory)
  """

private let plainProgram = """
  import sys, time, sqlite3
  names = eval(sys.argv[2])
  index = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
  start = time.perf_counter()
  for name in names:
    index.execute("SELECT id, position FROM place WHERE name = ? ORDER BY id LIMIT 10", (name,)).fetchall()
  print((time.perf_counter() - start) * 1000 / len(names))
  """
