import LocationModel

/// Asks the modems of this computer, through ModemManager, which cells they receive and, while
/// positions of satellites are needed, what their satellite receivers know.
///
/// It connects to the bus only while positions are needed. Nothing is asked of a server: assistance
/// data is never requested. A file of it that the owner names is given to the receiver that is used.
struct ModemDriver: SourceDriver {
  private enum State: Hashable, Sendable {
    case idle
    case opening
    case open
    /// There is no bus; the next attempt is at `until`.
    case waiting(until: Instant)
  }

  /// Who asked, and what.
  private enum Call: Hashable, Sendable {
    case list
    case modem(String, ModemSession.Question)
  }

  private var state = State.idle
  private var demand: PositionDemand?
  private var survey = ModemSurvey()
  /// What was set up for us, by the paths of the modems, as it is stored.
  private var added: [String: UInt32] = [:]
  private var sessions: [String: ModemSession] = [:]
  /// The modems that have reported cells since the bus is open.
  private var reporting: Set<String> = []
  private var calls: [Int: Call] = [:]
  private var lastCall = 0
  /// The sentences of the first modem with a receiver that may be used.
  private var listener = NMEAListener(origin: Fix.Origin())
  /// The path of that modem.
  private var receiver: String?
  /// Whether there were sentences since this modem is used.
  private var hasSentences = false
  private var hasFix = false
  private var retry = Retry()
  private var status = ProviderStatus.idle
  private var counts: [ModemRejection: Int] = [:]
  private var refusals: [BusRefusal: Int] = [:]
  /// `nil` where the owner names no file.
  private var assistance: ModemAssistance?

  /// - Parameter assistance: the path of a file of assistance data; `nil` for none.
  init(assistance: String? = nil) {
    self.assistance = assistance.map { ModemAssistance(path: $0) }
  }

  // MARK: For a person

  var rejections: [SourceRejection] {
    var counts = counts
    if survey.dropped > 0 { counts[.modems] = survey.dropped }
    let senders = refusals.sorted { $0.key < $1.key }.map {
      SourceRejection(reason: "\($0.key)", count: $0.value)
    }
    return SourceRejection.list(counts) + (assistance?.rejections ?? []) + senders
      + listener.rejections
  }

  var evidence: SourceEvidence {
    var evidence = hasSentences ? listener.evidence : SourceEvidence()
    let cells = sessions.values.reduce(0) { $0 + $1.cellCount }
    if cells > 0 { evidence.cells = cells }
    evidence.assistance = assistance?.outcome
    return evidence
  }

  var sky: [Satellite] { listener.sky }

  var nextDeadline: Instant? {
    switch state {
    case .idle, .opening: nil
    case .waiting(let until): until
    case .open:
      sessions.values.reduce(earliest(listener.nextDeadline, assistance?.nextDeadline)) {
        earliest($0, $1.nextDeadline)
      }
    }
  }

  // MARK: Inputs

  mutating func handle(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    switch input {
    case .demand(let demand):
      guard demand.position != self.demand else { return [] }
      self.demand = demand.position
      return settle(at: now)
    case .channel(.opened):
      state = .open
      survey = ModemSurvey()
      return ModemSurvey.matches.map { .bus(.subscribe($0)) } + call(.list, ModemSurvey.list)
    case .channel(.bus(.refused(let reason, let count))):
      refusals[reason, default: 0] += count
      return []
    case .channel(.bus(.reply(let number, let reply))): return take(reply, to: number, at: now)
    case .channel(.bus(.signal(let signal))):
      guard state == .open else { return [] }
      let isNew = survey.take(signal)
      return (isNew ? call(.list, ModemSurvey.list) : []) + settle(at: now)
    case .channel(.closed(let end)): return close(end, at: now)
    case .wake: return wake(at: now)
    case .stored(let entries):
      for entry in entries where entry.key.domain == Self.domain {
        added[entry.key.name] = UInt32(String(decoding: entry.value, as: UTF8.self))
      }
      return settle(at: now)
    case .kernel(let event): return takeFile(event, at: now)
    case .channel, .scan: return []
    }
  }

  /// Takes the file of assistance data, and gives it to the modem whose receiver is used.
  private mutating func takeFile(_ event: ChannelEvent, at now: Moment) -> [SourceOutput] {
    let data = assistance?.take(event, at: now.uptime)
    let isOver = if case .contents = event { true } else { false }
    let last: [SourceOutput] = isOver ? [.closeKernel] : []
    guard let data, let receiver else { return last }
    let decisions = sessions[receiver]?.offer(data, at: now.uptime)
    return last + pass(decisions, of: receiver, at: now)
  }

  private mutating func wake(at now: Moment) -> [SourceOutput] {
    if case .waiting(let until) = state { return now.uptime >= until ? open() : [] }
    var outputs: [SourceOutput] = []
    if isDue(listener.nextDeadline, now) { outputs += listen(.wake, at: now) }
    outputs += assistance?.wake(at: now) ?? []
    for path in sessions.keys.sorted() {
      let decisions = sessions[path]?.wake(at: now.uptime)
      outputs += pass(decisions, of: path, at: now)
    }
    return outputs + report()
  }

  private mutating func take(
    _ reply: BusReply, to number: Int, at now: Moment
  ) -> [SourceOutput] {
    switch calls.removeValue(forKey: number) {
    case nil: return []
    case .list:
      survey.take(list: reply)
      return settle(at: now)
    case .modem(let path, let question):
      if case .assistance = question, path == receiver { assistance?.take(reply) }
      let decisions = sessions[path]?.take(question, reply, at: now.uptime)
      return pass(decisions, of: path, at: now) + rest() + report()
    }
  }

  private mutating func close(_ end: ChannelEnd, at now: Moment) -> [SourceOutput] {
    let last = forget()
    guard demand != nil else {
      added = [:]
      state = .idle
      return last + report()
    }
    state = .waiting(until: retry.next(after: now.uptime))
    return last + status.change(to: .unavailable(end.reason))
  }

  // MARK: Demand

  /// Brings the bus and all modems in line with the demand.
  private mutating func settle(at now: Moment) -> [SourceOutput] {
    switch state {
    case .idle: return demand == nil && added.isEmpty ? [] : open()
    case .opening, .waiting:
      guard demand == nil else { return [] }
      let wasOpening = state == .opening
      let last = forget()
      state = .idle
      retry.reset()
      return last + report() + (wasOpening ? [.close] : [])
    case .open: return settleModems(at: now) + rest() + report()
    }
  }

  private mutating func open() -> [SourceOutput] {
    state = .opening
    if case .unavailable = status { return [.open(.systemBus)] }
    if demand == nil { return [.open(.systemBus)] }
    return status.change(to: .searching) + [.open(.systemBus)]
  }

  private mutating func settleModems(at now: Moment) -> [SourceOutput] {
    var outputs: [SourceOutput] = []
    for path in sessions.keys.sorted() where survey.modems[path] == nil {
      sessions[path] = nil
      guard reporting.remove(path) != nil else { continue }
      outputs.append(.quiet(radio: path, isGone: true))
    }
    outputs += chooseReceiver(at: now)
    for (path, properties) in survey.modems.sorted(by: { $0.key < $1.key }) {
      let left = added[path] ?? 0
      sessions[path, default: ModemSession(properties, added: left)].update(properties)
      let need = need(of: path, properties)
      let decisions = sessions[path]?.settle(need, at: now.uptime)
      outputs += pass(decisions, of: path, at: now)
    }
    return outputs
  }

  /// What is needed of a modem.
  private func need(of path: String, _ properties: ModemProperties) -> ModemNeed {
    guard let demand else { return .none }
    return ModemNeed(
      cells: properties.lack == nil ? max(demand.interval, Self.cellInterval) : nil,
      satellites: path == receiver ? max(demand.interval, Self.satelliteInterval) : nil)
  }

  /// Chooses the modem whose satellite receiver is used, where positions of satellites are needed.
  private mutating func chooseReceiver(at now: Moment) -> [SourceOutput] {
    let isNeeded = demand.map { $0.tier >= .satellite } ?? false
    let candidates = survey.modems.filter(\.value.hasReceiver).keys.sorted()
    let chosen = isNeeded ? candidates.first : nil
    let takes = chosen.flatMap { survey.modems[$0]?.takesAssistance } ?? false
    let file = assistance?.settle(chosen, takes: takes) ?? []
    guard chosen != receiver else { return file }
    let last = receiver == nil ? [] : listen(.closed, at: now)
    (receiver, hasFix) = (chosen, false)
    return file + last + (chosen == nil ? [] : listen(.opened, at: now))
  }

  /// Closes the bus when nothing is needed, and nothing is left to be switched off.
  private mutating func rest() -> [SourceOutput] {
    guard state == .open, demand == nil, survey.isSettled || added.isEmpty,
      sessions.values.allSatisfy(\.isResting)
    else { return [] }
    // What is left belongs to modems that are gone.
    let changes = added.keys.sorted().map { SourceOutput.store(.remove(Self.key($0))) }
    added = [:]
    let last = forget()
    state = .idle
    retry.reset()
    return changes + last + [.close]
  }

  /// Stores what is set up for us, so that a later run can take it away if this one does not.
  private mutating func keep(_ bits: UInt32, of path: String) -> [SourceOutput] {
    guard bits != added[path] ?? 0 else { return [] }
    added[path] = bits == 0 ? nil : bits
    guard bits != 0 else { return [.store(.remove(Self.key(path)))] }
    return [.store(.set(Self.key(path), [UInt8](String(bits).utf8)))]
  }

  private static func key(_ path: String) -> StateKey {
    StateKey(domain: domain, owner: "", name: path)
  }

  /// Forgets everything of the bus; returns what ends the reading of a file.
  private mutating func forget() -> [SourceOutput] {
    (sessions, calls, receiver, hasFix) = ([:], [:], nil, false)
    survey = ModemSurvey()
    reporting = []
    return assistance?.settle(nil, takes: false) ?? []
  }

  // MARK: Modems

  private mutating func pass(
    _ decisions: [ModemSession.Output]?, of path: String, at now: Moment
  ) -> [SourceOutput] {
    (decisions ?? []).flatMap { decision -> [SourceOutput] in
      switch decision {
      case .ask(let question):
        return call(.modem(path, question), Self.call(question, path))
      case .cells(let readings):
        reporting.insert(path)
        return [.scan(RadioScan(readings, time: now.unixTime, radio: path))]
      case .noCells: return [.quiet(radio: path, isGone: false)]
      case .sentences(let bytes):
        guard path == receiver else { return [] }
        hasSentences = true
        return listen(.datagram(bytes), at: now)
      case .added(let bits): return keep(bits, of: path)
      case .rejected(let reason):
        counts[reason, default: 0] += 1
        return []
      }
    }
  }

  private mutating func listen(_ input: NMEAReceiver.Input, at now: Moment) -> [SourceOutput] {
    let seen = listener.receive(input, at: now)
    guard seen.contains(where: \.isFix) else { return seen }
    hasFix = true
    return report() + seen
  }

  private mutating func call(_ call: Call, _ action: BusCall) -> [SourceOutput] {
    lastCall += 1
    calls[lastCall] = call
    return [.bus(.call(lastCall, action))]
  }

  private static func call(_ question: ModemSession.Question, _ path: String) -> BusCall {
    func ask(_ interface: String, _ member: String, _ reply: String?) -> BusCall {
      BusCall(ModemService.service, path: path, interface: interface, member: member, reply: reply)
    }
    switch question {
    case .enabled:
      return ask("org.freedesktop.DBus.Properties", "Get", "v")
        .with(.string(ModemService.location), .string("Enabled"))
    case .setup(let bits):
      // With signals, everybody on the bus could read the position.
      return ask(ModemService.location, "Setup", nil).with(.uint32(bits), .boolean(false))
    case .location: return ask(ModemService.location, "GetLocation", "a{uv}")
    case .cells: return ask(ModemService.modem, "GetCellInfo", "aa{sv}")
    case .assistance(let data):
      return ask(ModemService.location, "InjectAssistanceData", nil).with(.bytes(data))
    }
  }

  // MARK: Status

  private mutating func report() -> [SourceOutput] {
    guard demand != nil else { return status.change(to: .idle) }
    guard state == .open else { return [] }
    return status.change(to: present)
  }

  /// The status while modems are asked.
  private var present: ProviderStatus {
    guard survey.isSettled else { return .searching }
    if hasFix || sessions.values.contains(where: { $0.cellCount > 0 }) { return .working }
    if let lack = survey.lack { return .unavailable(lack.reason) }
    let lacks = sessions.map { path, session -> ModemLack? in
      if session.isRefused { return .permission }
      return path == receiver ? nil : session.properties.lack
    }
    guard !lacks.contains(nil), let lack = lacks.compactMap(\.self).max() else {
      return .searching
    }
    return .unavailable(lack.reason)
  }

  /// The domain of the stored state.
  static let domain = "modem"
  /// Chosen: a modem reports its cells every few seconds at most.
  private static let cellInterval = Duration.seconds(10)
  /// Receivers solve once a second.
  private static let satelliteInterval = Duration.seconds(1)
}
