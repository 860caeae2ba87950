import CoreLocation

/// Reports as Core Location gives them, through whichever of its doors the wishes need.
struct Feed: Sendable {
  /// A level needs a manager; live updates have no such option.
  var accuracy: AccuracyLevel?
  /// Meters; `nil` delivers every location.
  var distanceFilter: Double?
  /// Whether one location is wanted, and then no more.
  var isOnce = false

  /// Passes each report on until `take` returns `false`, or the task is canceled. Of those that
  /// wait for `take`, the newest `Output.unreadReports` are kept.
  @MainActor func follow(_ take: (Report) throws -> Bool) async throws {
    guard accuracy != nil || distanceFilter != nil else {
      for try await update in CLLocationUpdate.liveUpdates() {
        guard try take(Report(update)) else { return }
      }
      return
    }
    let listener = Listener()
    let manager = CLLocationManager()
    manager.delegate = listener
    manager.desiredAccuracy = accuracy?.accuracy ?? kCLLocationAccuracyBest
    manager.distanceFilter = distanceFilter ?? kCLDistanceFilterNone
    if isOnce { manager.requestLocation() } else { manager.startUpdatingLocation() }
    for await report in listener.reports {
      guard try take(report) else { break }
    }
    manager.stopUpdatingLocation()
  }

  /// Turns the calls of a manager into reports.
  private final class Listener: NSObject, CLLocationManagerDelegate {
    let reports: AsyncStream<Report>
    private let continuation: AsyncStream<Report>.Continuation

    override init() {
      (reports, continuation) = AsyncStream.makeStream(
        bufferingPolicy: .bufferingNewest(Output.unreadReports))
    }

    func locationManager(
      _ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]
    ) {
      for location in locations { continuation.yield(Report(location: location)) }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
      continuation.yield(Report(error))
    }
  }
}

/// Runs `body`, and cancels it after so many seconds; `true` when that was needed.
func withTimeout(
  _ seconds: Double?, _ body: @escaping @MainActor @Sendable () async throws -> Void
) async throws -> Bool {
  let work = Task { try await body() }
  guard let seconds else {
    try await work.value
    return false
  }
  let alarm = Task {
    try await Task.sleep(for: .seconds(seconds))
    work.cancel()
  }
  defer { alarm.cancel() }
  try await work.value
  return work.isCancelled
}
