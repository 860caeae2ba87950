package import LocationModel

extension Conditions {
  /// Tells a region's app that a boundary was crossed; the state alone where that is no entry and no
  /// exit, as the first is (REG-22, REG-23), or none that the app asked for (REG-25).
  ///
  /// While the app may not know, nothing is told; afterwards one event makes up for all that was
  /// missed (REG-33).
  mutating func tellRegion(_ key: ConditionKey) -> [Output] {
    guard var condition = conditions[key], let notices = condition.notices else { return [] }
    let event = event(of: condition, key)
    guard condition.isVerified, event.diagnostics.isEmpty else { return [] }
    let earlier = condition.lastEvent.state
    guard event.state != earlier else { return [] }
    condition.lastEvent = event
    conditions[key] = condition
    let news: RegionEvent =
      switch (earlier, event.state) {
      case (.unsatisfied, .satisfied) where notices.onEntry: .entered(event.evidence)
      case (.satisfied, .unsatisfied) where notices.onExit: .exited(event.evidence)
      default: .determined(condition.observation.state)
      }
    return [store(key)].compactMap(\.self) + [.region(key, news)]
  }

  /// Tells the apps that asked for it that the device is inside a beacon region (BEACON-24).
  func tellBeaconRegions() -> [Output] {
    watchedBeacons.compactMap { key, _ in
      guard let condition = conditions[key], condition.notices?.onDisplay == true,
        condition.isVerified, condition.observation.state == .satisfied,
        (access[key.app]?.flags.regions ?? []).isEmpty
      else { return nil }
      return .region(key, .determined(.satisfied))
    }
  }

  /// What the app is answered of a region: the cached state, or of one not monitored what the fix
  /// says (REG-26). An app that may not know where it is learns no side (REG-7, REG-36).
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

  /// Seconds for which a fix tells where the device is (chosen).
  private static let fixLife = 60.0

  /// The regions of an app, in the order of their registration (REG-10).
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
  /// On which side a fix lies; unknown when it is too coarse (REG-20), or too near the boundary.
  fileprivate func state(of fix: Fix) -> ConditionState {
    guard fix.horizontalAccuracy <= max(radius, 200) else { return .unknown }
    let point = GeocentricPoint(fix.coordinate)
    let distance = point.distance(to: GeocentricPoint(center)) - radius
    if distance.magnitude < fix.horizontalAccuracy { return .unknown }
    return distance > 0 ? .unsatisfied : .satisfied
  }
}
