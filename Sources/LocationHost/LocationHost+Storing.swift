import Dispatch
import LocationService
import LocationEngine
import LocationModel

/// How a host stands that waits for its disk.
struct StoringState {
  /// What rests on something that is not stored yet.
  var held = HeldOutputs()
  /// Whether the timer is to try again.
  var isWaiting = false
  /// Milliseconds until it does.
  var timeout = StoringState.first
  /// What was last said of the reason.
  var said: String?
  /// Clients for which there was no room any more.
  var overfull: Set<ClientID> = []
  /// Whether another process has changed what could not be read since.
  var mustRead = false
  /// Whether what was changed in the files is to be overwritten.
  var willScrub = false
  /// When each damaged file was first seen.
  var damaged: [String: Instant] = [:]

  /// Milliseconds: what another process needs to store something, and what a person with a full disk does
  /// not notice. Chosen.
  static let (first, most) = (10, 2000)
  /// Milliseconds of waiting for another process before a word about it. Chosen.
  static let silence = 1000
  /// Seconds until what was changed in the files is overwritten. Chosen.
  static let scrubbing = 60
}

// What was decided leaves when it is stored (docs/decisions/0069). Everything here runs on the queue.
extension LocationHost {
  /// The outputs of a step while something is not stored: what rests on it waits.
  ///
  /// A position rests on nothing but the permission of its app, and on what the same half of a step has
  /// stored of the app, such as the first line of the list of who was told; everything else an app is told
  /// rests on whatever is not stored of the app or of the machine. The order of what one client hears stays.
  func holdBack(_ outputs: [ServiceCore.Output]) {
    var touched: Set<String> = []
    for case .engine(.persist(let change)) in outputs { touched.insert(change.key.owner) }
    for output in outputs {
      guard rests(output, touched) else {
        act(output)
        continue
      }
      if !storing.held.add(output) { overflow(output) }
    }
    tryLater()
  }

  private func rests(_ output: ServiceCore.Output, _ touched: Set<String>) -> Bool {
    guard let keeper else { return false }
    switch output {
    case .engine(.deliver(let client, let delivery)):
      if storing.held.concerns(client) || storing.overfull.contains(client) { return true }
      guard keeper.isBehind, let app = core.engine.app(of: client)?.name else { return false }
      guard delivery.isPosition else { return keeper.isBehind(app) }
      return touched.contains(app) || keeper.isPermissionBehind(app)
    case .engine(.launch(let app)), .engine(.wakeApp(let app)), .engine(.runtimeOver(let app)):
      return keeper.isBehind(app.name)
    default: return false
    }
  }

  /// There is no room for it: the client is cut off where it can come back and hear everything again;
  /// else only what the engine would not tell again has room.
  private func overflow(_ output: ServiceCore.Output) {
    guard case .engine(.deliver(let client, let delivery)) = output else { return act(output) }
    let isFirst = storing.overfull.insert(client).inserted
    if let cutOff {
      if isFirst { cutOff(client) }
      return
    }
    if isFirst {
      journal(
        .store(
          "\(HeldOutputs.most.ofClient) deliveries wait for the disk; answers to newer requests are "
            + "dropped until there is room"))
    }
    if delivery.isEvent { storing.held.keep(output) }
  }

  /// A client has gone.
  func forgetHeld(_ client: ClientID) {
    storing.held.forget(client)
    storing.overfull.remove(client)
  }

  // MARK: Trying again

  private func tryLater() {
    guard !storing.isWaiting else { return }
    storing.isWaiting = true
    complain()
    let wait = DispatchTimeInterval.milliseconds(storing.timeout)
    storing.timeout = min(2 * storing.timeout, StoringState.most)
    line.queue.asyncAfter(deadline: .now() + wait) { [weak self] in
      self?.onQueue { $0.tryAgain() }
    }
  }

  private func tryAgain() {
    storing.isWaiting = false
    guard let keeper else { return }
    if storing.mustRead { adoptStored() }
    guard keeper.save() else { return tryLater() }
    release()
    if !keeper.isBehind, !storing.mustRead { storing.timeout = StoringState.first }
  }

  /// What waited leaves, as long as everything is stored.
  package func release() {
    guard let keeper, !keeper.isBehind else { return }
    if storing.said != nil {
      journal(.store("everything is stored again; \(storing.held.count) deliveries go on"))
      storing.said = nil
    }
    while !keeper.isBehind, let output = storing.held.popFirst() { act(output) }
    if storing.held.isEmpty { storing.overfull = [] }
    arm()
  }

  /// Says each reason once; nothing of another process that writes for a moment.
  private func complain() {
    guard let fault = keeper?.fault else { return }
    let text = "\(fault)"
    guard text != storing.said, !fault.isBusy || storing.timeout >= StoringState.silence else {
      return
    }
    storing.said = text
    journal(.store("\(text); what rests on it is held back, and it will try again"))
  }

  /// Whether everything is stored, after a last try: the process is about to end.
  package nonisolated func settleStore() -> Bool {
    line.queue.sync {
      onQueue { host in
        guard let keeper = host.keeper else { return true }
        guard keeper.save() else { return false }
        host.release()
        keeper.scrub()
        return true
      }
    }
  }

  // MARK: The files

  /// Another process has changed the state.
  func adoptStored() {
    guard let keeper else { return }
    guard let entries = keeper.read() else {
      storing.mustRead = true
      return tryLater()
    }
    storing.mustRead = false
    step(.engine(.stored(entries)))
  }

  /// A minute after a change, what it has replaced is overwritten in the files.
  func scrubLater() {
    guard keeper != nil, !storing.willScrub else { return }
    storing.willScrub = true
    let wait = DispatchTimeInterval.seconds(StoringState.scrubbing)
    line.queue.asyncAfter(deadline: .now() + wait) { [weak self] in
      self?.onQueue { host in
        host.storing.willScrub = false
        host.keeper?.scrub()
      }
    }
  }

  /// Once a day, and at the start, removes damaged files that are older than what they may hold.
  func tendDamagedFiles(keeping term: Duration?) {
    guard let term, let keeper else { return }
    keeper.removeDamagedFiles(olderThan: term, at: HostClock.now, seen: &storing.damaged)
    line.queue.asyncAfter(deadline: .now() + .seconds(86_400)) { [weak self] in
      self?.onQueue { $0.tendDamagedFiles(keeping: term) }
    }
  }
}

extension Delivery {
  /// Whether it tells positions, or why there are none.
  var isPosition: Bool {
    switch self {
    case .updates, .live: true
    default: false
    }
  }
}
