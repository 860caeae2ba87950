import Foundation
import LocationGeocoding
import LocationModel

/// Look-ups in the place index, against PyPI `reverse_geocoder` and a plain SQLite query.
///
/// `reverse_geocoder` holds a tree of 145,000 places in memory, which each process loads anew, and
/// answers with the nearest of them; ours reads an index on disk and says the country, the regions,
/// the settlement, and the time zone. Both ask for one point after the other, the time on the wall.
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
  try compareReverse(points, geocoder)
  try report("geocoding.reverse", "reverse", times(points) { _ = try geocoder.reverse($0) })
  let queries = (0..<1000).map { names[$0 % names.count] }
  try report("geocoding.forward", "forward", times(queries) { _ = try geocoder.forward($0) })
  try Figure.report(
    "geocoding.memory", residentBytes() / 1_048_576, "MB", "resident after all look-ups")
  try measureFirstAnswers()
  try compareForward(names, geocoder)
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

/// The same points for a Python that loads `reverse_geocoder`.
private func compareReverse(_ points: [Coordinate], _ geocoder: Geocoder) throws {
  let ours = { try wallTime { for point in points { _ = try geocoder.reverse(point) } } }
  let list = "[" + points.map { "(\($0.latitude), \($0.longitude))" }.joined(separator: ",") + "]"
  var loads: [Double] = []
  var memory = 0.0
  let theirs: (URL) -> () throws -> Double = { python in
    {
      let printed = try run(python, ["-c", referenceProgram, list]) ?? ""
      let figures = printed.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
      guard figures.count == 3 else { throw InvalidMeasurement(text: "no time in: \(printed)") }
      loads.append(figures[0])
      memory = figures[2]
      return figures[1]
    }
  }
  let python = try Peers.python(importing: "reverse_geocoder")
  if python == nil { print("reverse_geocoder is missing (PyPI; Scripts/bench.sh installs it)") }
  let best = try bestInTurns([ours] + (python.map { [theirs($0)] } ?? []))
  let count = Double(points.count)
  try Figure.report(
    "geocoding.reverse.mean", best[0] / count * 1000, "ms",
    "reverse, a look-up on the average of \(points.count), best round")
  guard best.count == 2, let load = loads.min() else { return }
  try Figure.report(
    "geocoding.reference.single", best[1] / count * 1000, "ms",
    "reverse_geocoder, the same (nearest place of a tree in memory, no time zone, no borders)")
  try Figure.report(
    "geocoding.reference.load", load * 1000, "ms", "reverse_geocoder, loading in each process")
  try Figure.report(
    "geocoding.reference.amortized", (load + best[1]) / count * 1000, "ms",
    "reverse_geocoder, a look-up with its share of the loading, \(points.count) in the process")
  try Figure.report("geocoding.reference.memory", memory, "MB", "reverse_geocoder, resident")
}

/// The same names for plain SQL on our index, which finds exact names only.
private func compareForward(_ names: [String], _ geocoder: Geocoder) throws {
  guard let python = executable("python3"), let index = IndexLocation.places.found else { return }
  let ours = { try wallTime { for name in names { _ = try geocoder.forward(name) } } }
  let quoted = "[" + names.map { "'\($0)'" }.joined(separator: ",") + "]"
  let theirs = {
    let printed = try run(python, ["-c", plainProgram, index, quoted]) ?? ""
    guard let seconds = Double(printed.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw InvalidMeasurement(text: "no time in: \(printed)")
    }
    return seconds
  }
  let best = try bestInTurns([ours, theirs]).map { $0 / Double(names.count) * 1000 }
  try Figure.report("geocoding.forward.mean", best[0], "ms", "forward, a look-up, best round")
  try Figure.report(
    "geocoding.plain", best[1], "ms", "plain SQL by exact name, which has no index on names")
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
  print(loaded - start, done - loaded, memory)
  """

private let plainProgram = """
  import sys, time, sqlite3
  names = eval(sys.argv[2])
  index = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
  start = time.perf_counter()
  for name in names:
    index.execute("SELECT id, position FROM place WHERE name = ? ORDER BY id LIMIT 10", (name,)).fetchall()
  print(time.perf_counter() - start)
  """
