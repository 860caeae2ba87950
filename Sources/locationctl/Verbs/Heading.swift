import LocationModel
import LocationProviders

extension Verb {
  private static let filter = Option(
    name: "filter", value: .number("DEGREES", 0...180),
    summary: "Degrees to turn before the next heading; 1 unless given")
  private static let count = Option(
    name: "count", value: .wholeNumber("N", 1...Int.max), summary: "Stop after so many headings")
  private static let timeout = Option.timeout("Stop after so many seconds")

  static let heading = Verb(
    name: "heading", summary: "Show which way the device points",
    details: [
      """
      On a terminal the horizon ahead is drawn on one line and turns with the device. Headings come \
      from the kernel's sensors or iio-sensor-proxy (iio:), or from a receiver that sends them. \
      True north is known once a source gives a position. Sources that a location daemon has are not \
      asked: locationctl status shows the heading that an app receives of it.
      """
    ],
    options: [.source, filter, count, timeout, .json],
    examples: ["locationctl heading", "locationctl heading --source iio: --json"],
    run: { invocation in
      let choice = try SourceChoice(invocation)
      let sources =
        choice.origin == .discovery ? [.iio(motion: false)] + choice.sources : choice.sources
      let person = try Person(
        sources: sources, beside: choice.daemon.map { Self.hasReceivers(at: $0) })
      let limit = invocation.wholeNumber(count)
      let degrees = invocation.number(filter) ?? 1
      let isJSON = invocation.has(.json)
      let tally = Tally()
      let progress = Progress("waiting for a compass")
      defer { progress.end() }
      _ = try await withTimeout(invocation.number(timeout)) {
        let subscription = person.link.subscribe()
        subscription.send { .updates($0, .start(UpdateOptions(pausesAutomatically: true))) }
        try await awaitCompass(of: person)
        progress.say("waiting for a heading")
        let options = HeadingOptions(filter: degrees > 0 ? degrees : nil)
        subscription.send { .heading($0, .start(options)) }
        var table = LiveTable()
        for await signal in subscription.signals {
          if tally.count == 0 { progress.end() }
          switch signal {
          case .heading(let report):
            tally.count += 1
            if isJSON {
              Output.standard.line(report.json)
            } else {
              table.show(report.lines(onTerminal: Output.standard.isTerminal))
            }
          case .failed:
            Output.error.line("the magnetic field is not the Earth's; turn the device every way")
            table = LiveTable()
          case .beacons: break
          }
          if let limit, tally.count >= limit { break }
        }
      }
      if await tally.count == 0 { throw person.silence("no heading came") }
    })

  /// That a daemon has the receivers, of which one may send headings.
  private static func hasReceivers(at socket: String) -> Failure {
    .refused(
      "this command asks the compass of this computer alone, and the location daemon at \(socket) has "
        + "the other sources",
      next: RunningDaemon.command(at: socket)
        + " status, which shows the heading while an app receives one; or name a source of this command: "
        + "--source URL")
  }

  /// A compass behind a receiver or a proxy is known only after its first sample.
  @MainActor private static func awaitCompass(of person: Person) async throws {
    for _ in 0..<50 {
      if person.link.readable.equipment.hasCompass { return }
      guard (try? await Task.sleep(for: .milliseconds(100))) != nil else { return }
    }
    throw person.silence("there is no compass")
  }
}
