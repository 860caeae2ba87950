/// How near a beacon is (BEACON-13), nearest first.
package enum Proximity: Int, Comparable, CaseIterable, Sendable {
  /// Less than half a meter.
  case immediate
  /// Less than three meters.
  case near
  /// Three meters and more.
  case far
  /// Not known now.
  case unknown

  package static func < (left: Proximity, right: Proximity) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// One line of a ranging report.
package struct RangedBeacon: Hashable, Sendable {
  package var identity: BeaconIdentity
  package var proximity: Proximity

  /// Meters at one sigma, to rank beacons of one class (BEACON-12); `nil` when unknown.
  package var accuracy: Double?

  /// dBm, the mean since the previous report (BEACON-9); `nil` when nothing was measured in it.
  package var rssi: Int?

  /// When the beacon was last received (BEACON-20).
  package var time: UnixTime

  package init(
    identity: BeaconIdentity, proximity: Proximity, accuracy: Double?, rssi: Int?, time: UnixTime
  ) {
    self.identity = identity
    self.proximity = proximity
    self.accuracy = accuracy
    self.rssi = rssi
    self.time = time
  }
}

/// Whether beacons can be received now.
package enum BeaconReception: Hashable, Sendable {
  case listening
  /// No adapter, or it is switched off (`rangingUnavailable`).
  case unavailable
  /// The adapter is present and refuses to scan (`rangingFailure`).
  case failing
}
