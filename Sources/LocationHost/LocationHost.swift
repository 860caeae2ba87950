import Dispatch
package import LocationCore
package import LocationEngine
package import LocationModel
package import LocationProviders

/// Carries out what the engine and the providers decide: the one place that acts.
///
/// Everything happens on one serial queue, one job at a time, so clients hear of things in the
/// order in which they happened. No method waits.
package actor LocationHost: EngineLink {
  nonisolated package let line: HostQueue
  private var core: HostCore
  private var clients: [ClientID: @Sendable (Delivery) -> Void] = [:]
  private var nextClient: UInt64 = 1
  private var channels: [ChannelID: DescriptorChannel] = [:]
  private var buses: [ChannelID: BusConnection] = [:]
  private let places: HostPlaces
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  private var timer: (any DispatchSourceTimer)?
  private var armed: Instant?
  private let keeper: StateKeeper?
  private var recording: RecordingFile?
  private let prompter: (any PromptAgent)?
  private let journal: @Sendable (Note) -> Void

  nonisolated package var unownedExecutor: UnownedSerialExecutor { line.asUnownedSerialExecutor() }
  nonisolated package var now: Moment { HostClock.now }

  /// Starts an engine on this computer.
  package init(
    sources: [Source], keeper: StateKeeper? = nil, places: HostPlaces = HostPlaces(),
    prompter: (any PromptAgent)? = nil, recordingTo file: String? = nil,
    journal: @escaping @Sendable (Note) -> Void = { _ in }
  ) {
    line = HostQueue(label: "meridian.host")
    core = HostCore(sources: sources, secret: keeper?.secret() ?? .random(in: 0 ... .max))
    self.keeper = keeper
    self.places = places
    self.prompter = prompter
    self.journal = journal
    line.queue.async { [weak self] in self?.assumeIsolated { $0.begin(recordingTo: file) } }
  }

  /// Reads the state, and arms what wakes the host.
  private func begin(recordingTo file: String?) {
    if let file { record(to: file) }
    let timer = DispatchSource.makeTimerSource(queue: line.queue)
    timer.setEventHandler { [weak self] in self?.assumeIsolated { $0.wake() } }
    timer.activate()
    self.timer = timer
    keeper?.whenChangedOutside(on: line.queue) { [weak self] entries in
      self?.assumeIsolated { $0.step(.engine(.stored(entries))) }
    }
    step(.engine(.stored(keeper?.entries ?? [])))
  }

  isolated deinit {
    timer?.cancel()
    for channel in channels.values { channel.end() }
    for bus in buses.values { bus.end() }
    buffer.deallocate()
  }

  // MARK: Clients

  nonisolated package func connect(
    _ client: ClientDescription, receiving deliver: @escaping @Sendable (Delivery) -> Void
  ) -> (ClientID, ClientState) {
    line.queue.sync { assumeIsolated { $0.add(client, receiving: deliver) } }
  }

  /// Adds a client, for a caller that is on the queue already.
  func add(
    _ client: ClientDescription, receiving deliver: @escaping @Sendable (Delivery) -> Void
  ) -> (ClientID, ClientState) {
    let id = ClientID(nextClient)
    nextClient += 1
    clients[id] = deliver
    step(.engine(.client(id, .connected(client))))
    return (id, core.engine.state(of: id))
  }

  nonisolated package func send(_ request: Request, from client: ClientID) {
    enter { $0.take(request, from: client) }
  }

  nonisolated package func disconnect(_ client: ClientID) {
    enter { $0.remove(client) }
  }

  func take(_ request: Request, from client: ClientID) {
    step(.engine(.client(client, .request(request))))
  }

  func remove(_ client: ClientID) {
    step(.engine(.client(client, .disconnected)))
    clients[client] = nil
  }

  /// Whether the program may use the identity: the first one that does keeps it (SECURITY.md).
  func claim(_ identity: AppIdentity, by executable: String) -> Bool {
    guard let keeper else { return true }
    return keeper.claim(identity, by: executable, noting: journal)
  }

  /// Hands the engine an input of the person or the system: a setting, an answer, a life.
  nonisolated package func tell(_ input: LocationEngine.Input) {
    enter { $0.step(.engine(input)) }
  }

  /// What each source said last, in the order the sources were given.
  nonisolated package func sourceReports() -> [SourceReport] {
    line.queue.sync { assumeIsolated { $0.core.sourceReports } }
  }

  /// Runs on the host's queue, after everything posted before.
  private nonisolated func enter(_ body: @escaping @Sendable (isolated LocationHost) -> Void) {
    line.queue.async { self.assumeIsolated { body($0) } }
  }

  // MARK: Steps

  /// One step: decide, make it durable, then carry it out.
  private func step(_ input: HostCore.Input) {
    let now = HostClock.now
    let outputs = core.handle(input, at: now)
    writeRecording()
    keeper?.commit(outputs, noting: journal)
    for output in outputs { carryOut(output) }
    arm(at: now.uptime)
  }

  // MARK: The flight recorder

  private func record(to path: String) {
    do throws(RecordingRefusal) {
      recording = try RecordingFile(path: path)
      core.record()
    } catch { journal(.store("\(error)")) }
  }

  /// What cannot be written ends the recording, and nothing else.
  private func writeRecording() {
    guard let recording else { return }
    let bytes = core.takeRecording()
    guard !bytes.isEmpty else { return }
    do throws(RecordingRefusal) { try recording.write(bytes) } catch {
      self.recording = nil
      core.stopRecording()
      journal(.store("\(error)"))
    }
  }

  private func carryOut(_ output: HostCore.Output) {
    switch output {
    case .open(let id, let channel): open(channel, as: id)
    case .close(let id): close(id)
    case .bus(let id, let action): act(action, on: id)
    case .read(let id, let query):
      step(.channel(id, .readings(SensorFolder(path: places.sensors).read(query))))
    case .send(let id, let bytes): write(bytes, to: id)
    case .engine(.deliver(let client, let delivery)): clients[client]?(delivery)
    case .engine(.prompt(let prompt)): ask(prompt)
    case .engine(.withdraw(let prompt)): prompter?.withdraw(prompt)
    case .engine(.calibration(let app, let shown)):
      if shown { journal(.calibration(app)) }
    case .engine(.note(let note)): journal(note)
    case .engine(.demand), .engine(.ignored), .engine(.persist), .engine(.indicator),
      .engine(.runtimeOver), .engine(.wakeApp), .engine(.launch):
      break
    }
  }

  /// Sees to it that the host wakes at the next deadline at the latest.
  ///
  /// A timer that is armed for an earlier moment stays: its wake changes nothing and arms again.
  /// Deadlines move on with almost every step, and each change of a timer wakes a thread.
  private func arm(at now: Instant) {
    guard let next = core.nextDeadline else { return }
    if let armed, armed <= next { return }
    armed = next
    let wait = max(0, (next - now).wholeNanoseconds)
    timer?.schedule(deadline: .now() + .nanoseconds(Int(wait)), leeway: .milliseconds(1))
  }

  /// The timer has fired; from here on none is armed.
  private func wake() {
    armed = nil
    step(.wake)
  }

  private func ask(_ prompt: Prompt) {
    guard let prompter else { return journal(.unanswerable(prompt)) }
    prompter.show(prompt) { [weak self] answer, precise in
      self?.tell(.answer(prompt.id, answer, precise: precise))
    }
  }

  // MARK: Channels

  private func open(_ channel: Channel, as id: ChannelID) {
    do throws(Errno) {
      switch channel {
      case .serial(let path, let baud): try listen(Opening.serial(path, baud: baud), as: id)
      case .file(let path): try readThrough(Opening.file(path), as: id)
      case .udp(let host, let port): try listen(Opening.udp(host: host, port: port), as: id)
      case .tcp(let host, let port): connect(to: host, port: port, as: id)
      case .systemBus: enterBus(as: id)
      case .sensors: openSensors(as: id)
      }
    } catch {
      fail(id, with: error)
    }
  }

  private func close(_ id: ChannelID) {
    channels.removeValue(forKey: id)?.end()
    buses.removeValue(forKey: id)?.end()
  }

  private func listen(_ descriptor: Int32, as id: ChannelID) throws(Errno) {
    channels[id] = try DescriptorChannel(descriptor: descriptor, on: line.queue) { [weak self] in
      self?.assumeIsolated { $0.read(id) }
    }
    step(.channel(id, .opened))
  }

  private func read(_ id: ChannelID) {
    guard let channel = channels[id], let event = channel.read(into: buffer) else { return }
    if case .closed = event { channels.removeValue(forKey: id)?.end() }
    step(.channel(id, event))
  }

  private func write(_ bytes: [UInt8], to id: ChannelID) {
    channels[id]?.write(bytes, on: line.queue) { [weak self] in
      self?.assumeIsolated { $0.channels[id]?.flush() }
    }
  }

  private func fail(_ id: ChannelID, with error: Errno) {
    enter { $0.step(.channel(id, .closed(ChannelEnd(error)))) }
  }

  /// Looks the name up elsewhere, then tries one address after the other.
  private func connect(to host: String, port: Int, as id: ChannelID) {
    DispatchQueue.global().async { [weak self] in
      let addresses = SocketAddress.resolve(host, port: port)
      self?.enter { $0.connect(to: addresses[...], of: host, as: id) }
    }
  }

  private func connect(to addresses: ArraySlice<SocketAddress>, of host: String, as id: ChannelID) {
    guard core.isOpen(id) else { return }
    guard let address = addresses.first else {
      return step(.channel(id, .closed(.missing("no host named \(host)"))))
    }
    do throws(Errno) {
      let descriptor = try Opening.tcp(address)
      let pending = PendingConnection(descriptor: descriptor, on: line.queue) { [weak self] error in
        self?.assumeIsolated { actor in
          actor.settle(descriptor, error: error, rest: addresses.dropFirst(), of: host, as: id)
        }
      }
      pending.begin()
    } catch {
      guard addresses.count > 1 else { return fail(id, with: error) }
      connect(to: addresses.dropFirst(), of: host, as: id)
    }
  }

  private func settle(
    _ descriptor: Int32, error: Errno?, rest: ArraySlice<SocketAddress>, of host: String,
    as id: ChannelID
  ) {
    guard core.isOpen(id) else { return Opening.abandon(descriptor) }
    do throws(Errno) {
      guard let error else { return try listen(descriptor, as: id) }
      Opening.abandon(descriptor)
      guard rest.isEmpty else { return connect(to: rest, of: host, as: id) }
      throw error
    } catch {
      step(.channel(id, .closed(ChannelEnd(error))))
    }
  }

  /// Reads a file from end to end, a piece at a time, other work in between.
  private func readThrough(_ descriptor: Int32, as id: ChannelID) {
    step(.channel(id, .opened))
    readPiece(descriptor, as: id)
  }

  private func readPiece(_ descriptor: Int32, as id: ChannelID) {
    guard core.isOpen(id) else { return Opening.abandon(descriptor) }
    let event = Opening.readPiece(descriptor, into: buffer)
    step(.channel(id, event))
    guard case .bytes = event else { return Opening.abandon(descriptor) }
    enter { $0.readPiece(descriptor, as: id) }
  }
}

// MARK: - The bus and the sensors

extension LocationHost {
  private func enterBus(as id: ChannelID) {
    do throws(BusFault) {
      let bus = try BusConnection(address: places.bus) { [weak self] event in
        self?.assumeIsolated { $0.step(.channel(id, event)) }
      }
      buses[id] = bus
      try bus.begin(on: line.queue) { [weak self] in
        self?.assumeIsolated { $0.serveBus(id) }
      }
    } catch {
      close(id)
      return fail(id, with: Errno(code: error.code, call: "the system bus"))
    }
    step(.channel(id, .opened))
    serveBus(id)
  }

  private func act(_ action: BusAction, on id: ChannelID) {
    buses[id]?.carryOut(action)
    // What was asked goes out when this step is over, with everything else it asks.
    enter { $0.serveBus(id) }
  }

  private func serveBus(_ id: ChannelID) {
    guard let bus = buses[id], !bus.process() else { return }
    close(id)
    step(.channel(id, .closed(.failed("the system bus has gone"))))
  }

  private func openSensors(as id: ChannelID) {
    guard SensorFolder(path: places.sensors).isThere else {
      return step(.channel(id, .closed(.missing("no \(places.sensors)"))))
    }
    step(.channel(id, .opened))
  }
}

/// Where the host finds the things of the machine that have no address of their own.
package struct HostPlaces: Sendable {
  /// The address of the system bus; `nil` for the system's own.
  package var bus: String?
  package var sensors: String

  package init(bus: String? = nil, sensors: String = "/sys/bus/iio/devices") {
    self.bus = bus
    self.sensors = sensors
  }
}

extension ChannelEnd {
  /// The system's refusal, in words for a person.
  init(_ error: Errno) {
    switch error.code {
    case Errno.noEntry: self = .missing(error.description)
    case Errno.noAccess, Errno.notPermitted: self = .noPermission(error.description)
    default: self = .failed(error.description)
    }
  }
}
