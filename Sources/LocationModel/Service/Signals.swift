/// How a manager wants headings (HEAD-1, HEAD-8).
package struct HeadingOptions: Hashable, Sendable {
  /// Degrees, not negative; `nil` delivers every heading.
  package var filter: Double?
  package var orientation: HeadingOrientation

  package init(filter: Double? = 1, orientation: HeadingOrientation = .portrait) {
    self.filter = filter
    self.orientation = orientation
  }
}

/// What a manager asks of the compass.
package enum HeadingRequest: Hashable, Sendable {
  case start(HeadingOptions)
  /// Applies to later headings (HEAD-8).
  case change(HeadingOptions)
  case stop
  /// What the app says when asked whether a person should be told to calibrate (HEAD-9).
  case calibrationAnswer(Bool)
  case dismissCalibration
}

/// What the compass tells a manager.
package enum HeadingDelivery: Hashable, Sendable {
  case heading(Heading)
  /// Interference, or the compass went away (HEAD-12).
  case failed
  /// Should a person be told to calibrate (HEAD-9)?
  case askCalibration
}

/// What a manager asks about beacons.
package enum RangingRequest: Hashable, Sendable {
  case start(BeaconConstraint)
  case stop(BeaconConstraint)
}

/// What a manager is told of beacons.
package enum RangingDelivery: Hashable, Sendable {
  /// Once a second, nearest first (BEACON-6, BEACON-8).
  case ranged(BeaconConstraint, [RangedBeacon])
  case failed(BeaconConstraint, RangingFailure)
}

/// Why beacons are not ranged.
package enum RangingFailure: Hashable, CaseIterable, Sendable {
  /// Bluetooth or location is off, there is no adapter, or accuracy is reduced (BEACON-16,
  /// BEACON-17).
  case unavailable
  /// The adapter is there and refuses.
  case failing
  /// The app may not know where it is.
  case denied
}

/// What an app asks about being a beacon itself.
package enum AdvertisingRequest: Hashable, Sendable {
  case start(IBeaconAdvert)
  case stop
}

/// Whether this computer is the beacon that was asked for.
package enum BeaconAdvertising: Hashable, Sendable {
  /// Not now: it was stopped, or the app is not in the foreground (BEACON-3).
  case stopped
  case advertising
  /// Another beacon that was asked for first is on the air.
  case waiting
  /// No adapter is on, or it cannot advertise.
  case unavailable
  /// The person has not allowed it, and what to do; or `bluetoothd` said no, and the name of its
  /// error. Begins by itself when nothing is against it any more.
  case refused(String)
}

/// What this computer can do beside positions, whatever an app may know (AVAIL-3).
package struct Equipment: Hashable, Sendable {
  /// A compass was found or heard.
  package var hasCompass: Bool
  /// A radio for beacons was configured; it may be off.
  package var hasBeaconRadio: Bool

  package init(hasCompass: Bool = false, hasBeaconRadio: Bool = false) {
    self.hasCompass = hasCompass
    self.hasBeaconRadio = hasBeaconRadio
  }
}
