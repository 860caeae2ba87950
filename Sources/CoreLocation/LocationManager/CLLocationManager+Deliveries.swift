import LocationModel

extension CLLocationManager {
  /// Tells the delegate what the engine says; runs where the manager's callbacks run.
  func take(_ delivery: Delivery) {
    switch delivery {
    case .authorizationChanged:
      delegate?.locationManagerDidChangeAuthorization(self)
    case .updates(_, .fixes(let fixes)):
      let locations = fixes.map { CLLocation($0) }
      delegate?.locationManager(self, didUpdateLocations: locations)
    case .updates(_, .failed(let failure)):
      delegate?.locationManager(self, didFailWithError: CLError(failure: failure))
    case .updates(_, .paused):
      delegate?.locationManagerDidPauseLocationUpdates(self)
    case .updates(_, .resumed):
      delegate?.locationManagerDidResumeLocationUpdates(self)
    case .temporaryFullAccuracy(let ticket, let refusal): finish(ticket, refusal)
    case .state, .live: break
    }
  }
}

extension CLError {
  /// A failure of the world in Apple's words (STD-36).
  init(failure: Failure) {
    switch failure {
    case .positionUnknown: self.init(.locationUnknown)
    case .denied: self.init(.denied)
    case .network: self.init(.network)
    case .headingFailure: self.init(.headingFailure)
    }
  }
}

extension UpdateOptions {
  /// What a manager was told, in our own words.
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
  /// Apple's raw values (AUTH-1).
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
