import LocationGeocoding
import LocationModel
import Synchronization

/// Connects one geocoder to the app's geocoding, which runs one request at a time for each geocoder
/// (GEO-3) and calls back on the main thread (GEO-1).
final class GeocoderLink: Sendable {
  private let geocoding: AppGeocoding
  private let id: GeocodeCoordinator.GeocoderID

  init() {
    geocoding = AppGeocoding.bound ?? LocationClient.current.geocoding
    id = geocoding.newGeocoder()
  }

  var isBusy: Bool { geocoding.isBusy(id) }

  /// The number of the next request of this task, known before it is submitted, so that an async
  /// form cancels only its own request (GEO-3, GEO-17).
  @TaskLocal static var reserved: GeocodeCoordinator.RequestID?

  func reserve() -> GeocodeCoordinator.RequestID { geocoding.newRequest() }

  /// Submits a request, which completes even if the app releases its geocoder (GEO-1).
  func submit(_ question: GeocodeQuestion, _ completion: @escaping CLGeocodeCompletionHandler) {
    geocoding.submit(question, as: Self.reserved, by: id) { placemarks, error in
      withExtendedLifetime(self) { completion(placemarks, error) }
    }
  }

  /// Ends the running request with `geocodeCanceled` (GEO-4).
  func cancel() {
    geocoding.pass(.cancel(id))
  }

  /// Ends one request with `geocodeCanceled`, if it runs.
  func withdraw(_ request: GeocodeCoordinator.RequestID) {
    geocoding.pass(.withdraw(request))
  }
}

/// Geocoding for one app: the coordinator that decides, and the look-ups it requests.
final class AppGeocoding: Sendable {
  /// Ends a request; runs on the main thread.
  private typealias Completion = @Sendable (GeocodeOutcome) -> Void

  private struct State {
    var coordinator = GeocodeCoordinator()
    var completions: [GeocodeCoordinator.RequestID: Completion] = [:]
    var lastRequest = 0
    var lastGeocoder = 0

    mutating func newRequest() -> GeocodeCoordinator.RequestID {
      lastRequest += 1
      return lastRequest
    }
  }

  private let state = Mutex(State())
  private let now: @Sendable () -> Moment

  /// The backend: the indexes of this machine, or the web geocoder in `$CORELOCATION_GEOCODER`.
  private static let backend = Result<GeocodeBackend, GeocodeFailure> {
    () throws(GeocodeFailure) -> GeocodeBackend in
    let url = ProcessInfo.processInfo.environment["CORELOCATION_GEOCODER"]
    return try GeocodeBackend(url: url, userAgent: "Meridian CoreLocation")
  }

  /// Blocks until a question is answered.
  private let lookUp: @Sendable (GeocodeQuestion) -> GeocodeOutcome

  /// The geocoding for geocoders that a test makes in this task.
  @TaskLocal static var bound: AppGeocoding?

  init(
    now: @escaping @Sendable () -> Moment,
    lookUp: @escaping @Sendable (GeocodeQuestion) -> GeocodeOutcome = { AppGeocoding.answer($0) }
  ) {
    self.now = now
    self.lookUp = lookUp
  }

  static func answer(_ question: GeocodeQuestion) -> GeocodeOutcome {
    backend.flatMap { $0.lookUp(question) }
  }

  func newGeocoder() -> GeocodeCoordinator.GeocoderID {
    state.withLock {
      $0.lastGeocoder += 1
      return $0.lastGeocoder
    }
  }

  func newRequest() -> GeocodeCoordinator.RequestID {
    state.withLock { $0.newRequest() }
  }

  func isBusy(_ geocoder: GeocodeCoordinator.GeocoderID) -> Bool {
    state.withLock { $0.coordinator.isGeocoding(geocoder) }
  }

  /// Submits a request under the number reserved for it, else under a new one.
  func submit(
    _ question: GeocodeQuestion, as reserved: GeocodeCoordinator.RequestID?,
    by geocoder: GeocodeCoordinator.GeocoderID, _ completion: @escaping CLGeocodeCompletionHandler
  ) {
    // Passed on by the caller, and called once, on the main thread (docs/decisions/0004).
    nonisolated(unsafe) let completion = completion
    perform { state in
      let request = reserved ?? state.newRequest()
      state.completions[request] = { outcome in
        switch outcome {
        case .success(let places) where places.allSatisfy(\.isPartial):
          completion(nil, CLError(.geocodeFoundPartialResult))  // GEO-7
        case .success(let places): completion(places.map { CLPlacemark($0) }, nil)
        case .failure(let failure): completion(nil, CLError(failure))
        }
      }
      return .submit(question, as: request, by: geocoder)
    }
  }

  func pass(_ input: GeocodeCoordinator.Input) {
    perform { _ in input }
  }

  private func perform(_ input: (inout State) -> GeocodeCoordinator.Input) {
    let now = now()
    let actions: [@Sendable () -> Void] = state.withLock { state in
      let input = input(&state)
      return state.coordinator.handle(input, at: now).compactMap { action(for: $0, &state) }
    }
    for action in actions { action() }
  }

  private func action(
    for output: GeocodeCoordinator.Output, _ state: inout State
  ) -> (@Sendable () -> Void)? {
    switch output {
    case .lookUp(let question, let request):
      return { [self] in
        DispatchQueue.global().async {
          let outcome = self.lookUp(question)
          self.perform { _ in .answered(request, outcome) }
        }
      }
    case .complete(let request, let outcome):
      guard let completion = state.completions.removeValue(forKey: request) else { return nil }
      return { DispatchQueue.main.async { completion(outcome) } }
    case .abandon, .discarded: return nil
    }
  }
}

extension CLError {
  /// Converts a geocoding failure to Apple's code (GEO-5 to GEO-7, GEO-16).
  init(_ failure: GeocodeFailure) {
    switch failure {
    case .nothingFound: self.init(.geocodeFoundNoResult)
    case .cancelled: self.init(.geocodeCanceled)
    case .budgetSpent(let wait):
      self.init(
        .network,
        userInfo: [
          NSLocalizedDescriptionKey: "too many requests; allowed again in \(wait.inSeconds) s"
        ])
    case .indexMissing(let text), .service(let text):
      self.init(.network, userInfo: [NSLocalizedDescriptionKey: text])
    }
  }
}
