import Foundation
import LocationModel
import LocationProviders

/// Megabytes of GPX a second on one core, against Python's gpxpy on the same text.
///
/// Both parse text that is in memory, to points with place, elevation, and time; processor time.
/// gpxpy is an interpreted program: it makes an object with some twenty fields for each point, and
/// keeps what we leave out. Its process and the loading of its modules are not counted.
func measureGPX() throws {
  let bytes = Array(gpxTrack(points: 40_000).utf8)
  let megabytes = Double(bytes.count) / 1e6
  var points = 0
  let ours = {
    try processorTime(of: { points = try GPXReader.read(bytes).tracks.joined().joined().count })
  }
  let folder = try Peers.folder("gpx")
  defer { try? FileManager.default.removeItem(at: folder) }
  let file = folder.appending(path: "track.gpx")
  try Data(bytes).write(to: file)
  let python: URL
  do { python = try pythonWithGPXPy() } catch {
    try Figure.report(
      "gpx.rate", megabytes / (try bestInTurns([ours])[0]), "MB/s", "GPX, one core")
    throw error
  }
  let theirs = {
    let answer = try run(python, ["-c", gpxpyProgram, file.path])
    guard let seconds = answer.flatMap({ Double($0.trimmingCharacters(in: .newlines)) }) else {
      throw MissingPeer(text: "gpxpy does not run")
    }
    return seconds
  }
  let best = try bestInTurns([ours, theirs])
  precondition(points == 40_000)
  try Figure.report("gpx.rate", megabytes / best[0], "MB/s", "GPX, one core")
  try Figure.report(
    "gpx.gpxpy.rate", megabytes / best[1], "MB/s",
    "gpxpy (interpreted; an object for each point; its start not counted)")
  try Figure.report("gpx.ratio", best[1] / best[0], "", "our rate over gpxpy's")
}

private func gpxTrack(points: Int) -> String {
  var text = """
    <?xml version="1.0" encoding="UTF-8"?>
    <gpx version="1.1" creator="Meridian" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>

    """
  for index in 0..<points {
    let time = UnixTime(seconds: 1_700_000_000 + Double(index)).iso8601
    let (latitude, longitude) = (48 + Double(index) * 1e-5, 11 + Double(index) * 1.5e-5)
    text +=
      "<trkpt lat=\"\(latitude)\" lon=\"\(longitude)\"><ele>\(500 + index % 90)</ele>"
      + "<time>\(time)</time></trkpt>\n"
  }
  return text + "</trkseg></trk></gpx>\n"
}

/// A Python of our own below `.build`, made on the first run.
private func pythonWithGPXPy() throws -> URL {
  let home = Peers.packageRoot.appending(path: ".build/benchmark-python")
  let python = home.appending(path: "bin/python")
  if try FileManager.default.isExecutableFile(atPath: python.path)
    && run(python, ["-c", "import gpxpy"]) != nil
  {
    return python
  }
  print("installing gpxpy into \(home.path)")
  let system = URL(fileURLWithPath: try Peers.program("python3", from: "python3-venv"))
  guard try run(system, ["-m", "venv", home.path]) != nil,
    try run(python, ["-m", "pip", "install", "--quiet", "gpxpy"]) != nil
  else { throw MissingPeer(text: "gpxpy is missing and cannot be installed (PyPI: gpxpy)") }
  return python
}

/// Prints the processor time of one round, after a short one that loads what is loaded late.
private let gpxpyProgram = """
  import sys, time, gpxpy
  gpxpy.parse('<gpx><trk><trkseg><trkpt lat="1" lon="2"><ele>3</ele></trkpt></trkseg></trk></gpx>')
  text = open(sys.argv[1]).read()
  begin = time.process_time()
  track = gpxpy.parse(text)
  taken = time.process_time() - begin
  assert sum(len(s.points) for t in track.tracks for s in t.segments) == 40000
  print(taken)
  """
