import Foundation
import LocationHost
import LocationModel

/// From the start of `locationctl once --source fixed:…` to its line, and its memory, against a
/// program in C that prints the first fix of a real gpsd fed by gpsfake; medians of 20, in turns.
func measureStart() async throws {
  let tool = try builtTool()
  let runs = 20
  let folder = try Peers.folder("start")
  defer { try? FileManager.default.removeItem(at: folder) }
  let meter = try Peers.memoryMeter(in: folder)
  let client = try Peers.libgpsClient(in: folder)
  let feeder = try Peers.program("gpsfake", from: "gpsd-tools")
  let log = folder.appending(path: "drive.nmea")
  let begin = HostClock.now.unixTime
  let drive = Drive(from: begin)
  try Data((0..<2000).flatMap { drive.epoch(at: begin + .seconds($0)) }).write(to: log)
  let port = freePort()
  let fake = try Child(feeder, ["-q", "-c", "0.002", "-P", String(port), log.path])
  defer { _ = fake.end() }
  sleep(2)
  var (ours, theirs): ([StartUp], [StartUp]) = ([], [])
  for _ in 0..<runs {
    ours.append(try startUp(tool, ["once", "--source", "fixed:48.1,11.5", "--json"], meter))
    theirs.append(try startUp(client, [String(port), "1"], meter))
  }
  try report(ours, "start", "locationctl once, a place that is given")
  try report(
    theirs, "start.libgps", "a C program over libgps, gpsd running already and not counted")
  try Figure.report(
    "start.time.ratio", ours.map(\.time).median / theirs.map(\.time).median, "",
    "our time over its time, which includes waiting for gpsd's next report")
  try Figure.report(
    "start.processor.ratio", ours.map(\.processor).median / theirs.map(\.processor).median, "",
    "our processor time over its")
  try Figure.report(
    "start.memory.ratio", ours.map(\.memory).median / theirs.map(\.memory).median, "",
    "our memory over its, gpsd's not counted")
}

struct StartUp {
  /// Seconds to the first line, and of processor time in all.
  var time, processor: Double
  /// Bytes resident at most.
  var memory: Double
}

func startUp(_ program: String, _ words: [String], _ meter: String) throws -> StartUp {
  let begin = ContinuousClock.now
  let child = try Child(program, words)
  var time: Duration?
  child.readLines { _ in
    time = ContinuousClock.now - begin
    return false
  }
  let cost = child.wait()
  guard let time, cost.status == 0 else {
    throw MissingPeer(text: "\(program) printed nothing")
  }
  let answer = try run(URL(fileURLWithPath: meter), [program] + words) ?? ""
  guard let kilobytes = answer.split(separator: "\n").last.flatMap({ Double($0) }) else {
    throw MissingPeer(text: "the memory of \(program) cannot be read")
  }
  return StartUp(
    time: time / .seconds(1), processor: cost.time, memory: kilobytes * 1024)
}

func report(_ runs: [StartUp], _ name: String, _ label: String) throws {
  try Figure.report(
    "\(name).time", runs.map(\.time).median * 1e3, "ms", "\(label), start to first answer")
  try Figure.report(
    "\(name).processor", runs.map(\.processor).median * 1e3, "ms", "\(label), processor time")
  try Figure.report(
    "\(name).memory", runs.map(\.memory).median / 1e6, "MB", "\(label), most resident memory")
}

/// The optimized `locationctl`, built when it is not up to date.
func builtTool() throws -> String {
  let tool = Peers.products.appending(path: "locationctl").path
  print("building locationctl")
  let swift = URL(fileURLWithPath: try Peers.program("swift", from: "the Swift toolchain"))
  let root = Peers.packageRoot.path
  let words = ["build", "-c", "release", "--product", "locationctl", "--package-path", root]
  guard try run(swift, words) != nil, FileManager.default.isExecutableFile(atPath: tool) else {
    throw MissingPeer(
      text: "locationctl does not build: swift build -c release --product locationctl")
  }
  return tool
}
