import Foundation
import Glibc
import LocationHost
import LocationLink
import LocationModel

/// Many connections that watch; a program of its own, as those of `DaemonClients.swift`.
///
/// It looks at the first and the last of them without end, on a processor of its own: being woken
/// would take longer than the daemon takes to send to a hundred. Nobody is woken for the others,
/// which are read when both have an epoch: each must hold it by then. So what is measured is what
/// the daemon takes to send, and not what the computer takes to wake a thousand programs.
enum Crowd {
  static let name = "--crowd"

  /// What one epoch looked like to the crowd.
  struct Arrival {
    /// When the connection that was opened first, and that which was opened last, had it.
    var first, last: Instant
    /// Connections that did not have it when both of these had.
    var lacking: Int
  }

  /// `--crowd SOCKET COUNT`: prints `DATE FIRST LAST LACKING` for each epoch, seconds and
  /// nanoseconds.
  static func run(_ socket: String, _ count: Int) throws -> Never {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    let call = frame(LinkCall("\(LinkInterface.name).Watch", wantsMore: true).json)
    let question = frame(LinkCall("org.varlink.service.GetInfo").json) + call
    let watchers = try (0..<count).map { _ in Watcher(try admitted(to: socket, asking: question)) }
    print("ready")
    fflush(nil)
    watch(watchers)
  }

  /// Opens a connection that the daemon serves. A program that has used up its share of the daemon's
  /// time is refused for a while, as this one is with hundreds of connections at once: then another
  /// attempt follows.
  private static func admitted(to socket: String, asking question: [UInt8]) throws -> Int32 {
    for _ in 0..<attempts {
      let descriptor = try DaemonSocket.connect(to: socket)
      _ = send(descriptor, question, question.count, Int32(MSG_NOSIGNAL))
      if !readAnswer(on: descriptor).contains("\(LinkInterface.name).Refused") {
        return descriptor
      }
      close(descriptor)
      usleep(200_000)
    }
    throw InvalidMeasurement(text: "the daemon does not admit the crowd")
  }

  /// A minute for each connection.
  private static let attempts = 300

  /// Reads the first answer of the daemon, and leaves what follows.
  private static func readAnswer(on descriptor: Int32) -> String {
    var (answer, byte): ([UInt8], UInt8) = ([], 1)
    while Glibc.read(descriptor, &byte, 1) == 1, byte != 0 { answer.append(byte) }
    // Without its end, the daemon has closed the connection.
    return byte == 0 ? String(decoding: answer, as: UTF8.self) : "\(LinkInterface.name).Refused"
  }

  private static func watch(_ watchers: [Watcher]) -> Never {
    let (first, last) = (watchers[0], watchers[watchers.count - 1])
    var reported: Int64 = 0
    while true {
      guard first.read(), last.read() else { exit(0) }
      guard first.date == last.date, first.date != reported else { continue }
      reported = first.date
      let lacking = watchers.dropFirst().dropLast().count {
        _ = $0.read()
        return $0.date != reported
      }
      print(
        Double(reported) / 1e9, first.arrived.nanoseconds, last.arrived.nanoseconds, lacking)
      fflush(nil)
    }
  }

  /// A line of the program.
  static func read(_ line: Substring) -> (date: Double, Arrival)? {
    let words = line.split(separator: " ")
    guard words.count == 4, let date = Double(words[0]), let first = Int64(words[1]),
      let last = Int64(words[2]), let lacking = Int(words[3])
    else { return nil }
    return (
      date,
      Arrival(
        first: Instant(nanoseconds: first), last: Instant(nanoseconds: last), lacking: lacking)
    )
  }
}

/// A connection that watches, and the newest date that it has received.
private final class Watcher {
  let descriptor: Int32
  /// Nanoseconds since 1970; 0 before the first fix.
  private(set) var date: Int64 = 0
  /// When it was seen.
  private(set) var arrived = Instant.start
  private var rest: [UInt8] = []

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Reads what is there; false when the daemon has closed the connection.
  func read() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { buffer in
      let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
      guard count > 0 else { return count < 0 }
      let now = HostClock.now.uptime
      rest += buffer[..<count]
      guard let end = rest.lastIndex(of: 0) else { return true }
      let message = String(decoding: rest[..<end], as: UTF8.self)
      rest.removeFirst(end + 1)
      guard let key = message.range(of: "\"time\":", options: .backwards),
        let new = Int64(message[key.upperBound...].prefix { $0.isNumber }), new != date
      else { return true }
      (date, arrived) = (new, now)
      return true
    }
  }
}

/// Times the crowd's epochs.
final class CrowdStopwatch {
  let child: Child
  private let port: Port
  private let finish = Finish<Crowd.Arrival>()

  /// Starts a crowd, and returns when the daemon serves all of it.
  init(of count: Int, at rig: DaemonRig) throws {
    child = try Child(Peers.own, [Crowd.name, rig.socket, String(count)])
    port = rig.port
    child.readLines { $0 != "ready" }
    let (output, finish) = (child.output, finish)
    Thread.detachNewThread {
      Child.readLines(from: output) { line in
        if let (date, arrival) = Crowd.read(line) { finish.note(date, arrival) }
        return true
      }
    }
  }

  /// Seconds from the write to the first and to the last arrival; `nil` when they do not come within
  /// a second.
  func run(_ epoch: Racer.Epoch) throws -> (first: Double, last: Double)? {
    finish.expect(epoch.time.seconds)
    let begin = port.write(epoch.bytes)
    guard let arrival = finish.wait() else { return nil }
    let first = arrival.first.seconds(since: begin)
    let last = arrival.last.seconds(since: begin)
    guard first > 0, last > 0 else {
      throw InvalidMeasurement(text: "an epoch reached the crowd before it was written")
    }
    guard arrival.lacking == 0 else {
      throw InvalidMeasurement(
        text: "\(arrival.lacking) clients had no epoch that the first and the last had")
    }
    return (first, last)
  }
}
