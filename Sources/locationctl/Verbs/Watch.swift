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
      interrupted. A line without a location says why there is none.
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
      let person = try Person(sources: choice.sources, isPrecise: level != .reduced)
      let feed = Feed(accuracy: level, distanceFilter: invocation.number(distanceFilter))
      let isJSON = invocation.has(.json)
      let limit = invocation.wholeNumber(count)
      let tally = Tally()
      if !isJSON { Output.standard.line(Output.standard.styled(Report.heading, .dim)) }
      _ = try await withTimeout(invocation.number(timeout)) {
        try await feed.follow(as: person) { report in
          print(report, asJSON: isJSON, of: person)
          if report.location != nil { tally.count += 1 }
          if let limit, tally.count >= limit { return false }
          return report.location != nil || !person.haveRecordingsEnded
        }
      }
      let received = await tally.count
      if received == 0 { throw person.reason }
      guard let limit, received < limit else { return }
      throw Failure.refused("\(received) of \(limit) locations came", next: nil)
    })

  private static func print(_ report: Report, asJSON isJSON: Bool, of person: Person) {
    if isJSON { return Output.standard.line(report.json) }
    guard report.location == nil, !person.haveRecordingsEnded else {
      if report.location != nil { Output.standard.line(report.text) }
      return
    }
    Output.standard.line(Output.standard.styled(report.text, .doubtful))
  }
}

/// How many locations came.
@MainActor final class Tally {
  var count = 0

  nonisolated init() {}
}
