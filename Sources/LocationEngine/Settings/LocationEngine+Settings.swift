import LocationModel

// What a person or the owner changes.
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
    case .stopped(let app):
      each(app, at: now, &outputs) { $0.hold(.presence(.stopped), at: $1) }
    case .beacon(let app, let permission):
      each(app, at: now, &outputs) { $0.authorize(.beacon(permission), at: $1) }
    case .beaconOffset(let adapter, let offset):
      calibrate(adapter, offset, at: now, to: &outputs)
    case .reset:
      for index in coordinators.indices {
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
}
