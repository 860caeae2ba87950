/// How the device moves, as a motion sensor tells it.
///
/// It holds until the next one is told: who no longer knows says `unknown`.
package struct MotionActivity: Hashable, Sendable {
  /// The kinds that phones tell apart.
  package enum Kind: String, CaseIterable, Sendable {
    /// It moves, or does not, in no way that has a name.
    case unknown
    /// It lies still, or stands.
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

  /// Nobody knows.
  package static let unknown = MotionActivity(.unknown)
}
