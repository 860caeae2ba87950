import LocationFleet
import LocationModel
import TestSupport

/// The logs of a fleet in memory, which several workers share.
final class MemoryLogs {
  private(set) var logs: [FleetLog: [LogMessage]] = [:]
  /// What was replaced, of which a store may still have the bytes.
  private(set) var replaced: [FleetLog: [LogMessage]] = [:]
  private var ends: [FleetLog: UInt64] = [:]
  var time = FleetWalk.start

  func messages(_ log: FleetLog) -> [LogMessage] { logs[log] ?? [] }

  func end(_ log: FleetLog) -> UInt64 { ends[log] ?? 0 }

  /// Appends a message; of those with one key only the newest is kept.
  func add(_ entry: LogEntry, to log: FleetLog) -> UInt64 {
    let sequence = end(log) + 1
    ends[log] = sequence
    switch log {
    case .state, .leases, .fences, .sinks:
      replaced[log, default: []] += messages(log).filter { $0.entry.subject == entry.subject }
      logs[log]?.removeAll { $0.entry.subject == entry.subject }
    case .fixes, .events, .erasures, .refused: break
    }
    logs[log, default: []].append(LogMessage(sequence: sequence, time: time, entry: entry))
    return sequence
  }

  /// Takes messages out; returns how many were there.
  func remove(_ sequences: [UInt64], of log: FleetLog) -> Int {
    let before = messages(log).count
    logs[log]?.removeAll { sequences.contains($0.sequence) }
    return before - messages(log).count
  }

  /// Forgets what is oldest.
  func age(_ log: FleetLog, before sequence: UInt64) {
    logs[log]?.removeAll { $0.sequence < sequence }
  }
}

/// The five verbs over logs in memory, for one worker that may die in any of them.
struct MemoryBroker: FleetBroker {
  let logs: MemoryLogs
  /// In which call the worker dies; `nil` for never.
  var death: Int?
  /// How much of what is asked in that call is done all the same.
  var done = 0
  /// How many calls from that one on have no answer; without a number all of them.
  var silence = Int.max
  /// In which call the worker dies after such a silence; `nil` for never.
  var end: Int?
  private(set) var calls = 0
  /// Where the last entries that were sent did not go directly behind what was expected.
  private var conflicts: Set<FleetLog> = []
  private var watched: UInt64 = 0
  /// What others do before a call of this worker takes effect.
  private var stops: [(call: Int, body: () -> Void)] = []

  init(_ logs: MemoryLogs, death: Int? = nil, done: Int = 0) {
    self.logs = logs
    self.death = death
    self.done = done
  }

  var isDead: Bool {
    (silence == .max && death.map { calls >= $0 } ?? false) || end.map { calls >= $0 } ?? false
  }

  /// Lets others act before the call with this number from here on takes effect, once.
  mutating func pause(before call: Int, _ body: @escaping () -> Void) {
    stops.append((calls + call, body))
  }

  /// Whether the call is done whole.
  private mutating func begin() throws(BrokerFault) -> Bool {
    guard !isDead else { throw .unreachable("dead") }
    calls += 1
    if let death, calls > death, calls - death < silence { throw .unreachable("silent") }
    for stop in stops where stop.call == calls { stop.body() }
    stops.removeAll { $0.call <= calls }
    return calls != death && calls != end
  }

  mutating func read(
    _ log: FleetLog, from sequence: UInt64, most: Int
  ) throws(BrokerFault) -> (messages: [LogMessage], left: Int) {
    guard try begin() else { throw .unreachable("dies") }
    let found = logs.messages(log).filter { $0.sequence >= sequence }
    return (Array(found.prefix(most)), max(found.count - most, 0))
  }

  mutating func beginAppend(
    _ entries: [LogEntry], to log: FleetLog, expecting last: UInt64?
  ) throws(BrokerFault) -> PendingAppend {
    let isWhole = try begin()
    let isConflict = last.map { logs.end(log) != $0 } ?? false
    if isConflict { conflicts.insert(log) } else { conflicts.remove(log) }
    for entry in entries.prefix(isConflict ? 0 : isWhole ? entries.count : done) {
      _ = logs.add(entry, to: log)
    }
    guard isWhole else { throw .unreachable("dies") }
    return PendingAppend(log, answers: logs.end(log)...logs.end(log))
  }

  mutating func finish(_ append: PendingAppend) throws(BrokerFault) -> UInt64 {
    guard try begin() else { throw .unreachable("dies") }
    guard !conflicts.contains(append.log) else { throw .conflict }
    return append.answers.upperBound
  }

  mutating func last(of log: FleetLog, key: String?) throws(BrokerFault) -> LogEnd {
    guard try begin() else { throw .unreachable("dies") }
    let all = logs.messages(log)
    let message =
      key.map { Self.subject($0, log) }.map { subject in
        all.last { Self.isMatched($0.entry.subject, by: subject) }
      } ?? all.last { $0.sequence == logs.end(log) }
    guard key == nil else {
      return LogEnd(
        first: message?.sequence ?? 1, last: message?.sequence ?? 0, message: message)
    }
    return LogEnd(
      first: all.first?.sequence ?? logs.end(log) + 1, last: logs.end(log), message: message)
  }

  mutating func put(
    _ bytes: [UInt8], at key: String, in log: FleetLog, expecting revision: UInt64
  ) throws(BrokerFault) -> UInt64 {
    let isWhole = try begin()
    let subject = Self.subject(key, log)
    let known = logs.messages(log).last { $0.entry.subject == subject }?.sequence ?? 0
    guard known == revision else { throw .conflict }
    guard isWhole || done > 0 else { throw .unreachable("dies") }
    let new = logs.add(LogEntry(subject: subject, bytes: bytes), to: log)
    guard isWhole else { throw .unreachable("dies") }
    return new
  }

  mutating func watch() throws(BrokerFault) -> [LogMessage] {
    let found = try read(.leases, from: watched + 1, most: .max).messages
    if let last = found.last { watched = last.sequence }
    return found
  }

  mutating func find(
    _ subject: String, in log: FleetLog, _ range: ClosedRange<UInt64>
  ) throws(BrokerFault) -> (messages: [LogMessage], end: UInt64) {
    guard try begin() else { throw .unreachable("dies") }
    let found = logs.messages(log).filter {
      range.contains($0.sequence) && Self.isMatched($0.entry.subject, by: subject)
    }
    let some = Array(found.prefix(7))
    let isAll = found.count <= 7
    return (some, isAll ? range.upperBound + 1 : (some.last?.sequence ?? 0) + 1)
  }

  mutating func first(
    _ subject: String, in log: FleetLog, from sequence: UInt64
  ) throws(BrokerFault) -> LogMessage? {
    guard try begin() else { throw .unreachable("dies") }
    return logs.messages(log).first { message in
      message.sequence >= sequence && Self.isMatched(message.entry.subject, by: subject)
    }
  }

  mutating func erase(_ sequences: [UInt64], of log: FleetLog) throws(BrokerFault) -> Int {
    let isWhole = try begin()
    let count = logs.remove(isWhole ? sequences : Array(sequences.prefix(done)), of: log)
    guard isWhole else { throw .unreachable("dies") }
    return count
  }

  /// As NATS compares them: `*` is any part, `>` are any further ones.
  private static func isMatched(_ subject: String, by pattern: String) -> Bool {
    guard pattern.contains(where: { $0 == "*" || $0 == ">" }) else { return subject == pattern }
    let (parts, wanted) = (subject.split(separator: "."), pattern.split(separator: "."))
    for (number, word) in wanted.enumerated() {
      guard number < parts.count else { return false }
      if word == ">" { return true }
      guard word == "*" || word == parts[number] else { return false }
    }
    return parts.count == wanted.count
  }

  private static func subject(_ key: String, _ log: FleetLog) -> String {
    switch log {
    case .leases: "$KV.LEASES.\(key)"
    case .fences: "$KV.FENCES.\(key)"
    case .sinks: "$KV.SINKS.\(key)"
    default: key
    }
  }
}
