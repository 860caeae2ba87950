import Dispatch
import LocationCoding
import LocationEngine
import LocationLink
import LocationModel
import LocationProviders

/// Asks the daemon, as its owner, for what the pages that are open show.
final class LiveFeed: Sendable {
  private let board: LiveBoard
  private let end = DispatchSemaphore(value: 0)

  init(_ board: LiveBoard) { self.board = board }

  /// Begins: one thread asks for what the daemon is doing, another reads its log.
  func start() {
    DispatchQueue(label: "console.status").async { self.ask() }
    DispatchQueue(label: "console.log").async { self.read() }
  }

  func stop() {
    end.signal()
    end.signal()
  }

  // MARK: Status

  private func ask() {
    var daemon: RunningDaemon?
    var round = 0
    var failures = 0
    while end.wait(timeout: .now() + (board.isWatched ? Self.pause : Self.idlePause)) == .timedOut {
      guard board.isWatched else { continue }
      do throws(Failure) {
        let current = if let daemon { daemon } else { try RunningDaemon.needed() }
        daemon = current
        try look(at: current, everything: round % Self.roundsOfAll == 0)
        (round, failures) = (round + 1, 0)
      } catch {
        (daemon, round) = (nil, 0)
        failures += 1
        // One that starts over is back in a moment.
        guard failures > Self.mostFailures else { continue }
        let problem = error.json
        board.change { $0.leave(problem) }
      }
    }
  }

  private func look(at daemon: RunningDaemon, everything: Bool) throws(Failure) {
    let status = Self.shown(try daemon.ask(.status(places: true), "status"))
    let socket = daemon.socket
    board.change { state in
      state.set(.daemon, .fields(["socket": socket.json]))
      state.set(status)
    }
    guard everything else { return }
    let apps: [AppStatus] = try daemon.ask(.apps, "apps")
    let conditions: [ConditionStatus] = try daemon.ask(.conditions(places: true), "conditions")
    let access: [AccessRecord] = try daemon.ask(.access(app: nil), "access")
    var events: [JSON] = []
    try daemon.follow(.events(app: nil), "event") { (record: EventRecord) in
      events.append(Explanation(record: record).consoleEvent)
      return true
    }
    let newest = JSON.array(Array(events.suffix(Self.mostEvents)))
    board.change { state in
      state.set(.apps, apps.json)
      state.set(.conditions, conditions.json)
      state.set(.access, access.json)
      state.set(.events, newest)
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
    while end.wait(timeout: .now() + Self.idlePause) == .timedOut {
      guard board.isWatched, let daemon = try? RunningDaemon.find() else { continue }
      let query = AdministrationRequest.LogQuery(
        categories: LogCategory.allCases, last: earlier, follow: true, places: true)
      earlier = 0
      try? daemon.follow(.log(query), "record") { (record: LogRecord) in
        board.change { $0.add(record) }
        return board.isWatched
      }
    }
  }

  /// Chosen: a fix is painted a quarter of a second after it at the latest. Each question costs the daemon a
  /// look at who asks.
  private static let pause = DispatchTimeInterval.milliseconds(250)
  private static let idlePause = DispatchTimeInterval.seconds(1)
  /// Everything else than the status is asked for every two seconds.
  private static let roundsOfAll = 8
  /// How many questions in a row may fail before the page says so.
  private static let mostFailures = 2
  private static let mostEvents = 200
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
