import Foundation
import Glibc
import LocationHost
import LocationModel

/// From the write of an epoch to a serial port to the loop body of another process, through
/// `locationd`; against a client of libgps in C and gpspipe, each behind a real gpsd of its own, and
/// against a bare Unix socket; all in turns, in one run, the time on the wall. Then how much later
/// the last of many clients receives than the first.
func measureDaemon() async throws {
  let folder = try Peers.folder("daemon")
  defer { try? FileManager.default.removeItem(at: folder) }
  try await onThread { try DaemonMeasurement(in: folder).run() }
}

private struct DaemonMeasurement {
  private let rig: DaemonRig
  private let ours: Racer
  private let folder: URL
  /// One drive for all: a device that jumps back to the start is not believed at once.
  private let drive = Drive(from: HostClock.now.unixTime)

  /// Fixes that are not counted, and fixes that are.
  private static let warmUp = 30
  private static let counted = 150

  init(in folder: URL) throws {
    self.folder = folder
    rig = try DaemonRig(in: folder)
    let port = rig.port
    ours = Racer(try rig.follower()) { port.write($0.bytes) }
  }

  func run() throws {
    try report("daemon.memory.idle", rig.memory, "MB", "the daemon's memory before the first fix")
    do { try compare() } catch let missing as MissingPeer { print("not compared: \(missing.text)") }
    try amongMany()
    rig.end()
  }

  // MARK: Against others

  private func compare() throws {
    // A gpsd for each, as the daemon serves one client now.
    let ports = [try Port(), try Port()]
    let gpsds = try ports.map { try Gpsd(reading: $0.path) }
    defer { for gpsd in gpsds { _ = gpsd.child.end() } }
    guard gpsds.allSatisfy({ $0.isReady(within: 10) }) else {
      throw MissingPeer(text: "gpsd does not answer")
    }
    let client = try Child(try Peers.libgpsStopwatch(in: folder), [String(gpsds[0].port)])
    let pipe = try Child(
      try Peers.program("gpspipe", from: "gpsd-clients"), ["-w", "127.0.0.1:\(gpsds[1].port)"])
    let hop = try BareHop(in: folder)
    defer { for child in [client, pipe, hop.child] { _ = child.end() } }
    let libgps = Racer(client) { ports[0].write($0.bytes) }
    let gpspipe = Racer(pipe, reading: Racer.gpspipeLine) { ports[1].write($0.bytes) }
    let bare = Racer(hop.child) { hop.send($0) }
    let runs = try race([ours, libgps, gpspipe, bare])
    let names = ["daemon", "daemon.libgps", "daemon.gpspipe", "daemon.hop"]
    let labels = [
      "the daemon's client (two hops, JSON)", "a client of libgps in C (two hops, JSON)",
      "gpspipe's line, read through a pipe (three hops)",
      "a bare socket (one hop, nothing decoded)",
    ]
    for (name, (label, delays)) in zip(names, zip(labels, runs)) {
      try report("\(name).median", delays.median * 1e6, "us", "last byte to \(label), median")
      try report("\(name).p99", delays.quantile(0.99) * 1e6, "us", "last byte to \(label), p99")
    }
    for (name, delays) in zip(names, runs).dropFirst() {
      let ratio = runs[0].median / delays.median
      try report("\(name).ratio", ratio, "", "our median over \(name.dropFirst(7))'s")
    }
  }

  /// Writes an epoch for one racer after the other.
  private func race(_ racers: [Racer]) throws -> [[Double]] {
    var delays: [[Double]] = racers.map { _ in [] }
    for index in 0..<(Self.warmUp + Self.counted) {
      for (place, racer) in racers.enumerated() {
        usleep(30_000)
        let delay = try racer.run(Racer.Epoch(of: drive))
        if index >= Self.warmUp, let delay { delays[place].append(delay) }
      }
    }
    guard delays.allSatisfy({ $0.count > Self.counted * 9 / 10 }) else {
      throw InvalidMeasurement(text: "arrivals of \(Self.counted): \(delays.map(\.count))")
    }
    return delays
  }

  // MARK: Among many

  /// How much later the last of many receives than a single one, and what the daemon spends; rounds of
  /// the single one and of each crowd in turns.
  private func amongMany() throws {
    var crowds = [100, 1000].map { CrowdFigures(count: $0) }
    var alone: [Double] = []
    for _ in 0..<rounds {
      let single = try crowdRound(of: 1)
      alone += single.arrivals.compactMap { $0?.last }
      for index in crowds.indices {
        crowds[index].add(try crowdRound(of: crowds[index].count), against: single)
      }
    }
    try report("daemon.clients.1.median", alone.median * 1e6, "us", "median to a single client")
    for crowd in crowds { try crowd.report() }
  }

  /// So many clients in the place of earlier ones; the one of the comparison is there in any case.
  private func crowdRound(of count: Int) throws -> CrowdRound {
    let stopwatch = try CrowdStopwatch(of: count, at: rig)
    defer { _ = stopwatch.child.end() }
    // The daemon has greeted them, and has seen those of before go.
    rig.settle()
    var round = CrowdRound()
    let before = rig.daemon.processorTime
    for index in 0..<(CrowdRound.warmUp + CrowdRound.counted) {
      usleep(30_000)
      let arrival = try stopwatch.run(Racer.Epoch(of: drive))
      if index >= CrowdRound.warmUp { round.arrivals.append(arrival) }
    }
    let epochs = Double(CrowdRound.warmUp + CrowdRound.counted)
    round.spent = (rig.daemon.processorTime - before) / epochs
    round.memory = try rig.memory
    let missed = round.arrivals.count { $0 == nil }
    guard missed < CrowdRound.counted / 10 else {
      throw InvalidMeasurement(
        text: "\(missed) of \(CrowdRound.counted) epochs did not arrive in time")
    }
    return round
  }

  private func report(_ name: String, _ value: Double, _ unit: String, _ label: String) throws {
    try Figure.report(name, value, unit, label)
  }
}

/// How often the daemon wakes when there is nothing to do, in a minute each.
func measureIdleDaemon() async throws {
  try await measureIdleDaemon(mayRest: false)
  try await measureIdleDaemon(mayRest: true)
}

private func measureIdleDaemon(mayRest: Bool) async throws {
  let folder = try Peers.folder("idle")
  defer { try? FileManager.default.removeItem(at: folder) }
  let name = "daemon" + (mayRest ? ".rest" : "")
  let words = mayRest ? ", receiver may rest" : ""
  try await onThread {
    let rig = try DaemonRig(in: folder, mayRest: mayRest)
    defer { rig.end() }
    // What it did to begin with, and the first connection, are not counted.
    sleep(10)
    let idle = rig.wakes(seconds: 60)
    try Figure.report("\(name).idle.wakes", idle, "/min", "wake-ups when nobody asks\(words)")
    let watcher = try Child(Peers.own, [FarWatcher.name])
    defer { _ = watcher.end() }
    watcher.readLines { $0 != "watching" }
    // A receiver that stands still and speaks once a second, whoever listens.
    let isOver = Flag()
    let (port, drive) = (rig.port, Drive(from: HostClock.now.unixTime))
    Thread.detachNewThread {
      while !isOver.isSet {
        port.write(drive.standing(at: HostClock.now.unixTime))
        sleep(1)
      }
    }
    defer { isOver.set() }
    // The first fixes tell how far the places are, and that the device stands.
    _ = rig.wakes(seconds: 45)
    let far = rig.wakes(seconds: 60)
    try Figure.report("\(name).far.wakes", far, "/min", "wake-ups with 20 far conditions\(words)")
  }
}
