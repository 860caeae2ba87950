import CSystemd
import Glibc
import LocationHost
package import LocationLink
import LocationModel
import Synchronization

/// The log of a daemon: keeps the last records, writes them where the system collects them, and
/// passes them to followers.
///
/// Under systemd each record goes to the journal with fields of its own (`LOCATION_CATEGORY`,
/// `LOCATION_APP`, `LOCATION_PID`); else it is a line on standard error.
///
/// Records that programs cause are limited by a quota (`LogQuota`). A new record replaces the
/// oldest one of the user who has most, so that one user's flood removes neither the records of
/// others nor those of the daemon itself.
package final class DaemonJournal: Sendable {
  fileprivate struct State {
    var records: [(record: LogRecord, user: UInt32?)] = []
    var quota = LogQuota()
    var follower: (@Sendable (LogRecord) -> Void)?
  }

  private let state = Mutex(State())
  private let isJournal: Bool
  /// Records kept for later readers. Chosen: a few days of a quiet machine.
  package static let kept = 1000
  /// The greatest length of a message in characters. Chosen: two paths, and a sentence.
  package static let longest = 10_000

  package init(_ variables: [String: String]) {
    isJournal = variables["JOURNAL_STREAM"].map { Self.isStandardError($0) } ?? false
  }

  /// Calls `follower` with each record from now on, on the thread that writes it.
  func follow(_ follower: @escaping @Sendable (LogRecord) -> Void) {
    state.withLock { $0.follower = follower }
  }

  /// Returns the newest records that match, oldest first.
  package func last(_ count: Int, where wanted: (LogRecord) -> Bool) -> [LogRecord] {
    state.withLock { state in
      state.records.map(\.record).filter(wanted).suffix(max(0, count))
    }
  }

  /// Writes a record; one that a program has caused, only if its quota allows. `name` is passed to
  /// followers, and neither written nor kept: it may reveal where a person is.
  ///
  /// Text from apps is escaped, so that no name can form a line or a field of its own.
  package func write(
    _ record: LogRecord, naming name: String? = nil, from caller: LogCaller? = nil
  ) {
    var record = record
    record.message = record.message.escapedForDisplay(limit: Self.longest)
    record.app = record.app?.escapedForDisplay(limit: Self.longest)
    guard let caller else { return put(record, naming: name, of: nil) }
    switch state.withLock({ $0.quota.admit(caller, at: HostClock.now.uptime) }) {
    case .write(leftOut: 0): put(record, naming: name, of: caller.user)
    case .write(let leftOut):
      put(remark("\(leftOut) more lines about \(caller) were left out"), of: caller.user)
      put(record, naming: name, of: caller.user)
    case .leaveOut(isFirst: true):
      put(remark("more lines about \(caller) are left out for a while"), of: caller.user)
    case .leaveOut(isFirst: false): break
    }
  }

  /// Writes a record with the current time.
  package func write(
    _ category: LogCategory, _ message: String, isFault: Bool = false,
    from caller: LogCaller? = nil
  ) {
    write(
      LogRecord(category, message, at: HostClock.now.unixTime, isFault: isFault), from: caller)
  }

  private func remark(_ text: String) -> LogRecord {
    let message = text.escapedForDisplay(limit: Self.longest)
    return LogRecord(.client, message, at: HostClock.now.unixTime, isFault: true)
  }

  private func put(_ record: LogRecord, naming name: String? = nil, of user: UInt32?) {
    let follower = state.withLock { state in
      state.records.append((record, user))
      state.shrink(to: Self.kept)
      return state.follower
    }
    if isJournal { send(record) } else { printLine(record) }
    var delivered = record
    delivered.name = name
    follower?(delivered)
  }

  private func printLine(_ record: LogRecord) {
    let line = "locationd: \(record.message)\n"
    _ = line.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
  }

  // MARK: The system's journal

  /// Whether standard error is the stream that systemd has named: its device and its inode.
  private static func isStandardError(_ stream: String) -> Bool {
    var status = stat()
    guard fstat(STDERR_FILENO, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }

  /// The priorities of syslog.
  private static let (warning, information) = (4, 6)

  private func send(_ record: LogRecord) {
    var fields = [
      "MESSAGE=\(record.message)", "SYSLOG_IDENTIFIER=locationd",
      "PRIORITY=\(record.isFault ? Self.warning : Self.information)",
      "LOCATION_CATEGORY=\(record.category.rawValue)",
    ]
    if let app = record.app { fields.append("LOCATION_APP=\(app)") }
    if let pid = record.pid { fields.append("LOCATION_PID=\(pid)") }
    let texts = fields.map { strdup($0) }
    defer { for text in texts { free(text) } }
    let vectors = texts.map { iovec(iov_base: $0, iov_len: $0.map { strlen($0) } ?? 0) }
    if sd_journal_sendv(vectors, Int32(vectors.count)) < 0 { printLine(record) }
  }
}

extension DaemonJournal.State {
  /// Removes the oldest record of the user who has most; of several, the user who came first.
  fileprivate mutating func shrink(to count: Int) {
    while records.count > count {
      let counts = records.reduce(into: [:]) { $0[$1.user, default: 0] += 1 }
      let most = counts.values.max() ?? 0
      guard let oldest = records.firstIndex(where: { counts[$0.user] == most }) else { return }
      records.remove(at: oldest)
    }
  }
}

extension LogCaller {
  /// The demand of all apps together, which any of them may change.
  static let demand = LogCaller(user: getuid(), program: "the demand of all apps")

  init(_ payer: Payer) {
    let program = payer.program.map { "the program \($0.device):\($0.inode)" }
    self.init(user: payer.user, program: program ?? "a program")
  }

  /// Creates a caller from an app's name, which ends in its user unless that is the daemon's.
  init(app: String) {
    self.init(user: AppIdentity(app).user ?? getuid(), program: app)
  }
}
