package import CoreLocation

/// Tracks all requests: what each waits for, and what the hardware must do for them.
///
/// A pure state machine: it takes an input and the time, and returns outputs to carry out in order.
/// Every request receives one last output, `finish` or `forget`, and nothing after it.
package struct RequestCoordinator: Hashable, Sendable {
  package enum Input: Hashable, Sendable {
    /// Time has passed. A wake that comes too early changes nothing.
    case wake
    case request(LocationRequest)
    /// The app waits no longer, but wants what there is now.
    case forceComplete(INTULocationRequestID)
    case cancel(INTULocationRequestID)
    case location(CLLocation)
    case failed(CLError)
    case services(INTULocationServicesState)
    case requestHeading(INTUHeadingRequestID)
    case cancelHeading(INTUHeadingRequestID)
    case heading(HeadingReading)
    case headingServices(INTUHeadingServicesState)
  }

  package enum Output: Hashable, Sendable {
    case hardware(HardwareCommand)
    /// The person must be asked whether the app may know the location (INTU-6).
    case askForAuthorization(INTUAuthorizationType)
    /// The last answer to a request.
    case finish(INTULocationRequestID, LocationAnswer)
    /// An update for a subscription, which continues.
    case report(INTULocationRequestID, LocationAnswer)
    /// The request ended without an answer (INTU-26, INTU-31).
    case forget(INTULocationRequestID)
    /// The last status of a heading subscription.
    case finishHeading(INTUHeadingRequestID, INTUHeadingStatus)
    case reportHeading(INTUHeadingRequestID, INTUHeadingStatus)
    /// A location that is not used (INTU-14, INTU-28).
    case ignored(CLLocation, Reason)
  }

  /// Why a location is not used.
  package enum Reason: Hashable, Sendable {
    case negativeAccuracy, invalidCoordinate, nullIsland, notAuthorized
  }

  package private(set) var services = INTULocationServicesState.notDetermined
  package private(set) var headingServices = INTUHeadingServicesState.available
  /// Live requests in order of arrival.
  private var live: [LiveRequest] = []
  private var headings: [INTUHeadingRequestID] = []
  /// The last valid location; `nil` before the first, and while the app may know none.
  private var current: CLLocation?
  /// Set until the next location; transient failures are not kept (INTU-23, INTU-24).
  private var failure: CLError?
  /// The activity type of the newest request for standard updates (INTU-13).
  private var activityType = CLActivityType.other
  private var order = HardwareOrder()

  package init() {}

  /// Whether there are no requests and nothing is switched on.
  package var isAtRest: Bool { live.isEmpty && headings.isEmpty && order.isOff }

  /// The uptime at which `wake` is next due; `nil` when there is no deadline.
  package var nextDeadline: Duration? {
    live.reduce(nil) { earliest, request in
      guard let deadline = request.deadline else { return earliest }
      return earliest.map { min($0, deadline) } ?? deadline
    }
  }

  /// Handles one input and returns everything the caller must do now, in order.
  package mutating func handle(_ input: Input, at now: RequestTime) -> [Output] {
    let answers =
      switch input {
      case .wake: endTimeout(at: now)
      case .request(let request): take(request, at: now)
      case .forceComplete(let id): forceComplete(id, at: now)
      case .cancel(let id): cancel(id)
      case .location(let location): take(location, at: now)
      case .failed(let error): take(error, at: now)
      case .services(let state): take(state, at: now)
      case .requestHeading(let id): takeHeadingRequest(id)
      case .cancelHeading(let id): cancelHeading(id)
      case .heading(let reading): take(reading)
      case .headingServices(let state): take(state)
      }
    let commands = order.change(to: demand, activityType: activityType)
    return commands.isEmpty ? answers : commands.map(Output.hardware) + answers
  }

  /// What the live requests need of the hardware now (INTU-12, INTU-27).
  private var demand: HardwareDemand {
    var demand = HardwareDemand(heading: !headings.isEmpty)
    for request in live {
      switch request.need {
      case .once(let accuracy, _), .updates(let accuracy):
        demand.standard = demand.standard.map { max($0, accuracy) } ?? accuracy
      case .significantChanges:
        demand.significantChanges = true
      }
    }
    return demand
  }
}

// MARK: Requests

extension RequestCoordinator {
  private mutating func take(_ request: LocationRequest, at now: RequestTime) -> [Output] {
    switch services {
    case .denied, .restricted, .disabled:
      return [.finish(request.id, answer(.success, at: now))]  // INTU-15: the state comes first.
    case .available, .notDetermined:
      break
    }
    let new = LiveRequest(request, services: services, at: now)
    live.append(new)
    if case .significantChanges = request.mode {} else { activityType = request.activityType }
    guard services == .available else { return [.askForAuthorization(request.authorizationType)] }
    guard current != nil, let output = examine(new, at: now) else { return [] }
    return [output]
  }

  private mutating func forceComplete(_ id: INTULocationRequestID, at now: RequestTime) -> [Output]
  {
    guard let request = remove(id) else { return [] }
    guard case .once = request.need else { return [.forget(id)] }
    return [.finish(id, answer(.timedOut, at: now))]
  }

  private mutating func cancel(_ id: INTULocationRequestID) -> [Output] {
    remove(id) == nil ? [] : [.forget(id)]
  }

  private mutating func remove(_ id: INTULocationRequestID) -> LiveRequest? {
    live.firstIndex { $0.id == id }.map { live.remove(at: $0) }
  }

  private mutating func endTimeout(at now: RequestTime) -> [Output] {
    finish(.timedOut, at: now) { $0.deadline.map { $0 <= now.uptime } ?? false }
  }

  /// Removes the requests that meet the condition, and returns their last answers.
  private mutating func finish(
    _ status: INTULocationStatus, at now: RequestTime, where isOver: (LiveRequest) -> Bool
  ) -> [Output] {
    let over = live.filter(isOver)
    guard !over.isEmpty else { return [] }
    live.removeAll(where: isOver)
    let answer = answer(status, at: now)
    return over.map { .finish($0.id, answer) }
  }

  /// Returns the answer now: the state of the services takes precedence, then a failure, then
  /// `status` (INTU-21).
  private func answer(_ status: INTULocationStatus, at now: RequestTime) -> LocationAnswer {
    let status = INTULocationStatus(services) ?? (failure == nil ? status : .error)
    let location = status.carriesLocation ? current : nil
    return LocationAnswer(
      location: location, achievedAccuracy: INTULocationAccuracy(of: location, at: now.date),
      status: status, error: status == .error ? failure : nil)
  }
}

// MARK: Events of the services

extension RequestCoordinator {
  private mutating func take(_ location: CLLocation, at now: RequestTime) -> [Output] {
    if let reason = Reason(whyIgnoring: location, services) { return [.ignored(location, reason)] }
    current = location
    failure = nil
    let waiting = live
    return waiting.compactMap { examine($0, at: now) }
  }

  /// Checks a request against the current location; one that it satisfies ends (INTU-16, INTU-17).
  private mutating func examine(_ request: LiveRequest, at now: RequestTime) -> Output? {
    switch request.need {
    case .once(let accuracy, _):
      guard INTULocationAccuracy(of: current, at: now.date) >= accuracy else { return nil }
      live.removeAll { $0.id == request.id }
      return .finish(request.id, answer(.success, at: now))
    case .updates, .significantChanges:
      return .report(request.id, answer(.success, at: now))
    }
  }

  /// Ends requests on a failure, except those with time left while the services keep trying
  /// (INTU-23); subscriptions receive the error and continue (INTU-30).
  private mutating func take(_ error: CLError, at now: RequestTime) -> [Output] {
    guard error.code != .headingFailure else {
      return headings.map { .reportHeading($0, .invalid) }
    }
    let isTransient = error.code == .locationUnknown
    failure = error
    let reports = live.filter(\.isSubscription).map {
      Output.report($0.id, answer(.error, at: now))
    }
    let ends = finish(.error, at: now) { request in
      guard case .once(_, let countdown) = request.need else { return false }
      return !isTransient || countdown == .none
    }
    if isTransient { failure = nil }
    return ends + reports
  }

  private mutating func take(_ state: INTULocationServicesState, at now: RequestTime) -> [Output] {
    services = state
    if state != .available { current = nil }
    switch state {
    case .available:
      for index in live.indices { live[index].beginCountdown(at: now) }
      return []
    case .notDetermined:
      return []
    case .denied, .restricted, .disabled:
      return finish(.error, at: now) { _ in true }  // INTU-22: the state comes first.
    }
  }
}

// MARK: Headings

extension RequestCoordinator {
  private mutating func takeHeadingRequest(_ id: INTUHeadingRequestID) -> [Output] {
    guard headingServices == .available else { return [.finishHeading(id, .unavailable)] }
    headings.append(id)
    return []
  }

  private mutating func cancelHeading(_ id: INTUHeadingRequestID) -> [Output] {
    guard let index = headings.firstIndex(of: id) else { return [] }
    headings.remove(at: index)
    return [.forget(id)]
  }

  /// Reports a heading. True north needs a location; while none is requested, magnetic north
  /// suffices (INTU-36).
  private func take(_ reading: HeadingReading) -> [Output] {
    let isTrue = reading.trueHeading >= 0 || !order.updatesLocation
    let status: INTUHeadingStatus = isTrue && reading.accuracy >= 0 ? .success : .invalid
    return headings.map { .reportHeading($0, status) }
  }

  private mutating func take(_ state: INTUHeadingServicesState) -> [Output] {
    headingServices = state
    guard state == .unavailable else { return [] }
    defer { headings = [] }
    return headings.map { .finishHeading($0, .unavailable) }
  }
}

extension RequestCoordinator.Reason {
  /// Returns `nil` for a location that is used.
  fileprivate init?(whyIgnoring location: CLLocation, _ services: INTULocationServicesState) {
    let coordinate = location.coordinate
    if services != .available {
      self = .notAuthorized
    } else if location.horizontalAccuracy < 0 {
      self = .negativeAccuracy
    } else if !CLLocationCoordinate2DIsValid(coordinate) {
      self = .invalidCoordinate
    } else if coordinate.latitude == 0, coordinate.longitude == 0 {
      self = .nullIsland
    } else {
      return nil
    }
  }
}
