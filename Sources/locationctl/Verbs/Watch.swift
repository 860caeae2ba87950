import LocationEngine
import LocationHost
import LocationModel

extension Verb {
  private static let distanceFilter = Option(
    name: "distance-filter", value: .number("METERS", 0...1_000_000),
    summary: "Meters to move before the next location")
  private static let count = Option(
    name: "count", value: .wholeNumber("N", 1...Int.max), summary: "Stop after so many locations")
  private static let timeout = Option.timeout("Stop after so many seconds")

  static let watch = Verb(
    name: "watch", summary: "Print where the device is, as it moves",
    details: [
      """
      Runs until the count or the time is reached, the recordings have ended, or it is \
      interrupted. A line without a location says why there is none, again when the reason changes; \
      ends with status 1 when no source can ever give one. The date is printed where it is not today's.
      """,
      whosePosition,
    ],
    options: [.source, .accuracy, distanceFilter, count, timeout, .json],
    examples: [
      "locationctl watch --source gpsd://localhost",
      "locationctl watch --source 'log:///path/receiver.log?rate=10' --json",
    ],
    run: { invocation in
      let choice = try SourceChoice(invocation)
      guard !choice.sources.isEmpty else { throw SourceDiagnosis.noSource(choice.origin) }
      let level = invocation.accuracyLevel
      let feed = Feed(accuracy: level, distanceFilter: invocation.number(distanceFilter))
      let isJSON = invocation.has(.json)
      let limit = invocation.wholeNumber(count)
      if !isJSON { Output.standard.line(Output.standard.styled(Report.heading, .dim)) }
      var refusal: Failure?
      if let socket = choice.daemon {
        refusal = try await watch(DaemonFeed(socket: socket, feed: feed), invocation)
        guard refusal != nil else { return }
      }
      let person = try Person(
        sources: choice.sources, isPrecise: level != .reduced, beside: refusal)
      let log = WatchLog(asJSON: isJSON) {
        person.haveRecordingsEnded && !isJSON ? nil : person.cause
      }
      _ = try await withTimeout(invocation.number(timeout)) {
        let changes = Task { await log.followSources(of: person) }
        defer { changes.cancel() }
        try await feed.follow(as: person) { report in
          log.print(report)
          if let limit, log.count >= limit { return false }
          return report.location != nil || !person.haveRecordingsEnded
        }
      }
      let received = await log.count
      if received == 0 { throw person.reason }
      try check(received, limit)
    })

  /// Prints what a daemon gives its owner, or returns why it does not take this program for the owner's.
  @MainActor private static func watch(
    _ daemon: DaemonFeed, _ invocation: Invocation
  ) throws(Failure) -> Failure? {
    let limit = invocation.wholeNumber(count)
    let log = WatchLog(asJSON: invocation.has(.json)) { (try? daemon.silence())?.cause }
    let refusal = try daemon.follow(seconds: invocation.number(timeout)) { report in
      log.print(report)
      return limit.map { log.count < $0 } ?? true
    }
    guard refusal == nil else { return refusal }
    guard log.count > 0 else { throw try daemon.silence().failure }
    try check(log.count, limit)
    return nil
  }

  private static func check(_ received: Int, _ limit: Int?) throws(Failure) {
    guard let limit, received < limit else { return }
    throw .refused("\(received) of \(limit) locations came", next: nil)
  }
}

/// Prints locations, and why there is none: once, and again when the reason has changed.
@MainActor private final class WatchLog {
  private let isJSON: Bool
  /// Why there is none now; `nil` where that is no news.
  private let cause: @Sendable () -> String?
  /// How many locations came.
  private(set) var count = 0
  /// The reason that was printed last, since the last location.
  private var reason: String?

  nonisolated init(asJSON isJSON: Bool, because cause: @escaping @Sendable () -> String?) {
    (self.isJSON, self.cause) = (isJSON, cause)
  }

  /// - Parameters:
  ///   - report: a location, or that there is none.
  ///   - isUpdate: whether it is an update, each of which is a line of JSON.
  func print(_ report: Report, isUpdate: Bool = true) {
    var report = report
    if report.location != nil {
      count += 1
      reason = nil
    } else if report.diagnostics.contains(.locationUnavailable) {
      guard let cause = cause(), cause != reason || isJSON && isUpdate else { return }
      reason = cause
      report.reason = (cause, HostClock.now.unixTime)
    }
    let text = report.text(at: HostClock.now.unixTime)
    if isJSON {
      Output.standard.line(report.json)
    } else if report.location != nil {
      Output.standard.line(text)
    } else {
      Output.standard.line(Output.standard.styled(text, .doubtful))
    }
  }

  /// Prints why no source can give a position, as soon as that is so.
  func followSources(of person: Person) async {
    for await note in person.notes {
      guard case .provider = note, person.areSourcesOut, !person.haveRecordingsEnded else {
        continue
      }
      print(Report(location: nil, diagnostics: [.locationUnavailable]), isUpdate: false)
    }
  }
}

/// How many locations came.
@MainActor final class Tally {
  var count = 0

  nonisolated init() {}
}
