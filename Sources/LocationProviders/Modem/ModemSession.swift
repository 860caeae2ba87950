import LocationModel

/// How often a modem is asked; `nil` for what is not needed.
struct ModemNeed: Hashable, Sendable {
  var cells: Duration?
  /// The positions of its satellite receiver.
  var satellites: Duration?

  static let none = ModemNeed()
}

/// Asks one modem for cells and for the sentences of its satellite receiver, as often as needed.
///
/// What is set up for that is added to what other programs have set up, and only that is taken away
/// at the end.
///
/// | state | input | next |
/// |---|---|---|
/// | resting | a need | reading, if something must be set up; polling |
/// | reading | what is set up | setting up, if that differs from the need; polling, or resting |
/// | setting up | the answer | polling, or resting |
/// | polling | assistance data | giving |
/// | giving | the answer | polling |
/// | polling | the answers | waiting |
/// | waiting | its time; another need | polling; reading |
struct ModemSession: Sendable {
  /// A call to the modem.
  enum Question: Hashable, Sendable {
    /// What is set up at present.
    case enabled
    /// Sets up exactly this.
    case setup(UInt32)
    case location
    case cells
    /// Gives assistance data to the satellite receiver.
    case assistance([UInt8])
  }

  enum Output: Hashable, Sendable {
    case ask(Question)
    case cells([RadioScan.Reading])
    /// No cell is received any more, or none is asked for.
    case noCells
    case sentences([UInt8])
    /// What is set up for us has changed to this.
    case added(UInt32)
    case rejected(ModemRejection)
  }

  private enum State: Hashable, Sendable {
    /// Nothing is needed, and nothing is set up for us.
    case resting
    case reading
    /// Sets up `target` where `before` was set up.
    case settingUp(target: UInt32, before: UInt32)
    /// Gives assistance data.
    case giving
    case polling(Question)
    case waiting(until: Instant)
  }

  private(set) var properties: ModemProperties
  /// What was set up, as ModemManager announced it last.
  private var announced: UInt32
  private var state = State.resting
  private var need = ModemNeed.none
  /// The bits that were set up for us, and not by others.
  private var added: UInt32 = 0
  /// The cells of the present poll.
  private var cells = ModemCells()
  private var hasCellList = true
  /// Assistance data that the receiver is still to be given.
  private var assistance: [UInt8]?
  private var nextCells = Instant.start
  private var nextSatellites = Instant.start
  /// When it may be set up again after a refusal.
  private var nextSetup = Instant.start
  /// Whether ModemManager refused the last attempt to set something up for lack of permission.
  private var isSetupRefused = false
  /// Whether it refused the last question so.
  private var isPollRefused = false
  /// The number of cells of the last poll for them.
  private(set) var cellCount = 0

  /// Begins; `added` is what an earlier run has set up and not taken away.
  init(_ properties: ModemProperties, added: UInt32 = 0) {
    self.properties = properties
    announced = properties.enabled
    self.added = added
  }

  /// Takes what ModemManager has announced; what was read since is newer.
  mutating func update(_ properties: ModemProperties) {
    let enabled = properties.enabled == announced ? self.properties.enabled : properties.enabled
    (self.properties, announced) = (properties, properties.enabled)
    self.properties.enabled = enabled
  }

  /// Whether ModemManager does not permit what is needed.
  var isRefused: Bool { isSetupRefused || isPollRefused }

  /// Whether nothing has to be done before the bus is closed.
  var isResting: Bool { state == .resting }

  var nextDeadline: Instant? {
    guard case .waiting(let until) = state else { return nil }
    return until
  }

  // MARK: Inputs

  mutating func settle(_ need: ModemNeed, at now: Instant) -> [Output] {
    let isLeft = state == .resting && added != 0
    guard need != self.need || isLeft else { return [] }
    if self.need.cells.map({ $0 > need.cells ?? .zero }) ?? true { nextCells = now }
    if self.need.satellites.map({ $0 > need.satellites ?? .zero }) ?? true { nextSatellites = now }
    self.need = need
    if need.satellites == nil { assistance = nil }
    let ended = need.cells == nil ? count(cells: 0) : []
    switch state {
    case .resting, .waiting: return ended + advance(at: now)
    case .polling, .giving: return ended + (need == .none ? advance(at: now) : [])
    case .reading, .settingUp: return ended
    }
  }

  /// Notes how many cells are received, and whether they have ended.
  private mutating func count(cells: Int) -> [Output] {
    defer { cellCount = cells }
    return cells == 0 && cellCount > 0 ? [.noCells] : []
  }

  /// Gives assistance data to the satellite receiver, as soon as it is on; nothing while it is not needed.
  mutating func offer(_ data: [UInt8], at now: Instant) -> [Output] {
    guard need.satellites != nil else { return [] }
    assistance = data
    guard case .waiting = state else { return [] }
    return advance(at: now)
  }

  mutating func wake(at now: Instant) -> [Output] {
    guard case .waiting(let until) = state, now >= until else { return [] }
    return advance(at: now)
  }

  mutating func take(_ question: Question, _ reply: BusReply, at now: Instant) -> [Output] {
    let faults = note(reply, to: question)
    switch (question, state) {
    case (.enabled, .reading): return faults + takeEnabled(reply, at: now)
    case (.setup(let asked), .settingUp(let target, let before)) where asked == target:
      return faults + takeSetup(target, before, reply, at: now)
    case (.location, .polling(.location)): return faults + takeLocation(reply, at: now)
    case (.cells, .polling(.cells)): return faults + takeCells(reply, at: now)
    case (.assistance, .giving): return advance(at: now)
    case (.enabled, _), (.setup, _), (.location, _), (.cells, _), (.assistance, _): return []
    }
  }

  // MARK: What is next

  private mutating func advance(at now: Instant) -> [Output] {
    let isAtEnd = need == .none && added != 0
    if isAtEnd || target(properties.enabled) != properties.enabled && now >= nextSetup {
      state = .reading
      return [.ask(.enabled)]
    }
    if isReceiverOn, let data = assistance.take() {
      state = .giving
      return [.ask(.assistance(data))]
    }
    let dueCells = need.cells.map { _ in nextCells }
    guard let due = earliest(dueCells, need.satellites.map { _ in nextSatellites }) else {
      state = .resting
      return []
    }
    guard now >= due else {
      state = .waiting(until: due)
      return []
    }
    cells = ModemCells()
    state = .polling(.location)
    return [.ask(.location)]
  }

  /// Whether the satellite receiver is needed and on, and no other program reads its port.
  private var isReceiverOn: Bool {
    let bits = ModemService.Source.sentences | ModemService.Source.unmanaged
    return need.satellites != nil && properties.enabled & bits == ModemService.Source.sentences
  }

  /// What must be set up, if this is at present.
  private func target(_ enabled: UInt32) -> UInt32 {
    var wanted: UInt32 = 0
    if need.cells != nil { wanted |= ModemService.Source.cells }
    if need.satellites != nil, enabled & ModemService.Source.unmanaged == 0 {
      wanted |= ModemService.Source.sentences
    }
    wanted &= properties.capabilities ?? 0
    return (enabled | wanted) & ~(added & ~wanted)
  }

  private mutating func takeEnabled(_ reply: BusReply, at now: Instant) -> [Output] {
    guard let enabled = reply.first?.integer.flatMap({ UInt32(exactly: $0) }) else {
      return giveUp(at: now)
    }
    properties.enabled = enabled
    added &= enabled
    let target = target(enabled)
    guard target != enabled else {
      let isOver = need == .none
      if isOver { added = 0 }
      return (isOver ? [.added(0)] : []) + advance(at: now)
    }
    // Stored before it is set up: if this program ends now, its next run takes it away.
    state = .settingUp(target: target, before: enabled)
    return [.added(added | target & ~enabled), .ask(.setup(target))]
  }

  private mutating func takeSetup(
    _ target: UInt32, _ before: UInt32, _ reply: BusReply, at now: Instant
  ) -> [Output] {
    guard case .values = reply else { return giveUp(at: now) }
    added = (added | target & ~before) & target
    properties.enabled = target
    nextSetup = now + Self.setupPause
    return [.added(added)] + advance(at: now)
  }

  /// Goes on with what is set up, and tries again later.
  private mutating func giveUp(at now: Instant) -> [Output] {
    nextSetup = now + Self.pause
    if need == .none {
      added = 0
      state = .resting
      return [.added(0)]
    }
    return [.added(added)] + advance(at: now)
  }

  // MARK: Polls

  private mutating func takeLocation(_ reply: BusReply, at now: Instant) -> [Output] {
    var outputs: [Output] = []
    func entry(_ bit: UInt32) -> BusValue? {
      reply.first?.entries?.first { $0.key.integer == Int(bit) }?.value
    }
    if let interval = need.satellites, now >= nextSatellites {
      nextSatellites = now + interval
      if let text = entry(ModemService.Source.sentences)?.text {
        let bytes = [UInt8](text.utf8.prefix(Self.mostBytes))
        outputs.append(.sentences(bytes + [13, 10]))
        if text.utf8.count > Self.mostBytes { outputs.append(.rejected(.tooLong)) }
      }
    }
    if case .error = reply {
      (nextCells, nextSatellites) = (now + Self.pause, now + Self.pause)
      return outputs + advance(at: now)
    }
    guard need.cells != nil, now >= nextCells else { return outputs + advance(at: now) }
    if let text = entry(ModemService.Source.cells)?.text {
      cells.take(serving: text, of: properties)
    }
    guard hasCellList else { return outputs + finishCells(at: now) }
    state = .polling(.cells)
    return outputs + [.ask(.cells)]
  }

  private mutating func takeCells(_ reply: BusReply, at now: Instant) -> [Output] {
    if case .error(let name) = reply, Self.isUnsupported(name) { hasCellList = false }
    cells.take(reply.first?.elements ?? [])
    return finishCells(at: now)
  }

  private mutating func finishCells(at now: Instant) -> [Output] {
    nextCells = now + (need.cells ?? .zero)
    let ended = count(cells: cells.readings.count)
    let rejections = cells.rejections.map { Output.rejected($0) }
    let readings = cells.readings.isEmpty ? ended : [Output.cells(cells.readings)]
    return readings + rejections + advance(at: now)
  }

  /// Notes whether a call was permitted, and counts one that failed.
  private mutating func note(_ reply: BusReply, to question: Question) -> [Output] {
    var error: String?
    if case .error(let name) = reply { error = name }
    let isRefusal = [".Unauthorized", ".AccessDenied"].contains { error?.hasSuffix($0) ?? false }
    switch question {
    case .setup: isSetupRefused = isRefusal
    case .location: isPollRefused = isRefusal
    case .assistance: return []
    case .enabled, .cells: break
    }
    guard let name = error else { return [] }
    if isRefusal { return [.rejected(.refused)] }
    if Self.isUnsupported(name) { return [] }
    let isGone = name.hasSuffix(".NoReply") || name.hasSuffix(".UnknownObject")
    return [.rejected(isGone ? .noAnswer : .failed)]
  }

  private static func isUnsupported(_ name: String) -> Bool {
    name.hasSuffix(".Unsupported") || name.hasSuffix(".UnknownMethod")
  }

  /// Chosen: a modem that refuses, or does not answer, is asked once in half a minute.
  private static let pause = Duration.seconds(30)
  /// Chosen: another program that takes away what was set up is not fought.
  private static let setupPause = Duration.seconds(10)
  /// Bytes of one poll. Chosen: the sentences of one second with all satellites are 4,000.
  private static let mostBytes = 16_384
}
