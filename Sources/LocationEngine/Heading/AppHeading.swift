import LocationModel

/// The headings of one app: its subscribers, and what they share.
struct AppHeading: Sendable {
  private let app: AppIdentity
  private(set) var subscribers = Subscribers<HeadingService>()
  /// Whether the app has asked for headings before, in this or an earlier process (HEAD-9).
  private(set) var hasAsked = false
  /// Whether there is a compass (HEAD-2).
  private var isAvailable = false
  /// Whether the app is suspended (HEAD-10).
  private var isSuspended = false
  private var localDeclination = LocalDeclination()

  init(app: AppIdentity) { self.app = app }

  mutating func restore(_ stored: [StateEntry]) {
    hasAsked = stored.contains { $0.key == HeadingService.key(of: app) }
  }

  var isEmpty: Bool { subscribers.isEmpty }

  /// Whether the calibration display is shown for one of its managers (HEAD-9).
  var calibrates: Bool { subscribers.entries.contains { $0.service.showsCalibration } }

  @inline(__always)
  var needsMagnetometer: Bool { subscribers.entries.contains { $0.service.needsMagnetometer } }

  mutating func handle(
    _ request: HeadingRequest, of subscriber: SubscriberID, _ client: ClientID, at now: Moment
  ) -> [AppOutput] {
    let index = subscribers.index(of: subscriber, client) ?? add(subscriber, client)
    switch request {
    case .start(let options): return change(index, options, at: now) + step(index, .start, at: now)
    case .change(let options): return change(index, options, at: now)
    case .stop: return step(index, .stop, at: now)
    case .calibrationAnswer(let answer):
      return step(index, .calibrationAnswer(answer), at: now)
    case .dismissCalibration: return step(index, .dismissCalibration, at: now)
    }
  }

  private mutating func add(_ subscriber: SubscriberID, _ client: ClientID) -> Int {
    let service = HeadingService(
      app: app, isFirst: !hasAsked, isAvailable: isAvailable, isSuspended: isSuspended)
    return subscribers.add(subscriber, client, service)
  }

  private mutating func change(
    _ index: Int, _ options: HeadingOptions, at now: Moment
  ) -> [AppOutput] {
    step(index, .filter(options.filter), at: now)
      + step(index, .orientation(options.orientation), at: now)
  }

  private mutating func step(
    _ index: Int, _ input: HeadingService.Input, at now: Moment
  ) -> [AppOutput] {
    let entry = subscribers.entries[index]
    func post(_ delivery: HeadingDelivery) -> [AppOutput] {
      [.post(.heading(entry.subscriber, delivery), to: entry.client)]
    }
    return subscribers.entries[index].service.handle(input, at: now).flatMap {
      output -> [AppOutput] in
      switch output {
      case .deliver(let heading): return post(.heading(heading))
      case .fail: return post(.failed)
      case .askCalibration: return post(.askCalibration)
      case .showCalibration: return [.engine(.calibration(app, true))]
      case .hideCalibration: return [.engine(.calibration(app, false))]
      case .store(let change):
        hasAsked = true
        return [.engine(.persist(change))]
      case .ignored: return []
      }
    }
  }

  private mutating func stepAll(_ input: HeadingService.Input, at now: Moment) -> [AppOutput] {
    subscribers.entries.indices.flatMap { step($0, input, at: now) }
  }

  mutating func end(
    _ subscriber: SubscriberID, _ client: ClientID, at now: Moment
  ) -> [AppOutput] {
    guard let index = subscribers.index(of: subscriber, client) else { return [] }
    defer { subscribers.remove(subscriber, client) }
    return step(index, .stop, at: now)
  }

  mutating func removeAll(of client: ClientID) { subscribers.removeAll(of: client) }

  mutating func suspend(_ isSuspended: Bool, at now: Moment) -> [AppOutput] {
    self.isSuspended = isSuspended
    return stepAll(.suspended(isSuspended), at: now)
  }

  /// Notes whether there is a compass; without one, headings fail.
  mutating func setAvailable(_ isAvailable: Bool, at now: Moment) -> [AppOutput] {
    self.isAvailable = isAvailable
    return stepAll(.available(isAvailable), at: now)
  }

  /// Delivers a sample; with true north at `place` only to subscribers that may know it (HEAD-4).
  mutating func take(
    _ sample: HeadingSample, at place: Fix?, _ now: Moment,
    knowsTrueNorth: (Subscribers<HeadingService>.Entry) -> Bool
  ) -> [AppOutput] {
    subscribers.entries.indices.flatMap { index -> [AppOutput] in
      let entry = subscribers.entries[index]
      guard entry.service.needsMagnetometer else { return [] }
      let degrees =
        knowsTrueNorth(entry) ? localDeclination.degrees(at: place, time: now.unixTime) : nil
      return step(index, .declination(degrees), at: now) + step(index, .sample(sample), at: now)
    }
  }
}
