package import Dispatch
package import LocationCore
package import LocationEngine
package import LocationModel

/// Keeps the durable state of one host: reads it at the start, stores each step, and hears when
/// another process has changed it.
///
/// Lives on the host's queue. What cannot be stored now (a full disk) is kept and stored with the
/// next step, so nothing accepted is lost while the process lives.
package final class StateKeeper {
  private let folder: StateFolder
  private let owner: AppIdentity?
  private var store: StateStore?
  private var unsaved: [StateChange] = []
  private var watch: (any DispatchSourceRead)?
  /// What was stored when the file was opened.
  package private(set) var entries: [StateEntry] = []

  /// Opens the state of one app, or of all; `noting` hears why it could not be opened.
  package init(
    folder: StateFolder, owner: AppIdentity? = nil, noting: (Note) -> Void = { _ in }
  ) {
    self.folder = folder
    self.owner = owner
    do throws(StoreError) {
      try open(noting: noting)
    } catch {
      noting(.store("\(error); the state of this run is kept in memory only"))
    }
  }

  deinit {
    watch?.cancel()
  }

  private func open(noting: (Note) -> Void) throws(StoreError) {
    do throws(StoreError) {
      let store = try StateStore(path: folder.file)
      entries = try store.entries(of: owner)
      self.store = store
    } catch {
      guard error.isCorruption else { throw error }
      let place = folder.moveDamagedFileAside()
      noting(.store("the state was damaged and lies now at \(place) (\(error)); it begins anew"))
      store = try StateStore(path: folder.file)
    }
  }

  /// The secret of this machine's coarse places: made once, kept for good (docs/decisions/0015).
  ///
  /// One that is no key of today's length is replaced, and the cell that was laid by it forgotten.
  package func secret() -> SecretKey {
    let key = StateKey(domain: "secret", owner: "")
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
    commit([.engine(.persist(.set(key, claimant)))], noting: noting)
    return true
  }

  /// Whether the user of an identity may have one more, so that nobody fills the disk with names.
  private func hasRoom(for identity: AppIdentity) -> Bool {
    let user = LogCaller(app: identity.name).user
    let known = entries.count {
      $0.key.domain == "identity" && LogCaller(app: $0.key.owner).user == user
    }
    return known < Bounds.identifiersPerUser
  }

  /// Where the program that may use an identity is kept.
  static func identityKey(of identity: AppIdentity) -> StateKey {
    StateKey(domain: "identity", owner: identity.name)
  }

  /// What is stored now, by this process or another one; what could not be read is not there.
  var stored: [StateEntry] {
    guard let store, let entries = try? store.entries(of: owner) else { return entries }
    return entries
  }

  /// Stores what another one than the engine has decided.
  func store(_ changes: [StateChange]) throws(StoreError) {
    try store?.commit(changes)
  }

  /// Erases what is stored of one app, or of all; returns how many entries there were.
  ///
  /// Nothing is stored any more after that: the engine still knows what was erased, and has to
  /// start over.
  func erase(_ app: String?) throws(StoreError) -> Int {
    guard let store else { return 0 }
    let count = try store.erase(app)
    if app == nil { folder.removeDamagedFiles() }
    self.store = nil
    return count
  }

  /// Stores the changes among a step's outputs, all or none.
  package func commit(_ outputs: [HostCore.Output], noting: (Note) -> Void) {
    var isNew = false
    for case .engine(.persist(let change)) in outputs {
      unsaved.append(change)
      isNew = true
    }
    guard isNew, let store else { return }
    do throws(StoreError) {
      try store.commit(unsaved)
      unsaved = []
    } catch {
      noting(.store("\(error); will try again with the next change"))
    }
  }

  /// Calls `changed` on the queue when another process says that it has changed the state.
  package func whenChangedOutside(
    on queue: DispatchQueue, _ changed: @escaping @Sendable ([StateEntry]) -> Void
  ) {
    guard let (source, descriptor) = folder.watch(on: queue) else { return }
    let (path, owner) = (folder.file, owner)
    source.setEventHandler {
      guard StateFolder.drain(descriptor) else { return }
      guard let store = try? StateStore(path: path),
        let entries = try? store.entries(of: owner)
      else { return }
      changed(entries)
    }
    source.activate()
    watch = source
  }
}

extension SecretKey {
  /// A new key from the system's generator.
  package static func random() -> SecretKey {
    var generator = SystemRandomNumberGenerator()
    return SecretKey(using: &generator)
  }
}
