import Glibc
import LocationHost
import LocationLink
import LocationModel
import LocationProviders

extension Verb {
  private static let count = Option(
    name: "count", value: .wholeNumber("N", 1...Int.max), summary: "Stop after so many looks")

  static let top = Verb(
    name: "top", summary: "Show in the terminal what the location daemon is doing, each second",
    details: [
      """
      What the hardware is asked for and by which service, the sources with what has become of the \
      newest fix of each and why one gives nothing, the satellites, heading, movement, and visit, the \
      apps with what each may know and asks for, and the last events. Runs until it is interrupted. \
      For a map, and why an event came: locationctl console.
      """
    ],
    options: [.places, count], examples: ["locationctl top", "locationctl top --count 1"],
    run: { invocation in
      let daemon = try RunningDaemon.needed()
      var table = LiveTable()
      var rest = invocation.wholeNumber(count) ?? Int.max
      while true {
        let view = try look(at: daemon, invocation.has(.places))
        let (rows, columns) = windowSize
        table.show(
          view.lines(
            rows: rows, columns: columns, at: HostClock.now.unixTime, for: Output.standard))
        rest -= 1
        guard rest > 0 else { return }
        try await Task.sleep(for: .seconds(1))
      }
    })

  private static func look(at daemon: RunningDaemon, _ places: Bool) throws(Failure) -> TopView {
    var status: DaemonStatus = try daemon.ask(.status(places: places), "status")
    for index in status.sources.indices {
      guard let source = try? Source(url: status.sources[index].url) else { continue }
      status.sources[index].url = places ? source.shownURL : source.loggedURL
    }
    var events: [EventRecord] = []
    try daemon.follow(.events(app: nil), "event") { (record: EventRecord) in
      events.append(record)
      return true
    }
    return TopView(
      status: status, apps: try daemon.ask(.apps, "apps"),
      events: Array(events.suffix(mostEvents)), showsPlaces: places)
  }

  /// One line is left for the cursor; where there is no terminal, everything fits.
  private static var windowSize: (rows: Int, columns: Int) {
    var size = winsize()
    guard Output.standard.isTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0,
      size.ws_row > 1, size.ws_col > 1
    else { return (1000, 1000) }
    return (Int(size.ws_row) - 1, Int(size.ws_col))
  }

  private static let mostEvents = 20
}
