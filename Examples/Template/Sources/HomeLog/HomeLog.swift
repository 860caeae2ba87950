import CoreLocation

/// Notes when the device comes home and leaves.
///
/// It makes its monitor again at every start, so an app that was started for an event gets it.
@MainActor public final class HomeLog {
  /// One line of the log.
  public struct Entry: Hashable, Sendable {
    /// Whether the device came home; else it left.
    public var isHome: Bool
    /// When it crossed the boundary.
    public var date: Date
  }

  /// In the order in which they happened.
  public private(set) var entries: [Entry] = []
  /// Why nothing can be noted; `nil` while all is well.
  public private(set) var problem: String? {
    didSet { if problem != oldValue { warn(problem) } }
  }

  private var warn: @MainActor (String?) -> Void = { _ in }
  private var session: CLServiceSession?
  private var tasks: [Task<Void, any Error>] = []

  /// Makes a log that watches nothing yet.
  public init() {}

  /// Begins to watch a circle around home; the radius is meters. `note` is called for each entry, `warn` with each
  /// change of ``problem``.
  public func start(
    home: CLLocationCoordinate2D, radius: CLLocationDistance = 100,
    note: @escaping @MainActor (Entry) -> Void = { _ in },
    warn: @escaping @MainActor (String?) -> Void = { _ in }
  ) async {
    self.warn = warn
    let session = CLServiceSession(authorization: .always)
    self.session = session
    let monitor = await CLMonitor("home")
    let circle = CLMonitor.CircularGeographicCondition(center: home, radius: radius)
    await monitor.add(circle, identifier: "home")
    tasks = [
      Task {
        for try await event in await monitor.events {
          guard event.state == .satisfied || event.state == .unsatisfied else { continue }
          let entry = Entry(isHome: event.state == .satisfied, date: event.date)
          entries.append(entry)
          note(entry)
        }
      },
      Task {
        for try await diagnostic in session.diagnostics {
          problem = Self.words(for: diagnostic)
        }
      },
    ]
  }

  private static func words(for diagnostic: CLServiceSession.Diagnostic) -> String? {
    if diagnostic.authorizationDeniedGlobally { return "Location services are switched off." }
    if diagnostic.authorizationDenied { return "Location is not allowed." }
    if diagnostic.alwaysAuthorizationDenied { return "Location is allowed only while in use." }
    return nil
  }

  /// Watches no longer.
  public func stop() {
    for task in tasks { task.cancel() }
    tasks = []
    session?.invalidate()
    session = nil
  }
}
