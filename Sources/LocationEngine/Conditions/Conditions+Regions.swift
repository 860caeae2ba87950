package import LocationModel

extension Conditions {
  /// Delivers a crossing to a region's app. Delivers only the state if it is no entry and no exit,
  /// like the first state (REG-22, REG-23), or is one that the app did not request (REG-25).
  ///
  /// Delivers nothing while the app may not know; afterwards one event replaces all that were
  /// missed (REG-33).
  mutating func deliverRegion(_ key: ConditionKey) -> [Output] {
    guard var condition = conditions[key], let notices = condition.notices else { return [] }
    let event = event(of: condition, key)
    guard condition.isVerified, event.diagnostics.isEmpty else { return [] }
    let earlier = condition.lastEvent.state
    guard event.state != earlier else { return [] }
    condition.lastEvent = event
    conditions[key] = condition
    let notice: RegionEvent =
      switch (earlier, event.state) {
      case (.unsatisfied, .satisfied) where notices.onEntry: .entered(event.evidence)
      case (.satisfied, .unsatisfied) where notices.onExit: .exited(event.evidence)
      default: .determined(condition.observation.state)
      }
    return [store(key)].compactMap(\.self) + [.region(key, notice)]
  }

  /// Delivers to the apps that requested it that the device is inside a beacon region (BEACON-24).
  func deliverBeaconRegions(of user: UInt32?) -> [Output] {
    watchedBeacons.compactMap { key, _ in
      guard let condition = conditions[key], asksForDisplay(key), key.app.user == user,
        condition.isVerified, condition.observation.state == .satisfied,
        (access[key.app]?.flags.regions ?? []).isEmpty
      else { return nil }
      return .insideOnDisplay(key)
    }
  }

  /// Whether the app of a region asks for its state when the display turns on.
  func asksForDisplay(_ key: ConditionKey) -> Bool {
    conditions[key]?.notices?.onDisplay == true
  }

  /// Returns the state to deliver: the cached one, or that of the fix if not monitored (REG-26). An
  /// app that may not know its position learns no side (REG-7, REG-36).
  func knownState(
    of key: ConditionKey, _ target: ConditionTarget, seen fix: Fix?, at now: Moment
  ) -> ConditionState {
    guard (access[key.app]?.flags.regions ?? []).isEmpty else { return .unknown }
    if let condition = conditions[key], condition.watch != .surplus {
      return condition.isVerified ? condition.observation.state : .unknown
    }
    guard case .circle(let circle) = target, circle.isValid, let fix,
      now.unixTime.seconds(since: fix.time).magnitude < Self.fixLife
    else { return .unknown }
    return circle.state(of: fix)
  }

  /// Seconds for which a fix shows the position of the device (chosen).
  private static let fixLife = 60.0

  /// Returns the regions of an app, in the order of their registration (REG-10).
  package func regions(
    of app: AppIdentity
  ) -> [(identifier: String, target: ConditionTarget, notices: RegionNotices)] {
    keys(of: app).compactMap { key in
      guard key.owner == .regions, let condition = conditions[key],
        let notices = condition.notices
      else { return nil }
      return (key.identifier, condition.target, notices)
    }
  }
}

extension Circle {
  /// Returns the side of a fix; unknown if too coarse (REG-20), or too near the boundary.
  fileprivate func state(of fix: Fix) -> ConditionState {
    guard fix.horizontalAccuracy <= max(radius, 200) else { return .unknown }
    let point = GeocentricPoint(fix.coordinate)
    let distance = point.distance(to: GeocentricPoint(center)) - radius
    if distance.magnitude < fix.horizontalAccuracy { return .unknown }
    return distance > 0 ? .unsatisfied : .satisfied
  }
}
