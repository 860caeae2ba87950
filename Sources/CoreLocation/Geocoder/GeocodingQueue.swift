package import LocationGeocoding
import LocationModel
import Synchronization

/// Connects one geocoder to the app's geocoding, which runs one request at a time for each geocoder
/// (GEO-3) and calls back on the main thread (GEO-1).
final class GeocoderLink: Sendable {
  private let geocoding: AppGeocoding
  private let id: GeocodeCoordinator.GeocoderID
  /// The app in virtual time; `nil` in real time.
  private let virtualApp: LocationClient?

  init() {
    if let bound = AppGeocoding.bound {
      (geocoding, virtualApp) = (bound, nil)
    } else {
      let client = LocationClient.current
      (geocoding, virtualApp) = (client.geocoding, client.watch == nil ? nil : client)
    }
    id = geocoding.newGeocoder()
  }

  var isBusy: Bool { geocoding.isBusy(id) }

  /// The number of the next request of this task, known before it is submitted, so that an async
  /// form cancels only its own request (GEO-3, GEO-17).
  @TaskLocal static var reserved: GeocodeCoordinator.RequestID?

  func reserve() -> GeocodeCoordinator.RequestID { geocoding.newRequest() }

  /// Submits a request, which completes even if the app releases its geocoder (GEO-1).
  func submit(_ question: GeocodeQuestion, _ completion: @escaping CLGeocodeCompletionHandler) {
    if Self.reserved != nil { virtualApp?.watch?.waits(for: "the answer of a geocoder") }
    geocoding.submit(question, as: Self.reserved, by: id) { [self] placemarks, error in
      guard let virtualApp else { return completion(placemarks, error) }
      LocationClient.$bound.withValue(virtualApp) { completion(placemarks, error) }
    }
  }

  /// Records that the current task, which has waited for an asynchronous form, does so no longer.
  func goesOn() { virtualApp?.watch?.goesOn() }

  /// Ends the running request with `geocodeCanceled` (GEO-4).
  func cancel() {
    geocoding.pass(.cancel(id))
  }

  /// Ends one request with `geocodeCanceled`, if it runs.
  func withdraw(_ request: GeocodeCoordinator.RequestID) {
    geocoding.pass(.withdraw(request))
  }
}

/// What answers the geocoders of an app in place of this machine, in virtual time.
package protocol PlaceSearch: Sendable {
  /// Starts to look a question up.
  ///
  /// - Parameters:
  ///   - question: What is asked.
  ///   - complete: Called with the outcome, once.
  func lookUp(
    _ question: GeocodeQuestion, then complete: @escaping @Sendable (GeocodeOutcome) -> Void)
  /// Runs a completion on the main thread (GEO-1).
  func runOnMain(_ completion: @escaping @Sendable () -> Void)
}

/// The look-ups of this machine, each of which blocks a thread of Dispatch.
private struct BlockingSearch: PlaceSearch {
  let answer: @Sendable (GeocodeQuestion) -> GeocodeOutcome

  func lookUp(
    _ question: GeocodeQuestion, then complete: @escaping @Sendable (GeocodeOutcome) -> Void
  ) {
    DispatchQueue.global().async { complete(answer(question)) }
  }

  func runOnMain(_ completion: @escaping @Sendable () -> Void) {
    DispatchQueue.main.async { completion() }
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

  private let search: any PlaceSearch

  /// The geocoding for geocoders that a test makes in this task.
  @TaskLocal static var bound: AppGeocoding?

  init(
    now: @escaping @Sendable () -> Moment,
    lookUp: @escaping @Sendable (GeocodeQuestion) -> GeocodeOutcome = { AppGeocoding.answer($0) }
  ) {
    self.now = now
    search = BlockingSearch(answer: lookUp)
  }

  init(now: @escaping @Sendable () -> Moment, search: any PlaceSearch) {
    self.now = now
    self.search = search
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
      state.completions[request] = { [now] outcome in
        switch outcome {
        case .success(let places) where places.allSatisfy(\.isPartial):
          completion(nil, CLError(.geocodeFoundPartialResult))  // GEO-7
        case .success(let places):
          let date = Date(timeIntervalSince1970: now().unixTime.seconds)
          completion(places.map { CLPlacemark($0, at: date) }, nil)
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
        search.lookUp(question) { outcome in self.perform { _ in .answered(request, outcome) } }
      }
    case .complete(let request, let outcome):
      guard let completion = state.completions.removeValue(forKey: request) else { return nil }
      return { [search] in search.runOnMain { completion(outcome) } }
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
