package import LocationCoding
package import LocationModel

/// The stored authorization of one app.
package struct AuthorizationRecord: Hashable, JSONStructure {
  /// The decision of the person, or of a policy.
  package enum Grant: String, CaseIterable, JSONCodable {
    /// No decision; the next request leads to a prompt.
    case undecided
    case denied
    /// Allow Once: becomes `undecided` when the app is no longer in use (AUTH-28).
    case once
    case whenInUse
    /// Reads as Always; a second prompt follows with the first event that needs it (AUTH-32).
    case provisionalAlways
    case always

    /// Whether some locations may be delivered.
    package var isGranted: Bool { self != .undecided && self != .denied }
  }

  package var grant = Grant.undecided
  /// The person's choice of full accuracy.
  package var isPrecise: Bool
  /// Temporary full accuracy on a reduced grant (AUTH-47).
  package var hasTemporaryAccuracy = false
  /// Whether the single opportunity to request Always is used up (AUTH-23).
  package var opportunityUsed = false
  /// Whether the app declared support of Always when last seen (AUTH-10).
  package var declaresAlways: Bool
  /// The number of the last prompt; numbers are not reused.
  package var lastPrompt = 0

  /// Creates the record of an app that was never asked.
  package init(manifest: Manifest) {
    isPrecise = !manifest.defaultAccuracyReduced
    declaresAlways = manifest.alwaysUsage != nil
  }

  /// Forgets every choice, as a reset of location and privacy settings does (AUTH-7).
  package mutating func reset(manifest: Manifest) {
    let lastPrompt = lastPrompt
    self = AuthorizationRecord(manifest: manifest)
    self.lastPrompt = lastPrompt
  }
}

extension AuthorizationRecord {
  package static let fields = JSONFields(
    Self(manifest: Manifest()),
    .get("grant", \.grant), .get("isPrecise", \.isPrecise),
    .get("hasTemporaryAccuracy", \.hasTemporaryAccuracy),
    .get("opportunityUsed", \.opportunityUsed),
    .get("declaresAlways", \.declaresAlways), .get("lastPrompt", \.lastPrompt))

  package static func key(of app: AppIdentity) -> StateKey {
    StateKey(domain: "authorization", owner: app.name)
  }

  /// The change that makes this record durable.
  package func change(for app: AppIdentity) -> StateChange {
    .set(Self.key(of: app), stored)
  }
}
