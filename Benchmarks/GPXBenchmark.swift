import Foundation
import LocationModel
import LocationProviders

/// Megabytes of GPX a second on one core, against Python's gpxpy on the same file.
func measureGPX() throws {
  let bytes = Array(gpxTrack(points: 40_000).utf8)
  let megabytes = Double(bytes.count) / 1e6
  var points = 0
  let ours = try leastProcessorTime(of: 5) {
    points = try GPXReader.read(bytes).tracks.joined().joined().count
  }
  precondition(points == 40_000)
  try Figure.report("gpx.rate", megabytes / ours, "MB/s", "GPX, one core")

  let folder = try Peers.folder("gpx")
  defer { try? FileManager.default.removeItem(at: folder) }
  let file = folder.appending(path: "track.gpx")
  try Data(bytes).write(to: file)
  let answer = try run(try pythonWithGPXPy(), ["-c", gpxpyProgram, file.path])
  guard let theirs = answer.flatMap({ Double($0.trimmingCharacters(in: .whitespacesAndNewlines)) })
  else { throw MissingPeer(text: "gpxpy does not run") }
  try Figure.report("gpx.gpxpy.rate", megabytes / theirs, "MB/s", "gpxpy")
  try Figure.report("gpx.ratio", theirs / ours, "", "our rate over gpxpy's")
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

/// Prints the processor time of the shortest of three runs.
private let gpxpyProgram = """
  import sys, time, gpxpy
  text = open(sys.argv[1]).read()
  best = 1e9
  for _ in range(3):
      begin = time.process_time()
      track = gpxpy.parse(text)
      best = min(best, time.process_time() - begin)
  assert sum(len(s.points) for t in track.tracks for s in t.segments) == 40000
  print(best)
  """
