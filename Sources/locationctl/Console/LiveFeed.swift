import Dispatch
import LocationCoding
import LocationEngine
import LocationHost
import LocationLink
import LocationModel
import LocationProviders

/// Follows the daemon, as its owner, for the pages that are open.
///
/// Nothing is asked again and again: the daemon says what has changed, and while nothing does, nothing
/// wakes. When the last page has gone, the next change ends both connections.
final class LiveFeed: Sendable {
  private let board: LiveBoard
  private let end = DispatchSemaphore(value: 0)

  init(_ board: LiveBoard) { self.board = board }

  /// Begins: one thread follows what the daemon is doing, another reads its log.
  func start() {
    DispatchQueue(label: "console.status").async { self.follow() }
    DispatchQueue(label: "console.log").async { self.read() }
  }

  /// Ends the threads that wait for a daemon or for a page; the others end with the process.
  func stop() {
    end.signal()
    end.signal()
  }

  // MARK: Status

  private func follow() {
    var failures = 0
    while board.awaitPage() {
      do throws(Failure) {
        try follow(try RunningDaemon.needed()) { failures = 0 }
        continue
      } catch {
        failures += 1
        let (problem, now) = (error.json, HostClock.now.unixTime)
        // One that starts over is back in a moment.
        if failures > Self.mostFailures { board.change { $0.leave(problem, at: now) } }
      }
      guard end.wait(timeout: .now() + Self.pause) == .timedOut else { return }
    }
  }

  /// Follows a daemon until it ends, or no page is open.
  private func follow(
    _ daemon: RunningDaemon, _ begun: () -> Void
  ) throws(Failure) {
    var isFirst = true
    let socket = daemon.socket
    try daemon.follow(.followStatus(places: true), "change") { (change: StatusChange) in
      begun()
      var change = change
      change.status = change.status.map { Self.shown($0) }
      let now = HostClock.now.unixTime
      board.change { [change, isFirst] state in
        state.set(.daemon, .fields(["socket": socket.json]))
        state.take(change, isWhole: isFirst, at: now)
      }
      isFirst = false
      return board.isWatched
    }
  }

  /// The addresses of sources as a person may see them: the key of a service never.
  static func shown(_ status: DaemonStatus) -> DaemonStatus {
    var status = status
    for index in status.sources.indices {
      guard let source = try? Source(url: status.sources[index].url) else { continue }
      status.sources[index].url = source.shownURL
    }
    return status
  }

  // MARK: Log

  /// Follows the log while a page is open, with the positions that were not used, and why.
  private func read() {
    var earlier = Self.earlierRecords
    while board.awaitPage() {
      let query = AdministrationRequest.LogQuery(
        categories: LogCategory.allCases, last: earlier, follow: true, places: true)
      if let daemon = try? RunningDaemon.find() {
        earlier = 0
        try? daemon.follow(.log(query), "record") { (record: LogRecord) in
          board.change { $0.add(record) }
          return board.isWatched
        }
      }
      guard end.wait(timeout: .now() + Self.pause) == .timedOut else { return }
    }
  }

  /// Before it is looked again whether a daemon runs.
  private static let pause = DispatchTimeInterval.seconds(1)
  /// How often in a row it may fail before the page says so.
  private static let mostFailures = 1
  private static let earlierRecords = 100
}

extension Explanation {
  /// An event, and why it came, as the page shows it.
  var consoleEvent: JSON {
    let event = record.event
    var first: UnixTime?
    var last: UnixTime?
    switch event.evidence {
    case .crossing(let crossing)?: (first, last) = (crossing.firstFix, crossing.lastFix)
    case .stay(let stay)?: (first, last) = (stay.firstFix, stay.lastFix)
    case nil: break
    }
    return .fields([
      "number": record.number.json, "app": record.app.name.json, "kind": event.kind.rawValue.json,
      "name": event.name.json, "state": event.state.json,
      "time": record.delivered.milliseconds.json,
      "first": first?.milliseconds.json, "last": last?.milliseconds.json, "text": text.json,
    ])
  }
}

extension UnixTime {
  /// Since 1970, as the page counts.
  var milliseconds: Double { Double(nanoseconds) / 1_000_000 }
}

extension Failure {
  /// As the page shows it.
  var json: JSON {
    switch self {
    case .usage(let problem, let next): .fields(["problem": problem.json, "next": next.json])
    case .refused(let problem, let next): .fields(["problem": problem.json, "next": next?.json])
    }
  }
}
