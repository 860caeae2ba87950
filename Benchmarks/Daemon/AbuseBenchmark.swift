import Foundation
import Glibc
import LocationHost
import LocationModel

/// What a well-behaved client notices of each kind of abuser, and of all at once: the delay from the
/// write of an epoch to its loop body, in turns alone and beside the abuser, which is another program
/// with the same permission. What it notices of two loops that ask the daemon for nothing is the
/// computer's. `ABUSE_KINDS="streams stores"` measures these alone. The receiver is behind a socket:
/// what a serial port receives is passed on by a thread of the kernel, which waits for a processor
/// behind the abuser or the daemon. `ABUSE_RECEIVER=serial` has it on a port.
func measureAbuse() async throws {
  let folder = try Peers.folder("abuse")
  defer { try? FileManager.default.removeItem(at: folder) }
  try await onThread { try AbuseMeasurement(in: folder).run() }
}

private struct AbuseMeasurement {
  private let rig: DaemonRig
  private let ours: Racer
  private let abuser: String
  private let drive = Drive(from: HostClock.now.unixTime)

  /// Epochs of a turn. Between two turns of abusers the daemon forgives half of the share that
  /// was used up.
  private static let (warmUp, alone, abused) = (30, 340, 170)

  init(in folder: URL) throws {
    abuser = folder.appending(path: "abuser").path
    try FileManager.default.copyItem(atPath: Peers.own, toPath: abuser)
    let receiver = ProcessInfo.processInfo.environment["ABUSE_RECEIVER"] ?? "socket"
    guard ["socket", "serial"].contains(receiver) else {
      throw InvalidMeasurement(text: "no receiver \(receiver); there are socket and serial")
    }
    rig = try DaemonRig(in: folder, serving: [abuser], isSerial: receiver == "serial")
    let port = rig.port
    ours = Racer(try rig.follower()) { port.write($0.bytes) }
  }

  func run() throws {
    _ = try delays(of: Self.warmUp)
    let names = ProcessInfo.processInfo.environment["ABUSE_KINDS"]?.split(separator: " ")
    let kinds = try names.map { try $0.map(Self.kind) } ?? Abuser.Kind.allCases
    for kind in kinds { try measure(kind == .spins ? [kind, kind] : [kind], kind.rawValue) }
    if names == nil { try measure(kinds.filter { $0 != .spins }, "all") }
    try Figure.report("abuse.memory", rig.memory, "MB", "the daemon's memory")
    rig.end()
  }

  private static func kind(_ name: Substring) throws -> Abuser.Kind {
    guard let kind = Abuser.Kind(rawValue: String(name)) else {
      let known = Abuser.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw InvalidMeasurement(text: "no abuser \(name); there are \(known)")
    }
    return kind
  }

  private func measure(_ kinds: [Abuser.Kind], _ name: String) throws {
    var (alone, abused): ([Double], [Double]) = ([], [])
    for _ in 0..<rounds {
      alone += try delays(of: Self.alone)
      let abusers = try kinds.map { try start($0) }
      abused += try delays(of: Self.abused)
      for abuser in abusers where abuser.end(SIGKILL).status & 0x7f != SIGKILL {
        throw InvalidMeasurement(text: "an abuser has ended by itself")
      }
    }
    for (part, delays, label) in [(".alone", alone, "alone"), ("", abused, "beside \(name)")] {
      let (figure, p99) = ("abuse.\(name)\(part)", delays.quantile(0.99))
      try Figure.report("\(figure).median", delays.median * 1e6, "us", "median \(label)")
      try Figure.report("\(figure).p99", p99 * 1e6, "us", "p99 \(label)")
    }
    let ratio = abused.quantile(0.99) / alone.quantile(0.99)
    try Figure.report("abuse.\(name).ratio", ratio, "", "p99 beside \(name) over that alone")
  }

  /// Where the others keep to a processor (`taskset -c 0 Benchmarks abuse`), abusers have those that are
  /// left: what a client notices then is the daemon's.
  private func start(_ kind: Abuser.Kind) throws -> Child {
    let words = [Abuser.name, rig.socket, kind.rawValue]
    guard let others = try Self.otherProcessors() else { return try Child(abuser, words) }
    return try Child("/usr/bin/taskset", [others, abuser] + words)
  }

  /// The processors that this program keeps away from, as a mask; `nil` where there are none.
  private static func otherProcessors() throws -> String? {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    guard let text = status.firstMatch(of: /Cpus_allowed:\s+([0-9a-f]+)\n/)?.1,
      let own = UInt64(text, radix: 16)
    else { return nil }
    let all: UInt64 = (1 << UInt64(ProcessInfo.processInfo.processorCount)) - 1
    let others = all & ~own
    return others == 0 ? nil : String(others, radix: 16)
  }

  private func delays(of epochs: Int) throws -> [Double] {
    var delays: [Double] = []
    for _ in 0..<epochs {
      usleep(15_000)
      if let delay = try ours.run(Racer.Epoch(of: drive)) { delays.append(delay) }
    }
    guard delays.count > epochs * 9 / 10 else {
      throw InvalidMeasurement(text: "\(delays.count) of \(epochs) epochs arrived in time")
    }
    return delays
  }
}
