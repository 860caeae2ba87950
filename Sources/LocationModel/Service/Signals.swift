/// The options of headings (HEAD-1, HEAD-8).
package struct HeadingOptions: Hashable, Sendable {
  /// Degrees, not negative; `nil` delivers every heading.
  package var filter: Double?
  package var orientation: HeadingOrientation

  package init(filter: Double? = 1, orientation: HeadingOrientation = .portrait) {
    self.filter = filter
    self.orientation = orientation
  }
}

/// A request of a manager for headings.
package enum HeadingRequest: Hashable, Sendable {
  case start(HeadingOptions)
  /// Applies to later headings (HEAD-8).
  case change(HeadingOptions)
  case stop
  /// The answer of the app whether the person should be asked to calibrate (HEAD-9).
  case calibrationAnswer(Bool)
  case dismissCalibration
}

/// A delivery about headings.
package enum HeadingDelivery: Hashable, Sendable {
  case heading(Heading)
  /// Interference, or the compass was removed (HEAD-12).
  case failed
  /// The question whether the person should be asked to calibrate (HEAD-9).
  case askCalibration
}

/// A request of a manager to range beacons.
package enum RangingRequest: Hashable, Sendable {
  case start(BeaconConstraint)
  case stop(BeaconConstraint)
}

/// A delivery about ranged beacons.
package enum RangingDelivery: Hashable, Sendable {
  /// Once a second, nearest first (BEACON-6, BEACON-8).
  case ranged(BeaconConstraint, [RangedBeacon])
  case failed(BeaconConstraint, RangingFailure)
}

/// The reason why beacons are not ranged.
package enum RangingFailure: Hashable, CaseIterable, Sendable {
  /// Bluetooth or location is off, there is no adapter, or accuracy is reduced (BEACON-16,
  /// BEACON-17).
  case unavailable
  /// The adapter is present and refuses to scan.
  case failing
  /// The app has no authorization.
  case denied
}

/// A request of an app to make this computer a beacon.
package enum AdvertisingRequest: Hashable, Sendable {
  case start(IBeaconAdvert)
  case stop
}

/// Whether this computer is the requested beacon.
package enum BeaconAdvertising: Hashable, Sendable {
  /// No: it was stopped, or the app is not in the foreground (BEACON-3).
  case stopped
  case advertising
  /// Another beacon that was requested first is advertised.
  case waiting
  /// No adapter is on, or it cannot advertise.
  case unavailable
  /// The person has not allowed it, with the next step; or `bluetoothd` refused, with the name of its
  /// error. Begins by itself when the reason has gone.
  case refused(String)
}

/// The equipment of this computer beside positions, whatever an app may receive (AVAIL-3).
package struct Equipment: Hashable, Sendable {
  /// A compass was found, or a receiver reports headings.
  package var hasCompass: Bool
  /// A radio for beacons was configured; it may be off.
  package var hasBeaconRadio: Bool
  /// A source of positions was configured; it may give none now.
  package var hasPositions: Bool

  package init(
    hasCompass: Bool = false, hasBeaconRadio: Bool = false, hasPositions: Bool = true
  ) {
    self.hasCompass = hasCompass
    self.hasBeaconRadio = hasBeaconRadio
    self.hasPositions = hasPositions
  }
}
