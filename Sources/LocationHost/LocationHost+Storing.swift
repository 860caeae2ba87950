import Dispatch
import Glibc
import LocationService
import LocationEngine
package import LocationModel

/// The state of a host that waits for its disk.
struct StoringState {
  /// Outputs that depend on changes that are not stored yet.
  var held = HeldOutputs()
  /// Whether a retry is scheduled.
  var isWaiting = false
  /// Milliseconds until the next retry.
  var timeout = StoringState.first
  /// The last reason that was logged.
  var lastFault: String?
  /// Clients that have reached the bound of held outputs.
  var overfull: Set<ClientID> = []
  /// Whether another process has changed the state, and it could not be read since.
  var mustRead = false
  /// Whether overwriting replaced data in the files is scheduled.
  var willScrub = false
  /// Callers that wait until everything is stored (LIFE-12).
  var waiting: [@Sendable () -> Void] = []
  /// Whether the queue waits for the disk; else what depends on it waits alone.
  var waits = true
  /// Whether a thread waits for the disk.
  var isSyncing = false
  /// The time at which each damaged file was first seen.
  var damaged: [String: Instant] = [:]

  /// Milliseconds: the time that another process needs to store something, and a time that a person
  /// with a full disk does not notice. Chosen.
  static let (first, most) = (10, 2000)
  /// Milliseconds of waiting for another process before it is logged. Chosen.
  static let silence = 1000
  /// Seconds until replaced data is overwritten in the files. Chosen.
  static let scrubbing = 60
}

// Outputs leave only after they are stored (docs/decisions/0069). All of this runs on the queue.
extension LocationHost {
  /// Stores the outputs of a step, then carries them out, or holds them back; apps that received
  /// something in a turn run before the next.
  func carryOut(_ outputs: [ServiceCore.Output]) {
    let (ordered, turns) = DeliveryTurns.order(outputs) { core.app(of: $0) }
    keeper?.commit(outputs, waits: storing.waits)
    let holdsBack = keeper?.isBehind ?? false || !storing.held.isEmpty
    let touched = holdsBack ? Self.owners(in: outputs) : []
    var turn = 0
    for (index, output) in ordered.enumerated() {
      if turn < turns.count, index == turns[turn] {
        turn += 1
        // The thread that reads wakes another, so once is not enough. Each may cost a slice of the scheduler.
        if turn <= Self.yields { sched_yield() }
      }
      if holdsBack, rests(output, touched) { hold(output) } else { act(output) }
    }
    if holdsBack { settleBehind() }
  }

  /// The turns of a step after which apps that received something may run. Chosen.
  private static let yields = 4

  private static func owners(in outputs: [ServiceCore.Output]) -> Set<String> {
    var owners: Set<String> = []
    for case .engine(.persist(let change)) in outputs { owners.insert(change.key.owner) }
    return owners
  }

  private func hold(_ output: ServiceCore.Output) {
    if !storing.held.add(output, after: keeper?.steps.last ?? 0) { overflow(output) }
  }

  /// Whether an output depends on changes which are not stored.
  ///
  /// A position depends only on the permission of its app, and on what the same half of a step has
  /// stored of the app, such as its first entry in the access log. Every other output to an app
  /// depends on all unstored changes of the app or of the machine. The order of each client's
  /// deliveries stays.
  private func rests(_ output: ServiceCore.Output, _ touched: Set<String>) -> Bool {
    guard let keeper else { return false }
    switch output {
    case .engine(.deliver(let client, let delivery)):
      if storing.held.concerns(client) || storing.overfull.contains(client) { return true }
      guard keeper.isBehind, let app = core.app(of: client)?.name else { return false }
      guard delivery.isPosition else { return keeper.isBehind(app) }
      return touched.contains(app) && keeper.isBehind(app) || keeper.isPermissionBehind(app)
    case .engine(.launch(let app)), .engine(.wakeApp(let app)), .engine(.runtimeOver(let app)):
      return keeper.isBehind(app.name)
    default: return false
    }
  }

  /// Handles a full queue: cuts the client off if it can reconnect and get everything again;
  /// otherwise keeps only what the engine would not deliver again.
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
    if delivery.isEvent { storing.held.keep(output, after: keeper?.steps.last ?? 0) }
  }

  /// Removes the held outputs of a client that has gone.
  func forgetHeld(_ client: ClientID) {
    storing.held.forget(client)
    storing.overfull.remove(client)
  }

  /// Stores what a part of the daemon has decided that is no part of the engine; if that fails, it is
  /// tried again as for the engine.
  package func persist(_ changes: [StateChange]) {
    if !changes.isEmpty { carryOut(changes.map { .engine(.persist($0)) }) }
  }

  // MARK: Waiting beside the queue

  /// Passes a request to the engine as ``take(_:from:)`` does, but the queue does not wait for the disk:
  /// what depends on changes is held back until they are stored.
  ///
  /// - Returns: the step whose changes are not on the disk yet; `nil` if all are, or storing has failed.
  package func takeBeside(_ request: Request, from client: ClientID) -> Int? {
    let before = keeper?.steps.last ?? 0
    storing.waits = false
    take(request, from: client)
    storing.waits = true
    guard let steps = keeper?.steps, steps.written > before, steps.synced < steps.written
    else { return nil }
    return steps.written
  }

  private func syncBeside() {
    guard !storing.isSyncing, let (log, step) = keeper?.sync() else { return }
    storing.isSyncing = true
    Self.disk.async { [weak self] in
      let fault = log.run()
      self?.enter { $0.endSync(upTo: step, fault) }
    }
  }

  private func endSync(upTo step: Int, _ fault: StoreError?) {
    storing.isSyncing = false
    guard let keeper else { return }
    keeper.endSync(upTo: step, fault)
    release()
    settleBehind()
    // Who waits for what has failed goes on, as who asks then: outputs are held.
    if keeper.fault != nil { synced?(.max) }
  }

  /// What is held back waits for the disk, or, after a fault, for the next try.
  private func settleBehind() {
    if keeper?.fault == nil { syncBeside() } else { tryLater() }
  }

  private static let disk = DispatchQueue(label: "meridian.disk")

  // MARK: Trying again

  private func tryLater() {
    guard !storing.isWaiting else { return }
    storing.isWaiting = true
    complain()
    let wait = DispatchTimeInterval.milliseconds(storing.timeout)
    storing.timeout = min(2 * storing.timeout, StoringState.most)
    queue.asyncAfter(deadline: .now() + wait) { [weak self] in
      self?.onQueue { $0.tryAgain() }
    }
  }

  private func tryAgain() {
    storing.isWaiting = false
    guard let keeper else { return }
    if storing.mustRead { adoptStored() }
    guard keeper.save() else { return tryLater() }
    if !storing.mustRead { storing.timeout = StoringState.first }
    release()
  }

  /// Carries out held outputs, as long as everything is stored.
  package func release() {
    guard let keeper else { return }
    if storing.lastFault != nil, !keeper.isBehind {
      journal(.store("everything is stored again; \(storing.held.count) deliveries go on"))
      storing.lastFault = nil
    }
    if !keeper.isBehind {
      for stored in storing.waiting { stored() }
      storing.waiting = []
    }
    while let output = storing.held.popFirst(storedUpTo: keeper.steps.synced) { act(output) }
    if storing.held.isEmpty { storing.overfull = [] }
    synced?(keeper.steps.synced)
    arm()
  }

  /// Calls a function as soon as everything is stored; at once where nothing is kept at all.
  func whenStored(_ stored: @escaping @Sendable () -> Void) {
    guard keeper?.isBehind ?? false else { return stored() }
    storing.waiting = storing.waiting.suffix(Bounds.waiting) + [stored]
  }

  /// Logs each reason once; ignores another process that writes only for a moment.
  private func complain() {
    guard let fault = keeper?.fault else { return }
    let text = "\(fault)"
    guard text != storing.lastFault, !fault.isBusy || storing.timeout >= StoringState.silence else {
      return
    }
    storing.lastFault = text
    journal(.store("\(text); what rests on it is held back, and it will try again"))
  }

  /// Tries a last time to store before the process ends, and returns whether everything is stored.
  package nonisolated func settleStore() -> Bool {
    queue.sync {
      onQueue { host in
        guard let keeper = host.keeper else { return true }
        guard keeper.save(), keeper.syncNow() else { return false }
        keeper.scrub()
        host.release()
        return true
      }
    }
  }

  // MARK: The files

  /// Reads the state after another process has changed it.
  func adoptStored() {
    guard let keeper else { return }
    guard let entries = keeper.read() else {
      storing.mustRead = true
      return tryLater()
    }
    storing.mustRead = false
    step(.engine(.stored(entries)))
  }

  /// Overwrites data in the files a minute after it was replaced.
  func scrubLater() {
    guard keeper != nil, !storing.willScrub else { return }
    storing.willScrub = true
    let wait = DispatchTimeInterval.seconds(StoringState.scrubbing)
    queue.asyncAfter(deadline: .now() + wait) { [weak self] in
      self?.onQueue { host in
        host.storing.willScrub = false
        host.keeper?.scrub()
      }
    }
  }

  /// At the start and once a day, removes damaged files older than the data that they may hold.
  func tendDamagedFiles(keeping term: Duration?) {
    guard let term, let keeper else { return }
    keeper.removeDamagedFiles(olderThan: term, at: HostClock.now, seen: &storing.damaged)
    queue.asyncAfter(deadline: .now() + .seconds(86_400)) { [weak self] in
      self?.onQueue { $0.tendDamagedFiles(keeping: term) }
    }
  }
}

extension Delivery {
  /// Whether it delivers positions, or the reason why there are none.
  var isPosition: Bool {
    switch self {
    case .updates, .live: true
    default: false
    }
  }
}
