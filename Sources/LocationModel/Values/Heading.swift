/// The direction in which a device points, as delivered to an app.
package struct Heading: Hashable, Sendable {
  /// Degrees clockwise from magnetic north, in `0..<360` (HEAD-5).
  package var magneticHeading: Double

  /// Degrees clockwise from true north, in `0..<360`; `nil` while the place is unknown (HEAD-4).
  package var trueHeading: Double?

  /// Degrees at 68 % confidence; `nil` when uncalibrated or disturbed (HEAD-6).
  package var accuracy: Double?

  /// The field along the device's axes in microtesla (HEAD-7), as ``HeadingSample/field``.
  package var field: DeviceVector?

  /// When the device pointed there (HEAD-14a).
  package var time: UnixTime

  package init(
    magneticHeading: Double, trueHeading: Double?, accuracy: Double?, field: DeviceVector?,
    time: UnixTime
  ) {
    self.magneticHeading = magneticHeading
    self.trueHeading = trueHeading
    self.accuracy = accuracy
    self.field = field
    self.time = time
  }
}

/// The orientation of a device; determines the edge whose heading is delivered (HEAD-8).
package enum HeadingOrientation: Int, CaseIterable, Sendable {
  case unknown
  case portrait
  case portraitUpsideDown
  /// The top edge points to the left.
  case landscapeLeft
  /// The top edge points to the right.
  case landscapeRight
  case faceUp
  case faceDown

  /// Degrees from the top edge, clockwise seen from above the screen, to the edge that counts;
  /// `nil` for an orientation that changes nothing.
  package var offset: Double? {
    switch self {
    case .portrait: 0
    case .landscapeLeft: 90
    case .portraitUpsideDown: 180
    case .landscapeRight: 270
    case .unknown, .faceUp, .faceDown: nil
    }
  }
}
