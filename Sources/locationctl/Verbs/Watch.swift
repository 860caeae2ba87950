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
      withoutMap,
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
      let person = try Person(
        sources: choice.sources, isPrecise: level != .reduced, beside: choice.daemon)
      let feed = Feed(accuracy: level, distanceFilter: invocation.number(distanceFilter))
      let isJSON = invocation.has(.json)
      let limit = invocation.wholeNumber(count)
      let log = WatchLog(person, asJSON: isJSON)
      if !isJSON { Output.standard.line(Output.standard.styled(Report.heading, .dim)) }
      _ = try await withTimeout(invocation.number(timeout)) {
        let changes = Task { await log.followSources() }
        defer { changes.cancel() }
        try await feed.follow(as: person) { report in
          log.print(report)
          if let limit, log.count >= limit { return false }
          return report.location != nil || !person.haveRecordingsEnded
        }
      }
      let received = await log.count
      if received == 0 { throw person.reason }
      guard let limit, received < limit else { return }
      throw Failure.refused("\(received) of \(limit) locations came", next: nil)
    })
}

/// Prints locations, and why there is none: once, and again when the reason has changed.
@MainActor private final class WatchLog {
  private let person: Person
  private let isJSON: Bool
  /// How many locations came.
  private(set) var count = 0
  /// The reason that was printed last, since the last location.
  private var reason: String?

  nonisolated init(_ person: Person, asJSON isJSON: Bool) {
    (self.person, self.isJSON) = (person, isJSON)
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
      let cause = person.cause
      guard cause != reason || isJSON && isUpdate else { return }
      reason = cause
      report.reason = (cause, HostClock.now.unixTime)
    }
    let text = report.text(at: HostClock.now.unixTime)
    if isJSON {
      Output.standard.line(report.json)
    } else if report.location != nil {
      Output.standard.line(text)
    } else if !person.haveRecordingsEnded {
      Output.standard.line(Output.standard.styled(text, .doubtful))
    }
  }

  /// Prints why no source can give a position, as soon as that is so.
  func followSources() async {
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
