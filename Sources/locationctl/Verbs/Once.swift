import LocationHost
import LocationModel

extension Verb {
  private static let timeout = Option.timeout("Give up after so many seconds; 60 unless given")

  /// Whose position it is (docs/decisions/0100 for the map).
  static let whosePosition = """
    Without --source and CORELOCATION_SOURCES it is that of the location daemon, which gives it to its owner: \
    the user as whom it runs, and root. Where no daemon runs, or another user asks, and for sources that are \
    named, this program uses the sources itself, and stores nothing: of the map that a daemon or an app has \
    learned it knows nothing then, so that a service (ichnaea:) is asked at once.
    """

  static let once = Verb(
    name: "once", summary: "Print where the device is now",
    details: [
      """
      Prints the first location that comes. With --accuracy it waits up to ten seconds for one \
      that exact, and prints the best. Ends at once, with the reason, when no source can give one. \
      The date is printed where it is not today's.
      """,
      whosePosition,
    ],
    options: [.source, .accuracy, timeout, .json],
    examples: ["locationctl once --source fixed:51.5,-0.1", "locationctl once --json"],
    run: { invocation in
      let choice = try SourceChoice(invocation)
      guard !choice.sources.isEmpty else { throw SourceDiagnosis.noSource(choice.origin) }
      let level = invocation.accuracyLevel
      let feed = Feed(accuracy: level, isOnce: true)
      let seconds = invocation.number(timeout) ?? 60
      let isJSON = invocation.has(.json)
      let progress = Progress("waiting for a position")
      defer { progress.end() }
      func show(_ report: Report) {
        progress.end()
        Output.standard.line(isJSON ? report.json : report.text(at: HostClock.now.unixTime))
      }
      var refusal: Failure?
      if let socket = choice.daemon {
        let daemon = DaemonFeed(socket: socket, feed: feed)
        var (isShown, isOver) = (false, false)
        refusal = try daemon.follow(seconds: seconds) { report in
          if report.location != nil {
            show(report)
            isShown = true
          } else {
            isOver = level != nil || (try? daemon.silence().isLasting) ?? true
          }
          return !isShown && !isOver
        }
        if refusal == nil {
          guard isShown else { throw try daemon.silence().failure }
          return
        }
      }
      let person = try Person(
        sources: choice.sources, isPrecise: level != .reduced, beside: refusal)
      let tally = Tally()
      _ = try await withTimeout(seconds) {
        try await feed.follow(as: person) { report in
          guard report.location != nil else { return !(person.areSourcesOut || level != nil) }
          tally.count = 1
          show(report)
          return false
        }
      }
      if await tally.count == 0 { throw person.reason }
    })
}
