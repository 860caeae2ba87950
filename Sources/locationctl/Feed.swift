import LocationModel

/// Locations, or why there are none, of the service that gives what is wished.
struct Feed: Sendable {
  /// A level needs standard updates; live updates have no such option.
  var accuracy: AccuracyLevel?
  /// Meters; `nil` delivers every location.
  var distanceFilter: Double?
  /// Whether one location is wanted, and then no more.
  var isOnce = false

  /// Passes each report for a person on until `take` returns `false`, or the task is canceled.
  @MainActor func follow(as person: Person, _ take: (Report) throws -> Bool) async throws {
    let updates = person.link.subscribe()
    updates.send { .locations($0, options, isOnce: isOnce) }
    for await delivery in updates.deliveries {
      for update in delivery.liveUpdates {
        guard try take(Report(update)) else { return }
      }
    }
  }

  /// What a manager asks for that was set to nothing else; `nil` for live updates.
  var options: UpdateOptions? {
    guard accuracy != nil || distanceFilter != nil else { return nil }
    return UpdateOptions(
      accuracy: accuracy?.desired ?? .best,
      distanceFilter: distanceFilter.flatMap { $0 > 0 ? $0 : nil }, pausesAutomatically: true)
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
