import LocationLink
import LocationModel
import LocationProviders

/// What `locationctl top` knows of the daemon: everything that it has said, and each change (CONSOLE-11).
struct TopState: Sendable {
  private var status: DaemonStatus?
  private var apps: [AppStatus] = []
  /// The newest events, oldest first.
  private var events: [EventRecord] = []
  private let showsPlaces: Bool

  init(showsPlaces: Bool) { self.showsPlaces = showsPlaces }

  mutating func take(_ change: StatusChange) {
    if var status = change.status {
      for index in status.sources.indices {
        guard let source = try? Source(url: status.sources[index].url) else { continue }
        status.sources[index].url = showsPlaces ? source.shownURL : source.loggedURL
      }
      self.status = status
    }
    apps = change.apps ?? apps
    events = (events + (change.events ?? [])).suffix(Self.mostEvents)
  }

  /// What is shown; `nil` before the daemon has said anything.
  var view: TopView? {
    status.map { TopView(status: $0, apps: apps, events: events, showsPlaces: showsPlaces) }
  }

  private static let mostEvents = 20
}
