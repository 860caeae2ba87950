import LocationModel
import LocationRecording
import LocationSQLite
import LocationSecrets

/// Seals and opens the rows of one state (docs/decisions/0108).
///
/// Lives with its ``StateStore``, behind the same lock.
final class StateSeal {
  /// Why a row does not open.
  enum RowFault: String, Error {
    case changed = "changed, or of another place"
    case keyless = "of an app whose key is gone"
  }

  /// What stands for the names of a row in the file.
  struct RowName: Hashable {
    var owner: [UInt8]
    var name: [UInt8]
  }

  private let keys: StateKeys
  private(set) var ring: KeyRing
  private(set) var master: MasterKey
  /// The generation of the keys that the rows are sealed with.
  private(set) var generation: UInt32
  private var stamp: FileStamp?
  /// The function of the names of this generation; `nil` for none.
  private var names: KeyedFunction?
  /// One for texts that are the same but for how their characters are composed.
  private var owners: [String: Owner] = [:]
  private var ownersByName: [[UInt8]: Owner] = [:]

  /// What the rows of an owner need.
  private struct Owner {
    var text: String
    /// What stands for it in the file.
    var name: [UInt8]
    /// Its data key; `nil` for none yet.
    var key: SecretKey?
  }

  /// `stamp` is that of the file of the keys before it was read; what another process writes in
  /// between is read again.
  private init(
    _ keys: StateKeys, _ reading: StateKeys.Reading, generation: UInt32, stamp: FileStamp?
  ) {
    self.keys = keys
    (ring, master) = (reading.ring, reading.master)
    self.generation = generation
    self.stamp = stamp
    index()
  }

  /// Opens the keys of a state that is sealed.
  ///
  /// - Parameters:
  ///   - keys: the folder of the keys.
  ///   - generation: the one of its rows.
  /// - Throws: `StoreError` if they are not there, do not open, or are those of another state.
  convenience init(_ keys: StateKeys, generation: UInt32) throws(StoreError) {
    let stamp = keys.stamp
    guard let reading = try keys.read() else {
      throw StoreError(
        code: StoreError.keyLost, context: "the key of the state is lost",
        message: "there are no keys in \(keys.folder.path)")
    }
    guard reading.ring.generations[generation] != nil else {
      throw StoreError(
        code: StoreError.keyLost, context: "the key of the state is lost",
        message: "the keys in \(keys.folder.path) are those of another state")
    }
    self.init(keys, reading, generation: generation, stamp: stamp)
  }

  /// Opens the keys that are there, for what is read without the state; `nil` if there are none.
  ///
  /// - Throws: `StoreError` with why they do not open.
  static func existing(
    beside file: String, secrets: SecretBus?
  ) throws(StoreError) -> StateSeal? {
    let path = StateFolder(containing: file).keys.path
    guard FileStamp(ofFileAt: path) != nil else { return nil }
    let keys = try StateKeys(
      beside: file, credentials: HostEnvironment.current.credentials, secrets: secrets)
    guard let reading = try keys.read() else { return nil }
    return StateSeal(keys, reading, generation: reading.ring.newest, stamp: nil)
  }

  /// Takes the keys that are there, or makes new ones, for a state that is not sealed yet; its
  /// transaction has begun.
  static func begin(_ keys: StateKeys) throws(StoreError) -> StateSeal {
    var reading: StateKeys.Reading?
    do throws(StoreError) { reading = try keys.read() } catch {
      guard error.isKeyLost else { throw error }
      // No state rests on them but one that was moved aside.
      try keys.moveAside()
    }
    if let reading {
      return StateSeal(keys, reading, generation: reading.ring.newest, stamp: keys.stamp)
    }
    let new = StateKeys.Reading(ring: .new(), master: try keys.master())
    try keys.write(new.ring, with: new.master)
    try keys.removeUnusedItems()
    return StateSeal(keys, new, generation: new.ring.newest, stamp: keys.stamp)
  }

  /// Where the master is from, for a person.
  var origin: String { keys.words(for: master.origin) }
  /// What is to be said about where it is from.
  var finding: String? { keys.finding(about: master.origin) }

  // MARK: Changes of the keys, within a transaction

  /// Whether the keys are as ``settle(for:)`` leaves them.
  func isSettled(for owners: Set<[UInt8]>?) -> Bool {
    !keys.wantsAnother(than: master) && !keys.hasLeftovers && keys.unusedItems.isEmpty
      && used(by: owners) == ring
  }

  /// Writes the keys of the present generation alone, without those of owners that have no rows, with
  /// the present master, and removes what a process that died has left beside them.
  ///
  /// - Parameter owners: what stands for the owners of all rows; `nil` if keys of others are needed, too.
  /// - Throws: `StoreError` if the keys cannot be written.
  func settle(for owners: Set<[UInt8]>?) throws(StoreError) {
    keys.tidy()
    try write(used(by: owners), with: keys.master(after: master))
    index()
    try keys.removeUnusedItems()
  }

  private func used(by owners: Set<[UInt8]>?) -> KeyRing {
    guard var own = ring.generations[generation] else { return ring }
    if let owners {
      own.owners = own.owners.filter {
        $0.key.isEmpty || KeyRing.Generation.isRecordings($0.key)
          || owners.contains(hash(ofOwner: $0.key))
      }
    }
    return KeyRing(generations: [generation: own])
  }

  /// Writes the keys of the present generation alone, with a new master unless that is a credential.
  func renewMaster(in place: KeyPlace) throws(StoreError) {
    let own = KeyRing(generations: ring.generations.filter { $0.key == generation })
    master = try keys.renew(own, in: place)
    (ring, stamp) = (own, keys.stamp)
    try keys.removeUnusedItems()
  }

  /// The place for a new master, which can be made there as far as a look shows.
  ///
  /// - Parameter wanted: where a person wants it; `nil` for where the present one lies.
  /// - Returns: the place.
  /// - Throws: `StoreError` with why it cannot; nothing was changed.
  func place(_ wanted: KeyPlace?) throws(StoreError) -> KeyPlace {
    let place = try keys.place(wanted, insteadOf: master)
    try keys.require(place)
    return place
  }

  /// Reads the keys again if another process has changed them, and the generation of the rows.
  func refresh(from database: Database) throws(StoreError) {
    let found = UInt32(
      clamping: try StateSchema.number("SELECT generation FROM sealing", on: database))
    let present = keys.stamp
    if present != stamp || ring.generations[found] == nil {
      guard let reading = try keys.read(knowing: master),
        reading.ring.generations[found] != nil
      else {
        throw StoreError(
          code: StoreError.keyLost, context: keys.folder.path,
          message: "the keys of the state are gone, or those of another state")
      }
      (ring, master, stamp) = (reading.ring, reading.master, present)
      generation = found
      index()
    } else if found != generation {
      generation = found
      index()
    }
  }

  /// Begins a new generation beside the present ones; rows are sealed with it from now on.
  ///
  /// - Parameter keepsRecordings: whether recordings that exist can still be opened; new ones get a new
  ///   key all the same.
  /// - Throws: `StoreError` if the keys cannot be written.
  func beginGeneration(keepingRecordings keepsRecordings: Bool) throws(StoreError) {
    var ring = ring
    let next = max(ring.newest + 1, KeyRing.new().newest)
    var new = KeyRing.Generation.new()
    let present = ring.generations[generation]
    if keepsRecordings, let present, !present.recordings.isEmpty {
      new.owners.merge(present.owners.filter { KeyRing.Generation.isRecordings($0.key) }) { $1 }
      new.addRecordingsKey()
    }
    ring.generations[next] = new
    try write(ring, with: master)
    generation = next
    index()
  }

  /// Destroys the key of an owner, in every generation.
  func destroyKey(of owner: String) throws(StoreError) {
    var ring = ring
    for (number, generation) in ring.generations {
      // However its characters are composed.
      let own = generation.owners.keys.filter {
        !KeyRing.Generation.isRecordings($0) && String(decoding: $0, as: UTF8.self) == owner
      }
      for bytes in own { ring.generations[number]?.owners[bytes] = nil }
    }
    try write(ring, with: master)
    index()
  }

  /// The keys of recordings.
  var recordings: SealedRecording.Keys { ring.generations[generation]?.recordings ?? [:] }

  /// Makes a key of recordings if there is none.
  func makeRecordingsKey() throws(StoreError) {
    guard recordings.isEmpty else { return }
    var ring = ring
    ring.generations[generation]?.addRecordingsKey()
    try write(ring, with: master)
  }

  /// Puts the keys back as they were in a transaction that has failed, unless another process has
  /// changed them since; another transaction has begun.
  func restore(_ ring: KeyRing, _ generation: UInt32) {
    guard keys.stamp == stamp else { return }
    self.generation = generation
    try? write(ring, with: master)
    index()
  }

  private func write(_ ring: KeyRing, with master: MasterKey) throws(StoreError) {
    try keys.write(ring, with: master)
    (self.ring, self.master, stamp) = (ring, master, keys.stamp)
  }

  /// Finds again what the rows of each owner need.
  private func index() {
    let keys = ring.generations[generation]
    names = (keys?.names).map { KeyedFunction($0, purpose: "names of rows") }
    (owners, ownersByName) = ([:], [:])
    for (owner, key) in keys?.owners ?? [:] where !KeyRing.Generation.isRecordings(owner) {
      add(String(decoding: owner, as: UTF8.self), key: key)
    }
  }

  private func hash(ofOwner owner: [UInt8]) -> [UInt8] { names?.name(of: [0] + owner) ?? [] }

  @discardableResult
  private func add(_ owner: String, key: SecretKey?) -> Owner {
    let name = hash(ofOwner: Array(owner.utf8))
    let known = Owner(text: owner, name: name, key: key)
    owners[owner] = known
    ownersByName[name] = known
    return known
  }

  // MARK: Names

  /// What stands for an owner in the file.
  func name(ofOwner owner: String) -> [UInt8] { known(owner).name }

  private func known(_ owner: String) -> Owner { owners[owner] ?? add(owner, key: nil) }

  /// What stands for the names of a key in the file.
  func name(of key: StateKey) -> RowName {
    let owner = name(ofOwner: key.owner)
    var message: [UInt8] = [1]
    message.reserveCapacity(Self.room)
    message += key.domain.utf8
    message.append(0)
    message += owner
    message += key.name.utf8
    return RowName(owner: owner, name: names?.name(of: message) ?? [])
  }

  // MARK: Rows

  /// Seals a row; the first one of an owner makes a key.
  func seal(_ value: [UInt8], of key: StateKey, as row: RowName) throws(StoreError) -> [UInt8] {
    let dataKey = try dataKey(of: key.owner)
    let name = key.name.utf8
    var open = UInt32(name.count).bytes
    open.reserveCapacity(open.count + name.count + value.count)
    open += name
    open += value
    return [Self.form]
      + Seal.seal(
        open, at: place(key.domain, row), nonce: .random(Seal.nonceLength), with: dataKey)
  }

  /// The data key of an owner; one that has none gets one.
  private func dataKey(of owner: String) throws(StoreError) -> SecretKey {
    let known = known(owner)
    if let key = known.key { return key }
    guard ring.generations[generation] != nil else {
      throw StoreError(
        code: StoreError.keyLost, context: keys.folder.path, message: "there is no key to seal with"
      )
    }
    let new = SecretKey.random()
    var ring = ring
    ring.generations[generation]?.owners[Array(known.text.utf8)] = new
    try write(ring, with: master)
    add(known.text, key: new)
    return new
  }

  /// Opens a row.
  func open(
    _ sealed: UnsafeRawBufferPointer, in domain: String, as row: RowName
  ) -> Result<StateEntry, RowFault> {
    guard let owner = ownersByName[row.owner], let dataKey = owner.key else {
      return .failure(.keyless)
    }
    guard sealed.first == Self.form,
      let open = Seal.open(sealed.dropFirst(), at: place(domain, row), with: dataKey)
    else { return .failure(.changed) }
    var rest = open[...]
    guard let length = rest.takeNumber(), let name = rest.take(Int(length)) else {
      return .failure(.changed)
    }
    let key = StateKey(
      domain: domain, owner: owner.text, name: String(decoding: name, as: UTF8.self))
    return .success(StateEntry(key: key, value: Array(rest)))
  }

  private func place(_ domain: String, _ row: RowName) -> [UInt8] {
    var place = Self.table
    place.reserveCapacity(Self.room)
    place += generation.bytes
    place += domain.utf8
    place.append(0)
    place += row.owner
    place += row.name
    return place
  }

  // MARK: The guard

  /// Seals the value of an entry for the guard, which outlives generations.
  func seal(guarded entry: StateEntry) -> [UInt8]? {
    guard let key = ring.generations[generation]?.owners[[]] else { return nil }
    return generation.bytes
      + Seal.seal(
        entry.value, at: Self.place(ofGuarded: entry.key), nonce: .random(Seal.nonceLength),
        with: key)
  }

  /// Opens the value of an entry of the guard.
  func open(_ value: [UInt8], ofGuarded key: StateKey) -> [UInt8]? {
    var rest = value[...]
    guard let number = rest.takeNumber(), let dataKey = ring.generations[number]?.owners[[]]
    else { return nil }
    return Seal.open(rest, at: Self.place(ofGuarded: key), with: dataKey)
  }

  private static func place(ofGuarded key: StateKey) -> [UInt8] {
    Array("meridian-guard\0\(key.domain)\0\(key.owner)\0\(key.name)".utf8)
  }

  private static let form: UInt8 = 1
  /// The bytes that most names and places fit into.
  private static let room = 96
  private static let table = Array("meridian-state 2\0".utf8)
}
