/// How the device moves, as a motion sensor reports it.
///
/// It holds until the next report: a sensor that no longer knows reports `unknown`.
package struct MotionActivity: Hashable, Sendable {
  /// The kinds that phones distinguish.
  package enum Kind: String, CaseIterable, Sendable {
    /// No known kind of movement or rest.
    case unknown
    /// At rest.
    case stationary
    case walking
    case running
    case cycling
    case automotive
  }

  package enum Confidence: String, CaseIterable, Sendable {
    case low
    case medium
    case high
  }

  package var kind: Kind
  package var confidence: Confidence

  package init(_ kind: Kind, _ confidence: Confidence = .high) {
    self.kind = kind
    self.confidence = confidence
  }

  /// Not known.
  package static let unknown = MotionActivity(.unknown)
}
