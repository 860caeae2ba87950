import LocationModel

extension CLLocationManager {
  /// Passes a delivery of the engine to the delegate; runs where the manager's callbacks run.
  func take(_ delivery: Delivery) {
    switch delivery {
    case .authorizationChanged:
      remember { $0.hasNewAuthorization = true }
      reportAuthorization()
    case .updates(_, .fixes(let fixes)): deliver(fixes.map { CLLocation($0) })
    case .updates(_, .failed(let failure)): deliver(CLError(failure: failure))
    case .updates(_, .paused):
      delegate?.locationManagerDidPauseLocationUpdates(self)
    case .updates(_, .resumed):
      delegate?.locationManagerDidResumeLocationUpdates(self)
    case .updates(_, .deferralFinished(let fault)):
      let error = fault.map { CLError(fault: $0) }
      delegate?.locationManager(self, didFinishDeferredUpdatesWithError: error)
    case .temporaryFullAccuracy(let ticket, let refusal): finish(ticket, refusal)
    case .pending(let number, let event): take(number, event)
    case .region(_, let region, let event):
      deliver(event, of: CLRegion.make(region))
    case .heading(_, let delivery): take(delivery)
    case .ranging(_, let delivery): take(delivery)
    default: break
    }
  }
}

extension CLLocationManager {
  /// Reports a new authorization once, as soon as there is a delegate (MODEL-4).
  func reportAuthorization() {
    guard let delegate, hasNewAuthorization else { return }
    remember { $0.hasNewAuthorization = false }
    delegate.locationManagerDidChangeAuthorization(self)
  }

  /// Delivers an event once, after the events that came while no manager had a delegate, and
  /// acknowledges it. Without a delegate it stays pending.
  private func take(_ number: EventNumber, _ event: PendingEvent) {
    let last = lastEvent
    guard delegate != nil, number > last || number == .none else { return }
    for earlier in link.client.pending where earlier.number > last && earlier.number < number {
      deliver(earlier.event)
    }
    deliver(event)
    remember { $0.lastEvent = max(last, number) }
    link.client.send(.acknowledge(number))
  }

  private func deliver(_ event: PendingEvent) {
    switch event {
    case .visit(let visit): delegate?.locationManager(self, didVisit: CLVisit(visit))
    case .region(let region, let event): deliver(event, of: CLRegion.make(region))
    }
  }

  private func deliver(_ event: RegionEvent, of region: CLRegion) {
    switch event {
    case .started: delegate?.locationManager(self, didStartMonitoringFor: region)
    case .failed(let failure):
      let code: CLError.Code =
        failure == .denied ? .regionMonitoringDenied : .regionMonitoringFailure
      delegate?.locationManager(self, monitoringDidFailFor: region, withError: CLError(code))
    case .determined(let state):
      delegate?.locationManager(self, didDetermineState: CLRegionState(state), for: region)
    // The state is delivered before the crossing that follows from it (REG-25).
    case .entered:
      delegate?.locationManager(self, didDetermineState: .inside, for: region)
      delegate?.locationManager(self, didEnterRegion: region)
    case .exited:
      delegate?.locationManager(self, didDetermineState: .outside, for: region)
      delegate?.locationManager(self, didExitRegion: region)
    }
  }

  private func deliver(_ locations: [CLLocation]) {
    answer(orElse: hearsChanges) {
      delegate?.locationManager(self, didUpdateLocations: locations)
    }
    remember { $0.delivered = locations.last }
  }

  private func deliver(_ error: CLError) {
    answer(orElse: hearsChanges || watchesVisits) {
      delegate?.locationManager(self, didFailWithError: error)
    }
  }

  /// Delivers a location or an error, unless the app has stopped the service meanwhile (STD-5) and
  /// no other service delivers it. The delegate may request again while it receives the answer to a
  /// request for one location.
  private func answer(orElse isOfOther: Bool, _ callback: () -> Void) {
    let wanted = wanted
    guard wanted != .nothing || isOfOther else { return }
    guard wanted == .oneLocation else { return callback() }
    remember { ($0.wanted, $0.isAnswering) = (.nothing, true) }
    callback()
    remember { $0.isAnswering = false }
  }
}

extension CLError {
  /// Converts a failure of the engine to Apple's code (STD-36).
  init(failure: Failure) {
    switch failure {
    case .positionUnknown: self.init(.locationUnknown)
    case .denied: self.init(.denied)
    case .network: self.init(.network)
    }
  }
}

extension CLError {
  /// Converts the reason why a deferral ended early to Apple's code (STD-54, STD-55).
  init(fault: DeferralFault) {
    switch fault {
    case .notUpdating: self.init(.deferredNotUpdatingLocation)
    case .accuracyTooLow: self.init(.deferredAccuracyTooLow)
    case .distanceFiltered: self.init(.deferredDistanceFiltered)
    case .canceled: self.init(.deferredCanceled)
    }
  }
}

extension DeferralEnd {
  /// Converts the limits of a deferral; Apple's largest numbers and times beyond `longest` mean
  /// "never".
  init(untilTraveled distance: CLLocationDistance, timeout: TimeInterval) {
    self.init(
      distance: distance < CLLocationDistanceMax ? distance : nil,
      timeout: timeout < Self.longest ? .seconds(max(0, timeout)) : nil)
  }

  /// The longest timeout in seconds: a century. Chosen.
  private static let longest = 3.2e9
}

extension UpdateOptions {
  /// Converts the options of a manager to the engine's type.
  init(_ options: ManagerOptions) {
    self.init(
      accuracy: DesiredAccuracy(options.desiredAccuracy),
      distanceFilter: options.distanceFilter > 0 ? options.distanceFilter : nil,
      activity: ActivityKind(options.activityType),
      pausesAutomatically: options.pausesLocationUpdatesAutomatically)
    allowsBackground = options.allowsBackgroundLocationUpdates
    showsIndicator = options.showsBackgroundLocationIndicator
  }
}

extension DesiredAccuracy {
  init(_ accuracy: CLLocationAccuracy) {
    switch accuracy {
    case kCLLocationAccuracyBestForNavigation: self = .bestForNavigation
    case kCLLocationAccuracyReduced: self = .reduced
    default: self = accuracy > 0 ? .meters(accuracy) : .best
    }
  }
}

extension ActivityKind {
  init(_ activity: CLActivityType) {
    switch activity {
    case .automotiveNavigation: self = .automotiveNavigation
    case .fitness: self = .fitness
    case .otherNavigation: self = .otherNavigation
    case .airborne: self = .airborne
    default: self = .other
    }
  }
}

extension CLAuthorizationStatus {
  /// Converts a status to Apple's raw values (AUTH-1).
  init(_ status: AuthorizationStatus) {
    switch status {
    case .notDetermined: self = .notDetermined
    case .restricted: self = .restricted
    case .denied: self = .denied
    case .always: self = .authorizedAlways
    case .whenInUse: self = .authorizedWhenInUse
    }
  }
}
