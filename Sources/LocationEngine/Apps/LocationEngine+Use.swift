package import LocationModel

/// One app that uses the location now, for the person (BGA-15).
package struct LocationUse: Hashable, Sendable {
  package var app: AppIdentity
  /// The program of the process that came last; `nil` if it was not verified.
  package var program: VerifiedProgram?
  /// Whether it uses the location now; else it only asks to calibrate the compass.
  package var isActive: Bool
  /// Whether it does so in the background (BGA-5).
  package var isInBackground: Bool
  /// Whether it asks the person to calibrate the compass (HEAD-9).
  package var calibrates: Bool
}

extension LocationEngine {
  /// Outputs which apps begin and end to use the location (BGA-15).
  ///
  /// Compared in place: a list of its own for each fix would cost more than the fix.
  mutating func settleUsers(to outputs: inout [Output]) {
    var count = 0
    var isSame = true
    for index in coordinators.indices where coordinators[index].needs.usesLocation {
      isSame = isSame && count < users.count && users[count] == coordinators[index].app
      count += 1
    }
    guard !isSame || count != users.count else { return }
    let before = users
    users = coordinators.indices.filter { coordinators[$0].needs.usesLocation }
      .map { coordinators[$0].app }
    outputs += before.filter { !users.contains($0) }.map { .usage($0, false) }
    outputs += users.filter { !before.contains($0) }.map { .usage($0, true) }
  }

  /// The apps that use the location now, or ask to calibrate the compass, in the order of their
  /// names.
  package var locationUses: [LocationUse] {
    coordinators.indices.compactMap { index in
      let calibrates = coordinators[index].heading.calibrates
      let isActive = coordinators[index].needs.usesLocation
      guard isActive || calibrates else { return nil }
      return LocationUse(
        app: coordinators[index].app, program: coordinators[index].program, isActive: isActive,
        isInBackground: coordinators[index].authorizationState.sessions.lifecycle.showsIndicator,
        calibrates: calibrates)
    }
  }

  /// Whether location services are on.
  package var areServicesOn: Bool { servicesAreOn }
}
