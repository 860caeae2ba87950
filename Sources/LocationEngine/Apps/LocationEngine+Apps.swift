package import LocationModel

extension AppIdentity {
  /// The user of the app: the text after the last `@`; empty for the engine's own user.
  fileprivate var user: Substring {
    guard let mark = name.lastIndex(of: "@") else { return "" }
    let number = name[name.index(after: mark)...]
    return number.allSatisfy(\.isNumber) ? number : ""
  }
}

extension LocationEngine {
  /// Whether an app is known, or its user may have one more (``Bounds/appsPerUser``).
  package func hasRoom(for app: AppIdentity) -> Bool {
    if storedApps.contains(app) || coordinatorIndex(of: app) != nil { return true }
    let known =
      storedApps.count { $0.user == app.user }
      + coordinators.count { $0.app.user == app.user && !storedApps.contains($0.app) }
    return known < Bounds.appsPerUser
  }

  /// Removes the coordinator of an app that does not run, if its state is that of an app never
  /// seen, so that many different programs need no more memory.
  mutating func removeIfBlank(_ index: Int, at now: Moment, to outputs: inout [Output]) {
    let app = coordinators[index].app
    guard coordinators[index].isBlank, !storedApps.contains(app), !conditions.concerns(app),
      !visits.isListening(app)
    else { return }
    coordinators.remove(at: index)
    conditions.forget(app)
    takeVisits(.access(app, true), at: now, to: &outputs)
  }
}

extension AppCoordinator {
  /// Whether no process runs, and nothing lasting was requested, granted, or stored.
  fileprivate var isBlank: Bool {
    processes.isEmpty && pending.isBlank && launch.reasons.isEmpty && !heading.hasAsked
      && authorizationState.isBlank
  }
}

extension AppAuthorizationState {
  fileprivate var isBlank: Bool { authorization.isBlank && sessions.isBlank }
}

extension Authorization {
  fileprivate var isBlank: Bool {
    record == AuthorizationRecord(manifest: manifest) && open == nil && due.isEmpty
      && goalRequests.isEmpty && temporary.isEmpty && held == nil && !isRestricted
  }
}
