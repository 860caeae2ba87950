import Dispatch
import Glibc
import LocationHost
import LocationLink
import LocationModel
import Synchronization

extension Verb {
  private static let count = Option(
    name: "count", value: .wholeNumber("N", 1...Int.max), summary: "Stop after so many pictures")

  static let top = Verb(
    name: "top", summary: "Show in the terminal what the location daemon is doing, as it happens",
    details: [
      """
      What the hardware is asked for and by which service, the sources with what has become of the \
      newest fix of each and why one gives nothing, the satellites, heading, movement, and visit, the \
      apps with what each may know and asks for, and the last events. The daemon says what has changed; \
      it is not asked again. Runs until it is interrupted, or q is pressed. For a map, and why an event came: locationctl \
      console.
      """
    ],
    options: [.places, count], examples: ["locationctl top", "locationctl top --count 1"],
    run: { invocation in
      let feed = TopFeed(showsPlaces: invocation.has(.places))
      feed.start()
      // What is counted stays to be read.
      let screen =
        invocation.has(count) ? nil : TerminalScreen { if $0 == UInt8(ascii: "q") { feed.end() } }
      defer { screen?.end() }
      var table = LiveTable()
      var rest = invocation.wholeNumber(count) ?? Int.max
      while let view = try feed.next() {
        let (rows, columns) = windowSize
        let lines = view.lines(
          rows: rows, columns: columns, at: HostClock.now.unixTime, for: Output.standard)
        if let screen { screen.show(lines) } else { table.show(lines) }
        rest -= 1
        guard rest > 0 else { return }
      }
    })

  /// One line is left for the cursor; where there is no terminal, everything fits.
  private static var windowSize: (rows: Int, columns: Int) {
    guard let size = Output.standard.size, size.rows > 1, size.columns > 1 else {
      return (1000, 1000)
    }
    return (size.rows - 1, size.columns)
  }
}

/// Follows the daemon on a thread of its own, and wakes who shows it: when something has changed, and each
/// second, since what is shown grows older.
private final class TopFeed: Sendable {
  private struct Contents: Sendable {
    var state: TopState
    var end: Failure?
    var hasEnded = false
  }

  private let showsPlaces: Bool
  private let contents: Mutex<Contents>
  private let changed = DispatchSemaphore(value: 0)

  init(showsPlaces: Bool) {
    self.showsPlaces = showsPlaces
    contents = Mutex(Contents(state: TopState(showsPlaces: showsPlaces)))
  }

  func start() { DispatchQueue(label: "top.status").async { self.follow() } }

  /// Shows nothing more.
  func end() {
    contents.withLock { $0.hasEnded = true }
    changed.signal()
  }

  private func follow() {
    var end: Failure?
    do throws(Failure) {
      let daemon = try RunningDaemon.needed()
      try daemon.follow(.followStatus(places: showsPlaces), "change") { (change: StatusChange) in
        contents.withLock { $0.state.take(change) }
        changed.signal()
        return true
      }
    } catch { end = error }
    contents.withLock { [end] in ($0.end, $0.hasEnded) = (end, true) }
    changed.signal()
  }

  /// Waits for a change, or for a second, once the daemon has said anything.
  ///
  /// - Returns: what is to be shown; `nil` when the daemon says no more.
  /// - Throws: why it says no more.
  func next() throws(Failure) -> TopView? {
    while true {
      _ = changed.wait(timeout: .now() + .seconds(1))
      // What has come meanwhile is shown at once.
      while changed.wait(timeout: .now()) == .success {}
      let contents = contents.withLock { $0 }
      if let end = contents.end { throw end }
      if contents.hasEnded { return nil }
      if let view = contents.state.view { return view }
    }
  }
}
