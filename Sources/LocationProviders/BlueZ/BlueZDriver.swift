import LocationModel

/// Receives and sends beacons through `bluetoothd`; connects to the bus only while it is needed.
struct BlueZDriver: SourceDriver {
  /// State shared by scanner and advertiser, which number their calls independently.
  private struct BusState: Sendable {
    enum Owner: Sendable {
      case scanner, advertiser
    }

    private var subscribed: Set<BusMatch> = []
    private var calls: [Int: (owner: Owner, number: Int)] = [:]
    private var lastCall = 0

    /// Returns the action as sent on the bus; `nil` for a subscription that exists already.
    mutating func send(_ action: BusAction, of owner: Owner) -> BusAction? {
      switch action {
      case .call(let number, let call):
        lastCall += 1
        calls[lastCall] = (owner, number)
        return .call(lastCall, call)
      case .subscribe(let match): return subscribed.insert(match).inserted ? action : nil
      case .unsubscribe(let match): return subscribed.remove(match) == nil ? nil : action
      case .export, .withdraw, .emit: return action
      }
    }

    /// Returns which of the two made a call, and its own number of it.
    mutating func take(_ number: Int) -> (owner: Owner, number: Int)? {
      calls.removeValue(forKey: number)
    }

    /// Forgets the calls of one of the two; later replies are ignored.
    mutating func forget(_ owner: Owner) {
      calls = calls.filter { $0.value.owner != owner }
    }
  }

  private var channel = KeptChannel(.systemBus)
  /// `nil` while there is no bus.
  private var bus: BusState?
  private var scan = BeaconScan.off
  private var advert: IBeaconAdvert?
  /// `nil` while no client needs beacons, and while there is no bus.
  private var scanner: BlueZScanner?
  /// `nil` while this computer does not advertise, and while there is no bus.
  private var advertiser: BlueZAdvertiser?
  /// Messages on the bus that were rejected, counted by reason.
  private var refusals: [BusRefusal: Int] = [:]

  var rejections: [SourceRejection] {
    let counts = [
      ("advertisements of no beacon", scanner?.otherAdvertisements ?? 0),
      ("beacons beyond those that are followed", scanner?.otherBeacons ?? 0),
      ("devices forgotten for newer ones", scanner?.forgottenDevices ?? 0),
    ]
    let unknownSenders = refusals.sorted { $0.key < $1.key }.map { ("\($0.key)", $0.value) }
    return (counts + unknownSenders).filter { $0.1 > 0 }.map {
      SourceRejection(reason: $0.0, count: $0.1)
    }
  }

  var evidence: SourceEvidence {
    var evidence = SourceEvidence()
    evidence.bluetooth = scanner?.evidence
    return evidence
  }

  var nextDeadline: Instant? {
    earliest(
      channel.nextAttempt, earliest(scanner?.nextDeadline, advertiser?.nextDeadline))
  }

  mutating func handle(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    switch input {
    case .stored: return [.reception(.listening)]
    case .demand(let demand): return settle(demand, at: now)
    case .channel(.opened):
      channel.noteOpened()
      bus = BusState()
      return settleScanner(at: now) + settleAdvertiser(at: now)
    case .channel(.bus(let event)): return receive(event, at: now)
    case .channel(.closed(let end)): return close(end, at: now)
    case .wake: return wake(at: now)
    case .channel, .kernel, .scan: return []
    }
  }

  // MARK: Demand

  private mutating func settle(_ demand: Demand, at now: Moment) -> [SourceOutput] {
    guard (demand.beacons, demand.advert) != (scan, advert) else { return [] }
    (scan, advert) = (demand.beacons, demand.advert)
    let changes = bus == nil ? [] : settleScanner(at: now) + settleAdvertiser(at: now)
    let isNeeded = scan != .off || advert != nil
    if !isNeeded { bus = nil }
    return changes + channel.settle(needed: isNeeded)
  }

  private mutating func settleScanner(at now: Moment) -> [SourceOutput] {
    if scan == .off {
      guard scanner != nil else { return [] }
      let last = passToScanner(.scan(.off), at: now)
      scanner = nil
      bus?.forget(.scanner)
      // The adapter is checked again at the next scan; until then it counts as able to listen.
      return last + [.reception(.listening)]
    }
    guard scanner == nil else { return passToScanner(.scan(scan), at: now) }
    scanner = BlueZScanner()
    return passToScanner(.scan(scan), at: now) + passToScanner(.bus(.connected), at: now)
  }

  private mutating func settleAdvertiser(at now: Moment) -> [SourceOutput] {
    guard let advert else {
      let last = passToAdvertiser(.stop, at: now)
      advertiser = nil
      bus?.forget(.advertiser)
      return last
    }
    guard advertiser == nil else { return passToAdvertiser(.advertise(advert), at: now) }
    advertiser = BlueZAdvertiser()
    return passToAdvertiser(.bus(.connected), at: now)
      + passToAdvertiser(.advertise(advert), at: now)
  }

  // MARK: The bus

  private mutating func receive(_ event: BusEvent, at now: Moment) -> [SourceOutput] {
    if case .refused(let reason, let count) = event {
      refusals[reason, default: 0] += count
      return []
    }
    guard case .reply(let number, let reply) = event else {
      return passToScanner(.bus(event), at: now) + passToAdvertiser(.bus(event), at: now)
    }
    guard let call = bus?.take(number) else { return [] }
    switch call.owner {
    case .scanner: return passToScanner(.bus(.reply(call.number, reply)), at: now)
    case .advertiser: return passToAdvertiser(.bus(.reply(call.number, reply)), at: now)
    }
  }

  private mutating func close(_ end: ChannelEnd, at now: Moment) -> [SourceOutput] {
    (scanner, advertiser, bus) = (nil, nil, nil)
    return channel.lose(end, at: now) + (scan == .off ? [] : [.reception(.unavailable)])
      + (advert == nil ? [] : [.advertising(.unavailable)])
  }

  private mutating func wake(at now: Moment) -> [SourceOutput] {
    channel.wake(at: now) + passToScanner(.wake, at: now) + passToAdvertiser(.wake, at: now)
  }

  private mutating func send(_ action: BusAction, of owner: BusState.Owner) -> [SourceOutput] {
    guard let sent = bus?.send(action, of: owner) else { return [] }
    return [.bus(sent)]
  }

  // MARK: Scanner and advertiser

  private mutating func passToScanner(
    _ input: BlueZScanner.Input, at now: Moment
  ) -> [SourceOutput] {
    guard let outputs = scanner?.handle(input, at: now) else { return [] }
    return outputs.flatMap { output -> [SourceOutput] in
      switch output {
      case .bus(let action): send(action, of: .scanner)
      case .observation(let sample): [.beacon(sample)]
      case .reception(let reception): receive(reception)
      }
    }
  }

  private mutating func receive(_ reception: BeaconReception) -> [SourceOutput] {
    channel.noteSuccess()
    return channel.report(ProviderStatus(reception)) + [.reception(reception)]
  }

  private mutating func passToAdvertiser(
    _ input: BlueZAdvertiser.Input, at now: Moment
  ) -> [SourceOutput] {
    guard let outputs = advertiser?.handle(input, at: now) else { return [] }
    return outputs.flatMap { output -> [SourceOutput] in
      switch output {
      case .bus(let action): send(action, of: .advertiser)
      case .changed(let state): receive(state)
      }
    }
  }

  private mutating func receive(_ state: BeaconAdvertising) -> [SourceOutput] {
    channel.noteSuccess()
    return (ProviderStatus(state).map { channel.report($0) } ?? []) + [.advertising(state)]
  }
}

extension ProviderStatus {
  fileprivate init(_ reception: BeaconReception) {
    switch reception {
    case .listening: self = .working
    case .unavailable:
      self = .unavailable(.missing("there is no Bluetooth adapter that is switched on"))
    case .failing: self = .unavailable(.noPermission("the Bluetooth adapter refuses to scan"))
    }
  }

  /// `nil` for a state without a statement about the adapter.
  fileprivate init?(_ state: BeaconAdvertising) {
    switch state {
    case .stopped, .waiting: return nil
    case .advertising: self = .working
    case .unavailable:
      self = .unavailable(
        .missing("there is no Bluetooth adapter that is switched on and can advertise"))
    case .refused(let error):
      self = .unavailable(.noPermission("bluetoothd refuses to advertise: \(error)"))
    }
  }
}
