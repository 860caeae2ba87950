package import LocationModel

// What a person, the owner, and the system set for apps.
extension LocationEngine {
  mutating func change(
    _ setting: Setting, at now: Moment, to outputs: inout [Output]
  ) {
    switch setting {
    case .services(let on):
      outputs.append(.persist(Setting.servicesChange(on)))
      turnServices(on: on, at: now, to: &outputs)
    case .authorization(let app, let choice):
      each(app, at: now, &outputs) { $0.authorize(.setting(choice), at: $1) }
    case .precise(let app, let precise):
      each(app, at: now, &outputs) { $0.authorize(.precise(precise), at: $1) }
    case .restricted(let app, let restricted):
      policies.restricted.set(app, restricted)
      each(app, at: now, &outputs) { $0.authorize(.restriction(restricted), at: $1) }
    case .backgroundRefresh(let app, let allowed):
      policies.withoutRefresh.set(app, !allowed)
      each(app, at: now, &outputs) { coordinator, now in
        coordinator.change(at: now) { $0.allowsRefresh = allowed }
      }
    case .honorsQuit(let honors):
      policies.honorsQuit = honors
      for index in coordinators.indices {
        outputs += coordinators[index].change(at: now) { $0.honorsQuit = honors }
      }
    case .pauseNeedsRestart(let needs): settleServices(at: now) { $0.pauseNeedsRestart = needs }
    case .heartbeat(let heartbeat): settleServices(at: now) { $0.heartbeat = heartbeat }
    case .remindAfter(let days): policies.remindAfter = days
    case .stopped(let app):
      each(app, at: now, &outputs) { $0.hold(.lifecycle(.stopped), at: $1) }
    case .beaconOffset(let adapter, let offset):
      calibrate(adapter, offset, at: now, to: &outputs)
    case .beacon(let app, let permission):
      each(app, at: now, &outputs) { $0.authorize(.beacon(permission), at: $1) }
    case .reset:
      for index in coordinators.indices where !coordinators[index].app.isOwner {
        outputs += coordinators[index].authorize(.reset, at: now)
      }
    }
  }

  mutating func turnServices(on: Bool, at now: Moment, to outputs: inout [Output]) {
    servicesAreOn = on
    for index in coordinators.indices {
      outputs += coordinators[index].authorize(.services(on: on), at: now)
    }
  }

  /// Changes a setting for the services of all apps.
  private mutating func settleServices(at now: Moment, _ body: (inout ServiceSettings) -> Void) {
    body(&policies.services)
    for index in coordinators.indices { coordinators[index].settle(policies.services) }
  }

  /// Adopts which users have unlocked a session: apps of the others are not launched (LIFE-7).
  mutating func settleUnlocked(
    _ users: UnlockedUsers?, at now: Moment, to outputs: inout [Output]
  ) {
    policies.unlocked = users
    for index in coordinators.indices {
      let isUnlocked = policies.isUnlocked(coordinators[index].app)
      outputs += coordinators[index].change(at: now) { $0.isUnlocked = isUnlocked }
    }
  }

  /// After how many days of use in the background a person is reminded; `nil` for never (AUTH-38).
  package var remindAfter: Int? { policies.remindAfter }

  /// Whether an app uses Always now, while it is not in the foreground (AUTH-38).
  package func usesAlwaysUnseen(_ app: AppIdentity) -> Bool {
    guard let index = coordinatorIndex(of: app) else { return false }
    return coordinators[index].authorization.record.grant == .always
      && coordinators[index].life != .foreground
  }

  /// Delivers the state of beacon regions that ask for it when the display of a user turns on
  /// (BEACON-24). Several signs that one display turned on count once.
  mutating func turnOnDisplay(
    of user: UInt32?, at now: Moment, to outputs: inout [Output]
  ) {
    displays = displays.filter { now.uptime - $0.value < Self.displayPause }
    guard displays[user] == nil else { return }
    displays[user] = now.uptime
    carry(conditions.handle(.display(user: user), at: now), at: now, to: &outputs)
  }

  /// Chosen: shorter than a person leaves a display off.
  private static let displayPause = Duration.seconds(5)

  /// Whether a beacon region asks for events when the display turns on (BEACON-24).
  package var watchesDisplay: Bool {
    conditions.watchedBeacons.contains { conditions.asksForDisplay($0.key) }
  }
}
