package import LocationModel

/// A request to a geocoder.
package enum GeocodeQuestion: Hashable, Sendable {
  /// The accuracy is how well the place is known, in meters; 0 for one that is exact.
  case reverse(Coordinate, PlaceLocale, accuracy: Double = 0)
  case forward(String, RegionHint?, PlaceLocale)
}

/// How a request ends.
package typealias GeocodeOutcome = Result<[Place], GeocodeFailure>

/// Takes the requests of all geocoders of one app, and decides which of them are looked up.
///
/// - Documented (GEO-1, GEO-2, GEO-4): each request ends exactly once; while it runs, its geocoder
///   is busy; cancelling ends it with ``GeocodeFailure/cancelled``.
/// - Chosen (GEO-3): a second request to a busy geocoder ends cancelled, and the first goes on.
/// - Chosen (GEO-5): 50 requests in 60 seconds for the app; further ones fail until it recovers.
/// - Chosen (GEO-16): an invalid coordinate finds nothing, and costs nothing.
/// - Chosen (GEO-18): the same point within 50 m and 60 s gets the same answer, uncharged.
package struct GeocodeCoordinator: Machine {
  /// One geocoder object of the app.
  package typealias GeocoderID = Int
  /// One request; never used twice.
  package typealias RequestID = Int

  package enum Input: MachineInput {
    case submit(GeocodeQuestion, as: RequestID, by: GeocoderID)
    /// The look-up of a request has ended.
    case answered(RequestID, GeocodeOutcome)
    case cancel(GeocoderID)
    /// Whoever waits for a request does so no more; others of its geocoder go on.
    case withdraw(RequestID)
    case wake
  }

  package enum Output: Sendable, Hashable {
    /// Look this up, and hand the outcome back as ``Input/answered(_:_:)``.
    case lookUp(GeocodeQuestion, RequestID)
    /// Nobody waits for this look-up any more.
    case abandon(RequestID)
    /// The request has ended; its geocoder is free already.
    case complete(RequestID, GeocodeOutcome)
    /// An outcome came for a request that had ended: it was cancelled meanwhile.
    case discarded(RequestID)
  }

  private struct Running: Hashable {
    var request: RequestID
    var geocoder: GeocoderID
    var question: GeocodeQuestion
  }

  /// A reverse answer, cached for requests from the same place.
  private struct Remembered: Hashable {
    var point: Coordinate
    var locale: PlaceLocale
    var places: [Place]
    var until: Instant
  }

  /// In the order of submission.
  private var running: [Running] = []
  /// When the requests that count were submitted, oldest first.
  private var charged: [Instant] = []
  private var remembered: [Remembered] = []
  /// How many requests the app may make in ``window``; `nil` for no limit.
  private let budget: Int?

  package init(budget: Int? = Self.defaultBudget) {
    self.budget = budget
  }

  /// Nothing happens by itself: budget and memory are judged when a request comes.
  package var nextDeadline: Instant? { nil }

  /// Whether a geocoder waits for an answer (GEO-2).
  package func isGeocoding(_ geocoder: GeocoderID) -> Bool {
    running.contains { $0.geocoder == geocoder }
  }

  /// How many requests the app may still make now; `nil` for no limit.
  package func remainingBudget(at now: Moment) -> Int? {
    budget.map { max(0, $0 - charged.count { $0 > now.uptime - Self.window }) }
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .submit(let question, let request, let geocoder):
      return submit(Running(request: request, geocoder: geocoder, question: question), at: now)
    case .answered(let request, let outcome):
      return answered(request, outcome, at: now)
    case .cancel(let geocoder): return cancel { $0.geocoder == geocoder }
    case .withdraw(let request): return cancel { $0.request == request }
    case .wake:
      return []
    }
  }

  private mutating func cancel(_ isMeant: (Running) -> Bool) -> [Output] {
    guard let place = running.firstIndex(where: isMeant) else { return [] }
    let request = running.remove(at: place).request
    return [.abandon(request), .complete(request, .failure(.cancelled))]
  }

  private mutating func submit(_ new: Running, at now: Moment) -> [Output] {
    guard !isGeocoding(new.geocoder) else {
      return [.complete(new.request, .failure(.cancelled))]
    }
    if case .reverse(let point, let locale, _) = new.question {
      guard point.isValid else { return [.complete(new.request, .failure(.nothingFound))] }
      if let places = recall(point, locale, at: now) {
        return [.complete(new.request, .success(places))]
      }
    }
    charged.removeAll { $0 <= now.uptime - Self.window }
    if let budget, charged.count >= budget {
      let oldest = charged.first ?? now.uptime
      let wait = oldest + Self.window - now.uptime
      return [.complete(new.request, .failure(.budgetSpent(retryAfter: wait)))]
    }
    charged.append(now.uptime)
    running.append(new)
    return [.lookUp(new.question, new.request)]
  }

  private mutating func answered(
    _ request: RequestID, _ outcome: GeocodeOutcome, at now: Moment
  ) -> [Output] {
    guard let place = running.firstIndex(where: { $0.request == request }) else {
      return [.discarded(request)]
    }
    let done = running.remove(at: place)
    if case .reverse(let point, let locale, _) = done.question, case .success(let places) = outcome
    {
      remembered.append(
        Remembered(
          point: point, locale: locale, places: places, until: now.uptime + Self.memory))
      if remembered.count > Self.memoryLimit { remembered.removeFirst() }
    }
    return [.complete(request, outcome)]
  }

  private mutating func recall(
    _ point: Coordinate, _ locale: PlaceLocale, at now: Moment
  ) -> [Place]? {
    remembered.removeAll { $0.until <= now.uptime }
    return remembered.last {
      $0.locale == locale && sphericalDistance($0.point, point) <= Self.samePoint
    }?.places
  }

  /// Requests per ``window``. Chosen: what was observed for MapKit (docs/behavior.md 0.3).
  package static let defaultBudget = 50
  /// Chosen, likewise.
  private static let window = Duration.seconds(60)
  /// Chosen (GEO-18).
  private static let memory = Duration.seconds(60)
  /// Meters. Chosen (GEO-18).
  private static let samePoint = 50.0
  /// Answers kept at most; the oldest goes first.
  private static let memoryLimit = 16
}
