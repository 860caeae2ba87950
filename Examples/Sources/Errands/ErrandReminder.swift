import CoreLocation

/// Something to do at a place.
public struct Errand: Hashable, Sendable {
  /// What to do.
  public var name: String
  /// Where to do it.
  public var place: CLLocationCoordinate2D
  /// Meters.
  public var radius: CLLocationDistance

  /// Makes an errand at a place; the radius is meters.
  public init(_ name: String, at place: CLLocationCoordinate2D, within radius: CLLocationDistance) {
    self.name = name
    self.place = place
    self.radius = radius
  }

  /// Errands are identified by their names.
  public static func == (left: Errand, right: Errand) -> Bool { left.name == right.name }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// Reminds of errands on arrival, and counts the meters walked: an app like many.
@MainActor public final class ErrandReminder {
  /// The errands that were reminded of, in order.
  public private(set) var reminders: [String] = []
  /// Meters.
  public private(set) var walked = 0.0
  /// Why there is no position; `nil` while there is one, or none was asked for.
  public private(set) var problem: String?

  private var session: CLServiceSession?
  private var tasks: [Task<Void, any Error>] = []

  /// Makes a reminder that watches nothing yet.
  public init() {}

  /// Begins to watch.
  public func start(_ errands: [Errand]) async {
    session = CLServiceSession(authorization: .always)
    let monitor = await CLMonitor("errands")
    for errand in errands {
      let circle = CLMonitor.CircularGeographicCondition(
        center: errand.place, radius: errand.radius)
      await monitor.add(circle, identifier: errand.name)
    }
    tasks = [
      Task { try await remind(monitor) },
      Task { try await follow() },
    ]
  }

  /// Watches no longer.
  public func stop() {
    for task in tasks { task.cancel() }
    tasks = []
    session?.invalidate()
    session = nil
  }

  private func remind(_ monitor: CLMonitor) async throws {
    for try await event in await monitor.events where event.state == .satisfied {
      reminders.append(event.identifier)
    }
  }

  private func follow() async throws {
    var last: CLLocation?
    for try await update in CLLocationUpdate.liveUpdates(.fitness) {
      problem = update.authorizationDenied ? "Location is not allowed." : nil
      guard let location = update.location else { continue }
      walked += last.map { location.distance(from: $0) } ?? 0
      last = location
    }
  }
}
