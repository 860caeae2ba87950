import LocationModel

extension AppCoordinator {
  mutating func handle(
    _ request: HeadingRequest, of subscriber: SubscriberID, _ client: ClientID, at now: Moment
  ) -> [Output] {
    let index = heading.index(of: subscriber, client) ?? addHeading(subscriber, client, at: now)
    switch request {
    case .start(let options):
      return change(index, options, at: now) + tellHeading(index, .start, at: now)
    case .change(let options): return change(index, options, at: now)
    case .stop: return tellHeading(index, .stop, at: now)
    case .calibrationAnswer(let answer):
      return tellHeading(index, .calibrationAnswer(answer), at: now)
    case .dismissCalibration: return tellHeading(index, .dismissCalibration, at: now)
    }
  }

  private mutating func addHeading(
    _ subscriber: SubscriberID, _ client: ClientID, at now: Moment
  ) -> Int {
    let service = HeadingService(
      app: app, isFirst: !hasAskedHeading, isAvailable: world.equipment.hasCompass)
    let index = heading.add(subscriber, client, service)
    _ = heading.entries[index].service.handle(.suspended(!verdicts.heading.flows), at: now)
    return index
  }

  private mutating func change(
    _ index: Int, _ options: HeadingOptions, at now: Moment
  ) -> [Output] {
    tellHeading(index, .filter(options.filter), at: now)
      + tellHeading(index, .orientation(options.orientation), at: now)
  }

  private mutating func tellHeading(
    _ index: Int, _ input: HeadingService.Input, at now: Moment
  ) -> [Output] {
    let entry = heading.entries[index]
    return heading.entries[index].service.handle(input, at: now).flatMap { output -> [Output] in
      switch output {
      case .deliver(let heading):
        post(.heading(entry.subscriber, .heading(heading)), to: entry.client)
      case .fail: post(.heading(entry.subscriber, .failed), to: entry.client)
      case .askCalibration: post(.heading(entry.subscriber, .askCalibration), to: entry.client)
      case .showCalibration: [.calibration(app, true)]
      case .hideCalibration: [.calibration(app, false)]
      case .store(let change): noteAsked(change)
      case .ignored: []
      }
    }
  }

  private mutating func noteAsked(_ change: StateChange) -> [Output] {
    hasAskedHeading = true
    return [.persist(change)]
  }

  mutating func endHeading(
    _ subscriber: SubscriberID, _ client: ClientID, at now: Moment
  ) -> [Output] {
    guard let index = heading.index(of: subscriber, client) else { return [] }
    defer { heading.remove(subscriber, client) }
    return tellHeading(index, .stop, at: now)
  }

  mutating func tellHeadings(_ input: HeadingService.Input, at now: Moment) -> [Output] {
    heading.entries.indices.flatMap { tellHeading($0, input, at: now) }
  }

  /// Delivers a sample; with true north only to managers that run location updates (HEAD-4).
  mutating func take(_ sample: HeadingSample, at now: Moment, to outputs: inout [Output]) {
    for index in heading.entries.indices {
      let entry = heading.entries[index]
      guard entry.service.needsMagnetometer else { continue }
      let degrees = knowsTrueNorth(entry.subscriber, entry.client) ? declination(at: now) : nil
      _ = heading.entries[index].service.handle(.declination(degrees), at: now)
      outputs += tellHeading(index, .sample(sample), at: now)
    }
  }

  private func knowsTrueNorth(_ subscriber: SubscriberID, _ client: ClientID) -> Bool {
    guard authorization.isEffective, let index = standard.index(of: subscriber, client) else {
      return false
    }
    return standard.entries[index].service.isRunning
  }

  private mutating func declination(at now: Moment) -> Double? {
    localDeclination.degrees(at: visible, time: now.unixTime)
  }

  /// Delivers changed equipment to every process; headings fail without a compass.
  mutating func settle(_ equipment: Equipment, at now: Moment) -> [Output] {
    guard equipment != world.equipment else { return [] }
    world.equipment = equipment
    let news = clients.map { Output.deliver($0, .state(state)) }
    return news + tellHeadings(.available(equipment.hasCompass), at: now)
  }
}
