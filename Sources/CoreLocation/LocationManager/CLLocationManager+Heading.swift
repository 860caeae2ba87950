import LocationModel

extension CLLocationManager {
  /// Passes a delivery of the compass to the delegate; runs where the manager's callbacks run.
  func take(_ delivery: HeadingDelivery) {
    switch delivery {
    case .heading(let heading):
      guard wantsHeadings else { return }
      let values = CLHeading.Values(heading)
      remember { $0.heading = values }
      delegate?.locationManager(self, didUpdateHeading: CLHeading(values))
    case .failed:
      guard wantsHeadings else { return }
      delegate?.locationManager(self, didFailWithError: CLError(.headingFailure))
    case .askCalibration:
      let answer = delegate?.locationManagerShouldDisplayHeadingCalibration(self) ?? false
      link.send(.calibrationAnswer(answer))
    }
  }
}

extension ManagerLink {
  func send(_ request: HeadingRequest) {
    client.send(.heading(subscriber, request))
  }
}

extension HeadingOptions {
  init(_ options: ManagerOptions) {
    self.init(
      filter: options.headingFilter > 0 ? options.headingFilter : nil,
      orientation: HeadingOrientation(options.headingOrientation))
  }
}

extension HeadingOrientation {
  init(_ orientation: CLDeviceOrientation) {
    switch orientation {
    case .portrait: self = .portrait
    case .portraitUpsideDown: self = .portraitUpsideDown
    case .landscapeLeft: self = .landscapeLeft
    case .landscapeRight: self = .landscapeRight
    case .faceUp: self = .faceUp
    case .faceDown: self = .faceDown
    default: self = .unknown
    }
  }
}

extension CLHeading.Values {
  /// Converts a heading; absent values become Apple's negative ones (HEAD-4, HEAD-6).
  init(_ heading: Heading) {
    self.init(
      magneticHeading: heading.magneticHeading, trueHeading: heading.trueHeading ?? -1,
      headingAccuracy: heading.accuracy ?? -1,
      x: heading.field?.x ?? 0, y: heading.field?.y ?? 0, z: heading.field?.z ?? 0,
      timestamp: Date(heading.time))
  }
}
