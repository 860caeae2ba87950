import Foundation
import Glibc
import LocationEngine
import LocationHost
import LocationModel
import Synchronization

/// A daemon of its own with a receiver, which programs of this benchmark may ask.
final class DaemonRig {
  let port: Port
  let socket: String
  let daemon: Child

  /// `mayRest`: whether the receiver's port may be closed between the fixes that are needed;
  /// `programs`: who may ask, beside this one; `isSerial`: whether the receiver is on a serial port,
  /// or behind a socket.
  init(
    in folder: URL, mayRest: Bool = false, serving programs: [String] = [], isSerial: Bool = true
  ) throws {
    port = try isSerial ? Port() : Port(listeningAt: folder.appending(path: "receiver").path)
    socket = folder.appending(path: "socket").path
    let state = folder.appending(path: "state").path
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    var record = AuthorizationRecord(manifest: Manifest())
    record.grant = .always
    try StateStore(path: StateFolder(path: state).file)
      .commit(([Peers.own] + programs).map { record.change(for: AppIdentity($0)) })
    // The crowd is one program, which gets 512 clients by default, and a quarter of all at most.
    let configuration = folder.appending(path: "locationd.conf")
    let bounds = ["clients", "clients-per-user", "clients-per-app"].map { "\($0) = 8192\n" }
    // The crowd has no window and no terminal of its own.
    try (bounds.joined() + "in-use = assumed\n")
      .write(to: configuration, atomically: true, encoding: .utf8)
    setenv(DaemonSocket.variable, socket, 1)
    let program = Peers.products.appending(path: "locationd").path
    daemon = try Child(
      program,
      [
        "--config", configuration.path, "--socket", socket, "--state", state,
        "--source", port.source(mayRest: mayRest),
      ])
    for _ in 0..<100 {
      if let descriptor = try? DaemonSocket.connect(to: socket) {
        close(descriptor)
        return
      }
      usleep(50_000)
    }
    throw MissingPeer(text: "\(program) does not answer")
  }

  func end() { _ = daemon.end() }

  /// Waits until the daemon has nothing to do.
  func settle() {
    var before = -1.0
    while daemon.processorTime - before > 0.000_5 {
      before = daemon.processorTime
      usleep(100_000)
    }
  }

  /// A program that prints when a fix has reached the body of its loop.
  func follower() throws -> Child { try Child(Peers.own, [Follower.name]) }

  /// Megabytes resident.
  var memory: Double {
    get throws { try residentBytes(of: "\(daemon.identifier)") / 1_048_576 }
  }

  /// How often its threads have waited and been woken, for each minute.
  func wakes(seconds: UInt32) -> Double {
    let before = switches
    sleep(seconds)
    // A thread that has ended takes its count with it.
    let wakes = switches.reduce(0) { $0 + $1.value - before[$1.key, default: 0] }
    return wakes * 60 / Double(seconds)
  }

  /// By thread.
  private var switches: [String: Double] {
    let folder = "/proc/\(daemon.identifier)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return threads.reduce(into: [:]) { all, thread in
      let status = try? String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8)
      let line = status?.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt") }
      all[thread] = line?.split(whereSeparator: \.isWhitespace).last.flatMap { Double($0) }
    }
  }
}

/// One way from the receiver to a program, and its stopwatch.
final class Racer {
  struct Epoch {
    let time: UnixTime
    let bytes: [UInt8]

    init(of drive: Drive) {
      time = UnixTime(milliseconds: HostClock.now.unixTime.nanoseconds / 1_000_000)
      bytes = drive.epoch(at: time)
    }
  }

  private let send: (Epoch) -> Instant
  private let finish = Finish<Instant>()
  private let child: Child

  /// Times what a child says of the epochs that `send` writes; `send` says when it began to.
  ///
  /// `reading` makes the date and the uptime of a line; the child's own by default.
  init(
    _ child: Child,
    reading: @escaping @Sendable (Substring) -> (date: Double, at: Instant)? = Racer.ownLine,
    send: @escaping (Epoch) -> Instant
  ) {
    self.child = child
    self.send = send
    let (output, finish) = (child.output, finish)
    Thread.detachNewThread {
      Child.readLines(from: output) { line in
        if let (date, instant) = reading(line) { finish.note(date, instant) }
        return true
      }
    }
  }

  /// Seconds from the write to the arrival; `nil` when it does not come within a second.
  func run(_ epoch: Epoch) throws -> Double? {
    finish.expect(epoch.time.seconds)
    let begin = send(epoch)
    guard let delay = finish.wait().map({ $0.seconds(since: begin) }) else { return nil }
    guard delay > 0 else {
      throw InvalidMeasurement(text: "an epoch arrived \(-delay) s before it was written")
    }
    return delay
  }

  /// `DATE UPTIME`, seconds and nanoseconds.
  static let ownLine: @Sendable (Substring) -> (date: Double, at: Instant)? = { line in
    let words = line.split(separator: " ")
    guard words.count == 2, let date = Double(words[0]), let uptime = Int64(words[1]) else {
      return nil
    }
    return (date, Instant(nanoseconds: uptime))
  }

  /// A TPV with a position, as it comes.
  static let gpspipeLine: @Sendable (Substring) -> (date: Double, at: Instant)? = { line in
    let now = HostClock.now.uptime
    guard line.contains("\"TPV\""), line.contains("\"lat\""),
      let key = line.range(of: "\"time\":\""),
      let date = UnixTime(iso8601: String(line[key.upperBound...].prefix { $0 != "\"" }))
    else { return nil }
    return (date.seconds, now)
  }
}

/// When the epoch that is expected has arrived, or more of its arrival.
final class Finish<Arrival: Sendable>: Sendable {
  private let state = Mutex<(expected: Double, arrived: Arrival?)>((0, nil))
  private let signal = DispatchSemaphore(value: 0)

  func expect(_ date: Double) { state.withLock { $0 = (date, nil) } }

  func note(_ date: Double, _ arrival: Arrival) {
    let isExpected = state.withLock {
      guard $0.arrived == nil, abs($0.expected - date) < 0.000_9 else { return false }
      $0.arrived = arrival
      return true
    }
    if isExpected { signal.signal() }
  }

  func wait() -> Arrival? {
    let deadline = DispatchTime.now() + 1
    // A signal may be that of an epoch which came too late.
    while signal.wait(timeout: deadline) == .success {
      if let arrived = state.withLock({ $0.arrived }) { return arrived }
    }
    return nil
  }
}

/// Something that has happened.
final class Flag: Sendable {
  private let state = Mutex(false)
  var isSet: Bool { state.withLock { $0 } }
  func set() { state.withLock { $0 = true } }
}
