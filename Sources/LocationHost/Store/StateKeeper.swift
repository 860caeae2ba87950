package import Dispatch
package import LocationSecrets
package import LocationService
package import LocationEngine
package import LocationModel
import LocationRadio
import LocationRecording

/// Keeps the durable state of one host: reads it at the start, stores each step, and notices when
/// another process has changed it.
///
/// Lives on the host's queue, and never waits there. Changes that cannot be stored now (a full
/// disk, another process that writes) are kept in order and stored later; the host holds back the
/// outputs that depend on them (docs/decisions/0069).
package final class StateKeeper {
  private let folder: StateFolder
  private let owner: AppIdentity?
  private let secrets: SecretBus?
  /// Held for as long as the state is in use; `nil` if there is no lock.
  private let lock: StateLock?
  private var store: StateStore?
  private var unsaved: [StateChange] = []
  /// The number of changes from which replaced ones are looked for and removed.
  private var condensing = 64
  /// The number of changes that are not stored.
  var unsavedCount: Int { unsaved.count }
  private var watch: (any DispatchSourceRead)?
  /// The stored entries at opening, and later claims; without a file, all entries.
  package internal(set) var entries: [StateEntry] = []
  /// Why the state is kept in memory only, if a person must correct something first.
  package private(set) var obstacle: StoreError?
  /// Why the state is kept in memory only; `nil` while it is not.
  private var reason: StoreError?
  /// That what is decided lasts until the end of this run only, and why; `nil` where it is stored.
  package var transience: String? {
    guard store == nil, let reason else { return nil }
    return
      "the state is kept in memory only, so that it is as before when the daemon starts again (\(reason))"
  }
  /// Why the last changes could not be stored; `nil` while everything is stored.
  package private(set) var fault: StoreError?

  /// Whether data was erased that the engine still has, so that it must restart.
  package private(set) var isErased = false

  /// The steps that had changes, numbered; those up to `written` are in the file, those up to
  /// `synced` also on the disk.
  private(set) var steps = (last: 0, written: 0, synced: 0)
  /// Changes that are in the file, and may not be on the disk; none while there is a fault.
  private var unsynced: [(step: Int, change: StateChange)] = []
  /// Whether the disk has not taken what is in the log.
  private var mustRenewLog = false

  /// Whether there are changes that are not stored.
  package var isBehind: Bool { fault != nil || !unsynced.isEmpty }

  /// Opens the state of one app, or of all; `noting` is called with what was found wrong, and why
  /// it could not be opened.
  ///
  /// - Parameters:
  ///   - folder: the folder of the state.
  ///   - owner: the app whose state is read; `nil` for that of all apps.
  ///   - lock: held by a daemon, which has all of the state; if `nil`, a lock is shared with other
  ///     engines.
  ///   - secrets: where the Secret Service is; `nil` for none.
  ///   - noting: called with each finding once.
  package init(
    folder: StateFolder, owner: AppIdentity? = nil, lock: StateLock? = nil,
    secrets: SecretBus? = nil, noting: (Note) -> Void = { _ in }
  ) {
    self.folder = folder
    (self.owner, self.secrets) = (owner, secrets)
    let held = lock.map { .success($0) } ?? Self.take(folder, noting: noting)
    self.lock = try? held.get()
    if case .failure(let fault) = held {
      reason = StoreError(code: StoreError.locked, context: folder.path, message: "\(fault)")
      keepInMemory("\(fault)", noting: noting)
      return
    }
    do throws(StoreError) {
      try open(noting: noting)
    } catch {
      reason = error
      if error.isNewer || error.isBusy || error.isLocked { obstacle = error }
      keepInMemory("\(error)", isRefused: error.isNewer || error.isLocked, noting: noting)
    }
  }

  deinit {
    watch?.cancel()
  }

  private static func take(
    _ folder: StateFolder, noting: (Note) -> Void
  ) -> Result<StateLock, StateFault> {
    do throws(StateFault) {
      try folder.secure { noting(.store($0)) }
      return .success(try StateLock(folder, .together))
    } catch { return .failure(error) }
  }

  private func open(noting: (Note) -> Void) throws(StoreError) {
    var isMoved = false
    for attempt in 1... {
      let found = FileNumber(of: folder.file)
      do throws(StoreError) {
        let store = try StateStore(
          path: folder.file, isLost: isMoved || folder.isLost(lock), secrets: secrets)
        entries = try store.entries(of: owner)
        return take(store, noting: noting)
      } catch {
        guard error.isCorruption || error.isKeyLost, !isMoved, attempt < 8 else { throw error }
        // Else another process has moved it aside, and what lies there now is looked at anew.
        guard let place = try folder.moveDamagedFileAside(found) else { continue }
        isMoved = true
        let what = error.isKeyLost ? "cannot be opened" : "was damaged"
        noting(.store("the state \(what) and lies now at \(place) (\(error)); it begins anew"))
      }
    }
  }

  private func take(_ store: StateStore, noting: (Note) -> Void) {
    for finding in store.findings { noting(.store(finding)) }
    if let unread = store.unreadWords { noting(.store(unread)) }
    lock?.noteState()
    // The host's queue must not wait for another process.
    store.wait(0)
    // Overwrites data that an earlier run has replaced, and left in the log.
    try? store.scrub()
    self.store = store
  }

  /// Uses the state that is known without the file: the entries of its guard; if nothing shows
  /// whether location services were on, they are off.
  private func keepInMemory(
    _ reason: String, isRefused: Bool = false, noting: (Note) -> Void
  ) {
    noting(.store("\(reason); the state of this run is kept in memory only"))
    defer { entries.append(Conditions.notKept) }
    let reading = StateGuard(beside: folder.file)
      .read(sealedBy: isRefused ? nil : try? .existing(beside: folder.file, secrets: secrets))
    if case .entries(let guarded) = reading { entries = guarded }
    guard isRefused || reading != .missing || folder.hasState else { return }
    if case .entries = reading, !isRefused { return }
    entries = [StateGuard.servicesOff("the state cannot be read: \(reason)")]
    noting(.store("location services are off in this run"))
  }

  private static let secretDomain = "secret"

  /// Returns the secret of this machine's coarse places: made once, kept for good
  /// (docs/decisions/0015).
  ///
  /// A secret that is no key of today's length is replaced, and the cell chosen with it is removed.
  package func secret() -> SecretKey {
    if let secret = Self.secret(in: entries) { return secret }
    let (secret, change) = Self.newSecret()
    unsaved.append(change)
    if entries.contains(where: { $0.key == CoarseLocator.key }) {
      entries.removeAll { $0.key == CoarseLocator.key }
      unsaved.append(.remove(CoarseLocator.key))
    }
    save()
    return secret
  }

  private static let secretKey = StateKey(domain: secretDomain, owner: "")

  /// Returns the stored secret; `nil` without one of today's length.
  package static func secret(in entries: [StateEntry]) -> SecretKey? {
    entries.first { $0.key == secretKey }
      .flatMap { SecretKey(hexadecimal: String(decoding: $0.value, as: UTF8.self)) }
  }

  /// Returns a new secret, and the change that stores it.
  package static func newSecret() -> (SecretKey, StateChange) {
    let secret = SecretKey.random()
    return (secret, .set(secretKey, [UInt8](secret.hexadecimal.utf8)))
  }

  // MARK: Reading

  /// The entries as decided now, by any process; entries that could not be read are as before.
  package var stored: [StateEntry] { read() ?? entries }

  /// Returns the same entries; `nil` if they cannot be read now.
  func read() -> [StateEntry]? {
    guard let store else { return entries }
    guard let entries = try? store.entries(of: owner) else { return nil }
    return Self.applying(unsaved, to: entries)
  }

  static func applying(_ changes: [StateChange], to entries: [StateEntry]) -> [StateEntry] {
    guard !changes.isEmpty else { return entries }
    var values: [StateKey: [UInt8]] = [:]
    for entry in entries { values[entry.key] = entry.value }
    for change in changes {
      switch change {
      case .set(let key, let value): values[key] = value
      case .remove(let key): values[key] = nil
      }
    }
    return values.sorted { $0.key < $1.key }.map { StateEntry(key: $0.key, value: $0.value) }
  }

  // MARK: Writing

  /// Stores changes that were not decided by the engine.
  ///
  /// - Throws: `StoreError` with why none of them was stored.
  package func store(_ changes: [StateChange]) throws(StoreError) {
    guard let store else {
      entries = Self.applying(changes, to: entries)
      return
    }
    try store.commit(unsaved + changes)
    settle()
  }

  /// Notes that nothing waits to be written, and whether the disk has what was written last.
  private func settle(isSynced: Bool = true) {
    if !isSynced { unsynced += unsaved.map { (steps.last, $0) } }
    (unsaved, fault, steps.written) = ([], nil, steps.last)
    noteSynced(steps.synced)
  }

  private func noteSynced(_ step: Int) {
    unsynced.removeAll { $0.step <= step }
    steps.synced = unsynced.isEmpty ? steps.written : max(steps.synced, step)
  }

  /// Notes why something is not stored; all that the disk may not have is stored again.
  private func fail(_ failure: StoreError) {
    unsaved = unsynced.map(\.change) + unsaved
    (unsynced, fault, steps.written) = ([], failure, steps.synced)
    condense()
  }

  /// Erases the data of one app, or of all; returns the number of entries.
  ///
  /// Nothing is stored after that: the engine still has the erased data, and must restart, even if
  /// ``StoreError/isErased`` is thrown.
  ///
  /// - Throws: `StoreError` with why not; also if there is a state that this run could not open.
  package func erase(_ app: String?) throws(StoreError) -> Int {
    guard let store else {
      try refuseUnopened()
      endErased()
      return 0
    }
    try store.commit(unsaved)
    settle()
    do throws(StoreError) {
      let count = try store.erase(app)
      endErased()
      return count
    } catch {
      if error.isErased { endErased() }
      throw error
    }
  }

  private func endErased() {
    folder.removeDamagedFiles()
    store = nil
    isErased = true
    noteSynced(steps.last)
  }

  /// Stores the changes among a step's outputs, all or none; if that fails, ``isBehind`` is true, and
  /// also until the disk has them if it is not waited for.
  ///
  /// - Parameters:
  ///   - outputs: what the step has decided.
  ///   - waits: whether to return only when the disk has them; else ``sync()`` is to follow.
  package func commit(_ outputs: [ServiceCore.Output], waits: Bool = true) {
    var isNew = false
    for case .engine(.persist(let change)) in outputs {
      unsaved.append(change)
      isNew = true
    }
    guard isNew else { return }
    steps.last += 1
    guard store != nil else {
      entries = Self.applying(unsaved, to: entries)
      settle()
      return
    }
    // While storing fails, the timer tries again, and not each step.
    if fault != nil { condense() } else { save(waits: waits) }
  }

  /// Tries to store unstored changes; returns whether all are, but for those that the disk has not taken
  /// yet.
  @discardableResult
  package func save(waits: Bool = true) -> Bool {
    guard let store, !unsaved.isEmpty else {
      settle()
      return true
    }
    do throws(StoreError) {
      if mustRenewLog {
        try store.scrub()
        mustRenewLog = false
      }
      settle(isSynced: try store.commit(unsaved, waits: waits))
    } catch { fail(error) }
    return fault == nil
  }

  /// Returns what puts on the disk what is in the file, for any thread, and the step up to which it does;
  /// `nil` where nothing is to be.
  func sync() -> (log: LogSync, step: Int)? {
    guard let store, !unsynced.isEmpty else { return nil }
    return (store.log, steps.written)
  }

  /// Notes what became of that. If it failed, all is stored once more in a new log, as nothing is read
  /// behind a place that the disk has not taken.
  func endSync(upTo step: Int, _ failure: StoreError?) {
    guard let failure, store != nil, !unsynced.isEmpty else { return noteSynced(step) }
    mustRenewLog = true
    fail(failure)
  }

  /// Waits for the disk, which then has all that is in the file; returns whether it has.
  func syncNow() -> Bool {
    if let (log, step) = sync() { endSync(upTo: step, log.run()) }
    return fault == nil
  }

  /// Keeps only the last change of each key, so that the unstored changes are bounded.
  private func condense() {
    guard unsaved.count >= condensing else { return }
    var last: [StateKey: StateChange] = [:]
    for change in unsaved { last[change.key] = change }
    if last.count > Self.most, let store, let stored = try? store.entries() {
      let keys = Set(stored.map(\.key))
      // A key that was added and removed in the meantime needs no change.
      last = last.filter { entry in
        if case .remove = entry.value { keys.contains(entry.key) } else { true }
      }
    }
    unsaved = last.values.sorted { $0.key < $1.key }
    condensing = max(64, 2 * unsaved.count)
  }

  /// The number of keys from which reading the stored ones is worthwhile. Chosen.
  private static let most = 1000

  /// The keys of changes that the disk does not have.
  private var unstored: some Sequence<StateKey> {
    [unsynced.lazy.map(\.change), unsaved].lazy.joined().map(\.key)
  }

  /// Returns whether a change about an app, or about the whole machine, is not stored. Nothing rests
  /// on the last position, nor on what was learned of a Bluetooth adapter or of transmitters.
  func isBehind(_ app: String) -> Bool {
    isBehind
      && unstored.contains {
        $0.owner == app
          || $0.owner.isEmpty && $0 != LastPosition.key
            && ![AdapterLevels.domain, RadioMap.domain].contains($0.domain)
      }
  }

  /// Returns whether a change of an app's authorization, of its program, of the switch of location
  /// services, or of the source of its coarse places is not stored.
  package func isPermissionBehind(_ app: String) -> Bool {
    // The queue waits for what the guard keeps.
    guard fault != nil else { return false }
    let keys = [
      AuthorizationRecord.key(of: AppIdentity(app)), Self.identityKey(of: AppIdentity(app)),
    ]
    return unsaved.contains {
      keys.contains($0.key) || [Setting.domain, Self.secretDomain].contains($0.key.domain)
    }
  }

  /// Overwrites replaced and removed data in the files; if a reader prevents that, the next call
  /// tries again.
  func scrub() {
    if fault == nil { try? store?.scrub() }
  }

  /// Calls `changed` on the queue when another process has changed the state and rung the bell.
  package func whenChangedOutside(
    on queue: DispatchQueue, _ changed: @escaping @Sendable () -> Void
  ) {
    guard store != nil, let (source, descriptor) = folder.watch(on: queue) else { return }
    source.setEventHandler {
      if StateFolder.drain(descriptor) { changed() }
    }
    source.activate()
    watch = source
  }

  /// Removes damaged files that are older than the data that they may hold.
  func removeDamagedFiles(
    olderThan term: Duration, at now: Moment, seen: inout [String: Instant]
  ) {
    guard lock != nil else { return }
    folder.removeDamagedFiles(olderThan: term, at: now, seen: &seen)
  }

  /// Where the key of the state is from; `nil` while it is kept in memory only.
  package var keyOrigin: String? { store?.keyOrigin }

  /// How many rows do not open, and why; `nil` if all do.
  package var unread: String? { store?.unreadWords }

  /// Seals everything with new keys.
  ///
  /// - Parameter place: where a person wants the master; `nil` for where it lies.
  /// - Returns: the number of rows that did not open and are gone.
  /// - Throws: `StoreError` with why not.
  package func rekey(in place: KeyPlace? = nil) throws(StoreError) -> Int {
    guard let store else {
      try refuseUnopened()
      return 0
    }
    try store.commit(unsaved)
    settle()
    return try store.rekey(in: place)
  }

  /// Returns the keys of recordings, and makes one if there is none; `nil` while the state is kept in
  /// memory only.
  ///
  /// - Throws: `StoreError` with why the key cannot be stored.
  func recordingsKeys() throws(StoreError) -> SealedRecording.Keys? {
    guard let store else { return nil }
    // Asked for once, at the start: there it may wait for another process.
    store.wait(2000)
    defer { store.wait(0) }
    return try store.recordingsKeys()
  }

  /// Refuses what is about the files, if there are some that this run could not open.
  private func refuseUnopened() throws(StoreError) {
    guard let reason, !isErased, folder.hasState else { return }
    throw StoreError(
      code: reason.code, context: "the state in \(folder.path) is not in use, and was not changed",
      message: "\(reason)")
  }

  /// Damaged files that were moved aside.
  package var damagedFiles: [DamagedFile] { folder.damagedFiles() }
}

extension StateChange {
  /// The key that the change is about.
  var key: StateKey {
    switch self {
    case .set(let key, _), .remove(let key): key
    }
  }
}
