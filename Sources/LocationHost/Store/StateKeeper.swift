package import Dispatch
package import LocationService
package import LocationEngine
package import LocationModel

/// Keeps the durable state of one host: reads it at the start, stores each step, and hears when
/// another process has changed it.
///
/// Lives on the host's queue, and never waits there. What cannot be stored now (a full disk, another
/// process that writes) is kept in order to be stored later; the host holds back what rests on it
/// (docs/decisions/0069).
package final class StateKeeper {
  private let folder: StateFolder
  private let owner: AppIdentity?
  /// Held for as long as the state is in use; `nil` where there is none.
  private let lock: StateLock?
  private var store: StateStore?
  private var unsaved: [StateChange] = []
  /// With how many changes it is worth looking for such that others have replaced.
  private var condensing = 64
  /// How many changes wait.
  var unsavedCount: Int { unsaved.count }
  private var watch: (any DispatchSourceRead)?
  /// What was stored when the file was opened, and the claims since; all of it where there is no file.
  package private(set) var entries: [StateEntry] = []
  /// Why the state is kept in memory only, where a person must mend something first.
  package private(set) var obstacle: StoreError?
  /// Why what was decided last could not be stored; `nil` while everything is.
  package private(set) var fault: StoreError?

  /// Whether the engine knows what was erased, and has to start over.
  package private(set) var isErased = false

  /// Whether something is decided that is not stored.
  package var isBehind: Bool { fault != nil }

  /// Opens the state of one app, or of all; `noting` hears what was found wrong, and why it could not be
  /// opened.
  ///
  /// - Parameters:
  ///   - folder: where the state lies.
  ///   - owner: the app whose state is read; `nil` for everybody's.
  ///   - lock: held by a daemon, which has all of the state; else it is taken together with other
  ///     engines.
  ///   - noting: hears each finding once.
  package init(
    folder: StateFolder, owner: AppIdentity? = nil, lock: StateLock? = nil,
    noting: (Note) -> Void = { _ in }
  ) {
    self.folder = folder
    self.owner = owner
    let held = lock.map { .success($0) } ?? Self.take(folder, noting: noting)
    self.lock = try? held.get()
    if case .failure(let fault) = held {
      keepInMemory("\(fault)", noting: noting)
      return
    }
    do throws(StoreError) {
      try open(noting: noting)
    } catch {
      if error.isNewer || error.isBusy { obstacle = error }
      keepInMemory("\(error)", isRefused: error.isNewer, noting: noting)
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
    let store: StateStore
    do throws(StoreError) {
      store = try StateStore(path: folder.file, isLost: folder.isLost(lock))
      entries = try store.entries(of: owner)
    } catch {
      guard error.isCorruption else { throw error }
      let place = folder.moveDamagedFileAside()
      noting(.store("the state was damaged and lies now at \(place) (\(error)); it begins anew"))
      let store = try StateStore(path: folder.file, isLost: true)
      entries = try store.entries(of: owner)
      return take(store, noting: noting)
    }
    take(store, noting: noting)
  }

  private func take(_ store: StateStore, noting: (Note) -> Void) {
    for finding in store.findings { noting(.store(finding)) }
    lock?.noteState()
    // The host's queue waits for nobody.
    store.wait(0)
    // What an earlier run has replaced, and left in the log.
    try? store.scrub()
    self.store = store
  }

  /// What can be known without the file: what its guard says, and where nothing says whether location
  /// services were on, that they are off.
  private func keepInMemory(
    _ reason: String, isRefused: Bool = false, noting: (Note) -> Void
  ) {
    noting(.store("\(reason); the state of this run is kept in memory only"))
    let reading = StateGuard(beside: folder.file).read()
    if case .entries(let guarded) = reading { entries = guarded }
    guard isRefused || reading != .missing || folder.hasState else { return }
    if case .entries = reading, !isRefused { return }
    entries = [StateGuard.servicesOff("the state cannot be read: \(reason)")]
    noting(.store("location services are off in this run"))
  }

  private static let secretDomain = "secret"

  /// The secret of this machine's coarse places: made once, kept for good (docs/decisions/0015).
  ///
  /// One that is no key of today's length is replaced, and the cell that was laid by it forgotten.
  package func secret() -> SecretKey {
    let key = StateKey(domain: Self.secretDomain, owner: "")
    if let entry = entries.first(where: { $0.key == key }),
      let secret = SecretKey(hexadecimal: String(decoding: entry.value, as: UTF8.self))
    {
      return secret
    }
    let secret = SecretKey.random()
    unsaved.append(.set(key, [UInt8](secret.hexadecimal.utf8)))
    if entries.contains(where: { $0.key == CoarseLocator.key }) {
      entries.removeAll { $0.key == CoarseLocator.key }
      unsaved.append(.remove(CoarseLocator.key))
    }
    save()
    return secret
  }

  /// Whether the executable may use the identity: the first that does keeps it.
  func claim(_ identity: AppIdentity, by executable: String, noting: (Note) -> Void) -> Bool {
    let key = Self.identityKey(of: identity)
    let claimant = [UInt8](executable.utf8)
    if let entry = entries.first(where: { $0.key == key }) { return entry.value == claimant }
    // Nobody can tell apart what differs in upper and lower case only.
    let folded = identity.name.lowercased()
    let isVariant = entries.contains {
      $0.key.domain == key.domain && $0.key.owner.lowercased() == folded
    }
    guard !isVariant else { return false }
    guard hasRoom(for: identity) else {
      let text =
        "its user's programs keep \(Bounds.identifiersPerUser) identifiers already; make room with: "
        + "locationctl data erase --app APP"
      noting(.limit(identity, text))
      return false
    }
    entries.append(StateEntry(key: key, value: claimant))
    commit([.engine(.persist(.set(key, claimant)))])
    if let fault { noting(.store("\(fault); who may use \(identity) is not stored yet")) }
    return true
  }

  /// Whether the user of an identity may have one more, so that nobody fills the disk with names.
  private func hasRoom(for identity: AppIdentity) -> Bool {
    let known = entries.count {
      $0.key.domain == "identity" && AppIdentity($0.key.owner).user == identity.user
    }
    return known < Bounds.identifiersPerUser
  }

  /// Where the program that may use an identity is kept.
  static func identityKey(of identity: AppIdentity) -> StateKey {
    StateKey(domain: "identity", owner: identity.name)
  }

  // MARK: Reading

  /// What is decided now, by this process or another one; what could not be read is as it was.
  package var stored: [StateEntry] { read() ?? entries }

  /// The same; `nil` where it cannot be read now.
  func read() -> [StateEntry]? {
    guard let store else { return entries }
    guard let entries = try? store.entries(of: owner) else { return nil }
    return Self.applying(unsaved, to: entries)
  }

  private static func applying(_ changes: [StateChange], to entries: [StateEntry]) -> [StateEntry] {
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

  /// Stores what another one than the engine has decided.
  ///
  /// - Throws: why nothing of it was stored.
  package func store(_ changes: [StateChange]) throws(StoreError) {
    guard let store else {
      entries = Self.applying(changes, to: entries)
      return
    }
    try store.commit(unsaved + changes)
    (unsaved, fault) = ([], nil)
  }

  /// Erases what is stored of one app, or of all; returns how many entries there were.
  ///
  /// Nothing is stored any more after that: the engine still knows what was erased, and has to
  /// start over, also where ``StoreError/isErased`` is thrown.
  package func erase(_ app: String?) throws(StoreError) -> Int {
    guard let store else {
      endErased()
      return 0
    }
    try store.commit(unsaved)
    (unsaved, fault) = ([], nil)
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
  }

  /// Stores the changes among a step's outputs, all or none; when that fails, ``isBehind``.
  package func commit(_ outputs: [ServiceCore.Output]) {
    var isNew = false
    for case .engine(.persist(let change)) in outputs {
      unsaved.append(change)
      isNew = true
    }
    guard isNew else { return }
    guard store != nil else {
      entries = Self.applying(unsaved, to: entries)
      unsaved = []
      return
    }
    // Until then the timer tries again, and not each step.
    if isBehind { condense() } else { save() }
  }

  /// Tries to store what is not stored yet; whether everything is.
  @discardableResult
  package func save() -> Bool {
    guard let store, !unsaved.isEmpty else { return true }
    do throws(StoreError) {
      try store.commit(unsaved)
      (unsaved, fault) = ([], nil)
    } catch {
      fault = error
      condense()
    }
    return fault == nil
  }

  /// Keeps the last change of each key, so that what waits has an end.
  private func condense() {
    guard unsaved.count >= condensing else { return }
    var last: [StateKey: StateChange] = [:]
    for change in unsaved { last[change.key] = change }
    if last.count > Self.most, let store, let stored = try? store.entries() {
      let keys = Set(stored.map(\.key))
      // What was made and removed meanwhile leaves nothing to store.
      last = last.filter { entry in
        if case .remove = entry.value { keys.contains(entry.key) } else { true }
      }
    }
    unsaved = last.values.sorted { $0.key < $1.key }
    condensing = max(64, 2 * unsaved.count)
  }

  /// Chosen: from so many keys on, it is worth reading what is stored.
  private static let most = 1000

  /// Whether something decided about an app, or about the whole machine, is not stored.
  func isBehind(_ app: String) -> Bool {
    isBehind && unsaved.contains { $0.key.owner == app || $0.key.owner.isEmpty }
  }

  /// Whether what an app may know, which program it is, whether location services are on, or what its
  /// coarse places come from is decided and not stored.
  package func isPermissionBehind(_ app: String) -> Bool {
    let keys = [
      AuthorizationRecord.key(of: AppIdentity(app)), Self.identityKey(of: AppIdentity(app)),
    ]
    return isBehind
      && unsaved.contains {
        keys.contains($0.key) || [Setting.domain, Self.secretDomain].contains($0.key.domain)
      }
  }

  /// Overwrites in the files what was changed or removed since; a reader in the way is waited for until
  /// the next time.
  func scrub() {
    if !isBehind { try? store?.scrub() }
  }

  /// Calls `changed` on the queue when another process says that it has changed the state.
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

  /// Damaged files that were moved aside: removed when they are older than what they may hold.
  func removeDamagedFiles(
    olderThan term: Duration, at now: Moment, seen: inout [String: Instant]
  ) {
    guard lock != nil else { return }
    folder.removeDamagedFiles(olderThan: term, at: now, seen: &seen)
  }

  /// Damaged files that were moved aside.
  package var damagedFiles: [DamagedFile] { folder.damagedFiles() }
}

extension StateChange {
  /// Where it changes something.
  var key: StateKey {
    switch self {
    case .set(let key, _), .remove(let key): key
    }
  }
}

extension SecretKey {
  /// A new key from the system's generator.
  package static func random() -> SecretKey {
    var generator = SystemRandomNumberGenerator()
    return SecretKey(using: &generator)
  }
}
