import CSystemd
import Glibc
package import LocationLink
import LocationModel
import Synchronization

/// The log of a daemon: keeps the last records, writes them where the system collects them, and
/// hands them to those who follow.
///
/// Under systemd each record goes to the journal with fields of its own (`LOCATION_CATEGORY`,
/// `LOCATION_APP`, `LOCATION_PID`); else it is a line on standard error.
package final class DaemonJournal: Sendable {
  private struct State {
    var records: [LogRecord] = []
    var follower: (@Sendable (LogRecord) -> Void)?
  }

  private let state = Mutex(State())
  private let isJournal: Bool
  /// Records kept for those who ask later. Chosen: a few days of a quiet machine.
  private static let kept = 1000

  package init(_ variables: [String: String]) {
    isJournal = variables["JOURNAL_STREAM"].map { Self.isStandardError($0) } ?? false
  }

  /// Calls `follower` with each record from now on, on the thread that writes it.
  func follow(_ follower: @escaping @Sendable (LogRecord) -> Void) {
    state.withLock { $0.follower = follower }
  }

  /// The newest records of some kind, the oldest of them first.
  func last(_ count: Int, where wanted: (LogRecord) -> Bool) -> [LogRecord] {
    state.withLock { state in state.records.filter(wanted).suffix(max(0, count)) }
  }

  /// Writes a record. The name of what it is about is told to those who follow, and neither written nor
  /// kept: it may say where somebody is.
  package func write(_ record: LogRecord, naming name: String? = nil) {
    let follower = state.withLock { state in
      state.records.append(record)
      if state.records.count > Self.kept { state.records.removeFirst() }
      return state.follower
    }
    if isJournal { send(record) } else { printLine(record) }
    var told = record
    told.name = name
    follower?(told)
  }

  /// Writes what has just happened.
  package func write(_ category: LogCategory, _ message: String, isFault: Bool = false) {
    write(LogRecord(category, message, at: HostClock.now.unixTime, isFault: isFault))
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
