import LocationEngine
import LocationHost
import LocationModel
import LocationRecording

extension Verb {
  private static let count = Option(
    name: "count", value: .wholeNumber("N", 1...Int.max), summary: "Stop after so many locations")
  private static let timeout = Option.timeout("Stop after so many seconds")

  private static let plain = Option(name: "plain", summary: "Do not encrypt the recording")

  static let record = Verb(
    name: "record", summary: "Record all inputs of an engine, to be replayed",
    details: [
      """
      Runs until the count or the time is reached, the recordings have ended, FILE cannot be \
      written (status 1), or it is interrupted, and says what was recorded; where that is no \
      location, and a source gave none, why (status 1). FILE is whole at any moment, and an earlier \
      recording in it is continued. It is encrypted with a key that lies beside the state \
      of your apps; with --plain it is not, and whoever has it can read where you were. \
      `locationctl replay FILE --shift OUT` makes a copy to share.
      """,
      """
      Any program with Core Location, and the daemon, records itself with \
      CORELOCATION_RECORD=FILE in its environment, or CORELOCATION_RECORD=plain:FILE.
      """,
    ],
    operands: [Operand(name: "FILE", summary: "where to record")],
    options: [.source, count, timeout, plain],
    examples: [
      "locationctl record drive.rec --source gpsd://localhost --timeout 3600",
      "CORELOCATION_RECORD=app.rec ./MyApp",
    ],
    run: { invocation in
      let path = invocation.operand(0) ?? ""
      let choice = try SourceChoice(invocation)
      guard !choice.sources.isEmpty else { throw SourceDiagnosis.noSource(choice.origin) }
      let target = RecordingTarget(path, invocation.has(plain) ? .none : .state)
      let refusal = choice.daemon.map { RunningDaemon.hasSources(at: $0) }
      let person = try Person(sources: choice.sources, recordingTo: target, beside: refusal)
      // None may come for as long as it runs.
      if let refusal { Output.error.line(refusal.message) }
      let limit = invocation.wholeNumber(count)
      let tally = Tally()
      let (interruptions, continuation) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
      let signals = EndSignals { _ in _ = continuation.yield() }
      defer { signals.end() }
      let progress = Progress("recording")
      defer { progress.end() }
      _ = try await withTimeout(invocation.number(timeout)) {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { try await follow(person, to: limit, tally, progress) }
          group.addTask { try await failWhenRefused(person) }
          group.addTask { for await _ in interruptions { return } }
          try await group.next()
          group.cancelAll()
        }
      }
      progress.end()
      // Reading it all may take long.
      signals.end()
      let steps = try RecordingInput.steps(in: path, as: invocation)
      Output.standard.line("\(path): \(steps) inputs, \(await tally.count) locations")
      if await tally.count == 0, person.hasFailed { throw person.reason }
    })
}

/// Counts locations until the limit is reached, or the sources have ended.
@MainActor private func follow(
  _ person: Person, to limit: Int?, _ tally: Tally, _ progress: Progress
) async throws {
  try await Feed().follow(as: person) { report in
    if report.location != nil { tally.count += 1 }
    let state = report.location == nil ? "no position: \(person.cause)" : "\(tally.count) locations"
    progress.say("recording, " + state)
    if let limit, tally.count >= limit { return false }
    return report.location != nil || !person.haveRecordingsEnded
  }
}

/// Waits for the end of the recording before that of the inputs, which is an error.
private func failWhenRefused(_ person: Person) async throws {
  for await note in person.notes {
    guard case .store(let reason) = note else { continue }
    throw Failure.refused(reason, next: "record into another file")
  }
}
