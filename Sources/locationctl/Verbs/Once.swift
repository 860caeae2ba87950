import LocationHost
import LocationModel

extension Verb {
  private static let timeout = Option.timeout("Give up after so many seconds; 60 unless given")

  /// What those cannot know who use the sources themselves (docs/decisions/0100).
  static let withoutMap = """
    The sources are used by this program itself, and nothing is stored: of the map that a daemon or an \
    app has learned it knows nothing, so that a service (ichnaea:) is asked at once.
    """

  static let once = Verb(
    name: "once", summary: "Print where the device is now",
    details: [
      """
      Prints the first location that comes. With --accuracy it waits up to ten seconds for one \
      that exact, and prints the best. Ends at once, with the reason, when no source can give one. \
      The date is printed where it is not today's.
      """,
      withoutMap,
    ],
    options: [.source, .accuracy, timeout, .json],
    examples: ["locationctl once --source fixed:51.5,-0.1", "locationctl once --json"],
    run: { invocation in
      let choice = try SourceChoice(invocation)
      guard !choice.sources.isEmpty else { throw SourceDiagnosis.noSource(choice.origin) }
      let level = invocation.accuracyLevel
      let person = try Person(
        sources: choice.sources, isPrecise: level != .reduced, beside: choice.daemon)
      let feed = Feed(accuracy: level, isOnce: true)
      let isJSON = invocation.has(.json)
      let progress = Progress("waiting for a position")
      let tally = Tally()
      defer { progress.end() }
      _ = try await withTimeout(invocation.number(timeout) ?? 60) {
        try await feed.follow(as: person) { report in
          guard report.location != nil else { return !(person.areSourcesOut || level != nil) }
          progress.end()
          tally.count = 1
          Output.standard.line(isJSON ? report.json : report.text(at: HostClock.now.unixTime))
          return false
        }
      }
      if await tally.count == 0 { throw person.reason }
    })
}
