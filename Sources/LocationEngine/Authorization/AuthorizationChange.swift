internal import LocationCoding
package import LocationModel

/// Applies a person's decision about an app that need not run to its stored state.
package struct AuthorizationChange: Sendable {
  private var machine: Authorization
  private let restored: [Authorization.Output]
  private let now: Moment

  /// The result of a decision.
  package struct Outcome: Sendable {
    package var after: AuthorizationRecord
    package var beacon: BeaconPermission
    package var changes: [StateChange]
    /// Why something did not change, as text.
    package var explanations: [String]
  }

  /// Creates a change. An app that is named by its identifier alone, and whose property list cannot
  /// be found, keeps its last declarations, so that its record keeps its meaning (AUTH-10).
  package init(
    of app: AppIdentity, manifest: Manifest?, in entries: [StateEntry], at now: Moment
  ) {
    let stored = entries.first { $0.key == AuthorizationRecord.key(of: app) }
      .flatMap { AuthorizationRecord(stored: $0.value) }
    let remembered = stored?.declaresAlways ?? false
    machine = Authorization(
      app: app,
      manifest: manifest
        ?? Manifest(remembered ? [Manifest.Key.always: .string("declared when last seen")] : [:]))
    restored = machine.restore(from: entries.filter { $0.key.owner == app.name }, at: now)
    self.now = now
  }

  /// Returns the changes that reset what every app may know, and the apps that they are about
  /// (AUTH-7).
  package static func resetting(
    _ entries: [StateEntry], at now: Moment
  ) -> (changes: [StateChange], apps: [AppIdentity]) {
    let owners = entries.filter { entry in
      let app = AppIdentity(entry.key.owner)
      return entry.key == AuthorizationRecord.key(of: app)
        || entry.key == BeaconPermission.key(of: app)
    }.map { AppIdentity($0.key.owner) }
    var (changes, apps): ([StateChange], [AppIdentity]) = ([], [])
    for app in Set(owners).sorted() where !app.isOwner {
      let change = AuthorizationChange(of: app, manifest: nil, in: entries, at: now)
      guard let outcome = change.deciding(level: AuthorizationLevel.reset, precise: nil),
        !outcome.changes.isEmpty
      else { continue }
      changes += outcome.changes
      apps.append(app)
    }
    return (changes, apps)
  }

  /// Applies the given choices.
  ///
  /// - Parameters:
  ///   - level: one of ``AuthorizationLevel/settings``; `nil` leaves it unchanged.
  ///   - precise: whether the app may know the exact position; `nil` leaves it unchanged.
  ///   - beacon: whether the app may make this computer a beacon; `nil` leaves it unchanged.
  /// - Returns: `nil` for an unknown level.
  package func deciding(level: String?, precise: Bool?, beacon: Bool? = nil) -> Outcome? {
    var inputs = AuthorizationLevel.settings.filter { $0.word == level }.map(\.input)
    guard level == nil || !inputs.isEmpty else { return nil }
    if let precise { inputs.append(.precise(precise)) }
    if let beacon { inputs.append(.beacon(beacon ? .allowed : .declined)) }
    var machine = machine
    let outputs = restored + inputs.flatMap { machine.handle($0, at: now) }
    return Outcome(
      after: machine.record, beacon: machine.beacon,
      changes: outputs.compactMap { if case .persist(let change) = $0 { change } else { nil } },
      explanations: outputs.compactMap {
        if case .explain(let explanation) = $0 { "\(explanation)" } else { nil }
      })
  }
}
