package import LocationModel

/// One condition, as reported to the owner of the machine.
package struct ConditionReport: Hashable, Sendable {
  package var key: ConditionKey
  package var target: ConditionTarget
  package var state: MonitoredState
  /// When the state was observed.
  package var date: UnixTime
  /// What speaks against the state; `nil` while nothing does, and for a beacon.
  package var belief: Belief?
  /// Why the state is not observed or not delivered; `nil` while it is.
  package var reason: UnmonitoredReason?
}

/// How the device moves, by the motion sensor and the fixes.
package struct MotionReport: Hashable, Sendable {
  /// What the sensor reports; `nil` before its first report.
  package var activity: MotionActivity.Kind?
  /// Meters per second by the last plausible steps; zero if unknown.
  package var speed: Double
  /// Whether the newest fix waits for another that confirms it.
  package var isDoubting: Bool
}

/// The lifecycle state of an app, for its owner.
package struct UseReport: Hashable, Sendable {
  package var life: AppLife
  /// The process that it is the state of.
  package var client: ClientID
  package var isFrozen: Bool
  /// Whether the app's framework has reported it.
  package var isReported: Bool
}

// What the owner of the machine may query.
extension LocationEngine {
  /// The shares of the demand (POW-8): of each service of each app, and of services shared by all
  /// apps.
  package var demandShares: [DemandShare] {
    coordinators.flatMap(\.demandShares) + [
      DemandShare(client: "conditions", demand: conditions.demand),
      DemandShare(client: "visits", demand: visits.demand),
      DemandShare(client: "stillness", demand: departureDemand),
      DemandShare(client: "coarse place", demand: needsCoarse ? coarse.demand : .none),
    ]
  }

  /// Writes the demands of ``demandShares`` without their names, in their order, in place of what is in a
  /// list: cheap enough for each step.
  package func writeDemands(to list: inout [Demand]) {
    list.removeAll(keepingCapacity: true)
    for coordinator in coordinators { coordinator.appendDemands(to: &list) }
    list.append(conditions.demand)
    list.append(visits.demand)
    list.append(departureDemand)
    list.append(needsCoarse ? coarse.demand : .none)
  }

  /// What was decided about an app that is connected, or stored.
  package func level(of app: AppIdentity) -> AuthorizationLevel? {
    coordinatorIndex(of: app).map {
      AuthorizationLevel(coordinators[$0].authorization.record.grant)
    }
  }

  /// What the owner's settings withhold from an app.
  package func limits(of app: AppIdentity) -> [String] {
    (policies.restricted.contains(app) ? ["restricted"] : [])
      + (policies.withoutRefresh.contains(app) ? ["noBackgroundRefresh"] : [])
      + (policies.honorsQuit ? ["forceQuit"] : [])
      + (policies.isUnlocked(app) == false ? ["locked"] : [])
  }

  /// What the owner's settings change for the services of every app, in the words of the link.
  package var serviceSettings: [String] {
    (policies.services.pauseNeedsRestart ? ["pauseNeedsRestart"] : [])
      + (policies.services.heartbeat.map { ["heartbeat \(Int($0.inSeconds))"] } ?? [])
      + (policies.remindAfter.map { ["remindAfter \($0)"] } ?? [])
  }

  /// The conditions of all apps, in the order of the keys.
  package var conditionReports: [ConditionReport] {
    conditions.conditions.all.sorted { $0.key < $1.key }.map { key, condition in
      let state = MonitoredState(condition.observation.state)
      return ConditionReport(
        key: key, target: condition.target, state: condition.isWatched ? state : .unmonitored,
        date: condition.observation.date, belief: conditions.belief(of: condition),
        reason: conditions.reason(of: condition, key))
    }
  }

  /// Returns why a condition would not be monitored if it were added now; `nil` if it would be.
  package func reasonAgainst(_ target: ConditionTarget, _ key: ConditionKey) -> UnmonitoredReason? {
    conditions.reasonAgainst(target, key)
  }

  /// The limits of conditions.
  package var conditionLimits: Conditions.Limits { conditions.limits }

  /// Whether an app has as many conditions monitored as one app may.
  package func isFull(_ app: AppIdentity) -> Bool { !conditions.hasRoom(for: app) }

  // MARK: What is known now, computed when it is asked for

  /// The newest fix of a provider, and what has become of it.
  package func ownFix(of provider: ProviderID) -> OwnFix? { arbiter.ownFix(of: provider) }

  /// The cell that apps with reduced accuracy have in place of the position, by its middle.
  package var coarseFix: Fix? {
    coarse.place.map { place in
      Fix(
        coordinate: coarse.grid.center(of: place.cell),
        horizontalAccuracy: CoarseLocator.accuracy, time: place.time, origin: place.origin)
    }
  }

  /// The newest heading that any app has, of the device's top edge.
  package var latestHeading: Heading? {
    coordinators.flatMap(\.heading.subscribers.entries).compactMap(\.service.latest)
      .max { $0.time < $1.time }
  }

  /// The beacons that are ranged, in their order.
  package var rangedBeacons: [RangedBeacon] { beacons.lines }

  /// How the device moves; `nil` while nothing needs to know.
  package var motionReport: MotionReport? {
    guard needsMotion else { return nil }
    let estimate = motion.latestEstimate
    return MotionReport(
      activity: estimate.activity.kind, speed: estimate.speed, isDoubting: estimate.isDoubting)
  }

  /// The conditions against whose state anything speaks; cheap while nothing does.
  package var openBeliefs: [OpenBelief] { conditions.beliefs }

  /// The visit that lasts, and what speaks for its end.
  package var currentVisit: (visit: Visit, departure: Belief?)? { visits.current }

  /// Returns the services that a process uses now, by their names on the wire.
  package func services(of client: ClientID) -> [String] {
    guard let app = app(of: client), let coordinator = coordinators.first(where: { $0.app == app })
    else {
      return []
    }
    let asked: [(String, Bool)] = [
      ("updates", coordinator.standard.entries.contains { $0.client == client }),
      ("live", coordinator.live.entries.contains { $0.client == client }),
      ("significantChanges", coordinator.significant.entries.contains { $0.client == client }),
      ("heading", coordinator.heading.subscribers.entries.contains { $0.client == client }),
      ("ranging", coordinator.ranging.requests.contains { $0.client == client }),
      (
        coordinator.authorization.beacon == .allowed ? "advertising" : "advertising (not allowed)",
        coordinator.advertising.contains(client)
      ),
      ("monitor", coordinator.monitors.entries.contains { $0.client == client }),
      ("visits", visits.isListening(app)),
      ("regions", !conditions.regions(of: app).isEmpty),
    ]
    return asked.filter(\.1).map(\.0)
  }

  /// The lifecycle state of an app, and what one of its processes bases it on; `nil` while none runs.
  package func use(of app: AppIdentity) -> UseReport? {
    guard let coordinator = coordinators.first(where: { $0.app == app }),
      let process = coordinator.processes.first(where: { $0.life == coordinator.life })
    else { return nil }
    return UseReport(
      life: process.life, client: process.client, isFrozen: process.isFrozen,
      isReported: process.reported != nil && process.life == process.reported)
  }

  /// The apps that have a process, one entry for each process.
  package var runningApps: [AppIdentity] {
    coordinators.flatMap { coordinator in coordinator.processes.map { _ in coordinator.app } }
  }
}
