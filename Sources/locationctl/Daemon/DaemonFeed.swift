import LocationHost
import LocationLink
import LocationModel

/// The locations of a daemon, which its owner receives as an app does (ADMIN-10).
struct DaemonFeed {
  let socket: String
  let feed: Feed

  /// Passes each report on until `take` returns `false`, or the time is over.
  ///
  /// - Parameters:
  ///   - seconds: how long; `nil` for without end.
  ///   - take: receives a location, or that there is none.
  /// - Returns: why the daemon does not take this program for its owner's; `nil` where it does.
  /// - Throws: `Failure` with why the daemon gives none.
  func follow(seconds: Double?, _ take: (Report) -> Bool) throws(Failure) -> Failure? {
    do throws(DaemonCaller.Fault) {
      try DaemonCaller(at: socket).follow(
        .followLocations(feed.options, once: feed.isOnce), "update", seconds: seconds
      ) { (update: LiveUpdate) in take(Report(update)) }
      return nil
    } catch {
      guard case .notOwner = error else { throw Failure(error, socket) }
      return Failure(error, socket)
    }
  }

  /// Why the daemon has no position now.
  func silence() throws(Failure) -> Silence {
    let daemon = try RunningDaemon(at: socket)
    return Silence(try daemon.ask(.status(places: false), "status"), socket)
  }

  /// Why there is no position, in the words of a daemon's sources.
  struct Silence {
    var cause: String
    var next: String
    /// Whether none comes as things are.
    var isLasting: Bool

    init(_ status: DaemonStatus, _ socket: String) {
      let reasons = status.sources.compactMap { source in
        source.reason.map { "\(source.url): \($0)" }
      }
      let command = RunningDaemon.command(at: socket)
      next = "\(command) doctor"
      isLasting = status.sources.allSatisfy { $0.status == "unavailable" }
      if !status.servicesEnabled {
        (cause, next, isLasting) = ("location services are off", "\(command) services on", true)
      } else if status.sources.isEmpty {
        (cause, next) = ("the daemon at \(socket) has no source", "locationctl setup")
      } else if reasons.isEmpty {
        cause = "the sources of the daemon at \(socket) have given none yet"
      } else {
        cause = reasons.joined(separator: "; ")
      }
    }

    var failure: Failure { .refused("no position: \(cause)", next: next) }
  }
}
