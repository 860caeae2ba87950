import Glibc
import LocationModel
import LocationProviders
import LocationSecrets

/// The folder of the keys of a state, beside the state's (docs/decisions/0108).
///
/// Its files change only while the process has the write lock of the database.
struct StateKeys {
  /// What the file of the keys holds, and what has opened it.
  struct Reading {
    var ring: KeyRing
    var master: MasterKey
  }

  let folder: StateFolder
  /// The folder that was checked; everything is read and written in it, whatever lies at its path.
  let held: HeldFolder
  /// The credentials of this process, the present one first.
  let credentials: [MasterKey]
  /// Where the Secret Service is; `nil` for a process that has none.
  let secrets: SecretBus?
  /// Whether the Secret Service can keep a new master; `nil` if it was not asked, as none is needed.
  let standing: SecretOutcome?

  /// Creates the folder if it does not exist, and checks that it is this user's alone.
  ///
  /// - Parameters:
  ///   - file: the file of the state.
  ///   - credentials: the folder with the systemd credentials of this process.
  ///   - secrets: where the Secret Service is; it is asked whether it can keep a master if one is needed.
  ///   - noting: called with each mode that was corrected.
  /// - Throws: `StoreError` if the folder cannot be made, or is not this user's alone.
  init(
    beside file: String, credentials: String?, secrets: SecretBus? = nil,
    noting: (String) -> Void = { _ in }
  ) throws(StoreError) {
    folder = StateFolder(containing: file).keys
    do throws(Errno) { try folder.create() } catch {
      let fault = StateFault(error)
      guard fault.kind != .unavailable else { throw StoreError(error) }
      throw StoreError(
        code: StoreError.locked, context: folder.path,
        message:
          "no folder for the keys of the state can be made there (\(error.reason)); make it: "
          + "install -d -m 700 -o \(geteuid()) \(folder.path.quoted)")
    }
    let folder = folder
    held = try StoreError.locking(folder.path) { () throws(StateFault) in
      try folder.secure(noting: noting)
    }
    self.credentials = try MasterKey.credentials(in: credentials)
    self.secrets = secrets
    // While no process waits for this one.
    let (keys, master) = (held.file(StateFolder.keyFile), held.file(StateFolder.master))
    let needsMaster =
      self.credentials.isEmpty && access(keys, F_OK) != 0 && access(master, F_OK) != 0
    standing = needsMaster ? secrets?.run(.look, within: Self.longest) : nil
  }

  var file: String { held.file(StateFolder.keyFile) }
  /// For a person.
  var shownFile: String { folder.path + "/" + StateFolder.keyFile }
  private var masterFile: String { held.file(StateFolder.master) }
  private var nextMasterFile: String { masterFile + ".next" }

  /// What a look at the file shows; it changes with the file.
  var stamp: FileStamp? { held.stamp(of: StateFolder.keyFile) }

  // MARK: Reading

  /// Reads the keys; `nil` if there are none.
  ///
  /// - Parameter known: the master that has opened them before; it is not looked for again.
  /// - Returns: the keys, and the master that has opened them.
  /// - Throws: `StoreError` if they do not open: the master is lost or another one
  ///   (``StoreError/isKeyLost``), or it is a credential that this process was not given, or the Secret
  ///   Service does not hand it out now.
  func read(knowing known: MasterKey? = nil) throws(StoreError) -> Reading? {
    var status = stat()
    guard lstat(file, &status) == 0 else {
      guard errno == ENOENT else { throw StoreError(Errno(last: "stat \(file)"), in: held) }
      return nil
    }
    guard let bytes = SmallFile.read(file, limit: Self.largest) else {
      throw StoreError(
        code: StoreError.locked, context: shownFile, message: "it cannot be read, or is too large")
    }
    let head = Array(bytes.prefix { $0 != UInt8(ascii: "\n") })
    let origin = try origin(head)
    let sealed = bytes.dropFirst(head.count + 1)
    for master in credentials {
      if let ring = Self.ring(in: sealed, at: head, with: master) {
        return Reading(ring: ring, master: master)
      }
    }
    for file in [masterFile, nextMasterFile] {
      guard case .key(let master) = try look(at: file),
        let ring = Self.ring(in: sealed, at: head, with: master)
      else { continue }
      return Reading(ring: ring, master: master)
    }
    if case .service(let item) = origin {
      let master = known?.origin == origin ? known : try serviceMaster(item)
      if let master, let ring = Self.ring(in: sealed, at: head, with: master) {
        return Reading(ring: ring, master: master)
      }
      guard master != nil else {
        throw lost(
          "\(shownFile) is sealed with the item \(item) of the Secret Service, which is gone")
      }
    }
    guard origin == .credential, credentials.isEmpty else {
      throw lost("no key that is here opens \(shownFile)")
    }
    throw StoreError(
      code: StoreError.locked, context: folder.path,
      message:
        "the state is sealed with the systemd credential \(MasterKey.credential), which this "
        + "process was not given; start it by its unit; nothing was changed")
  }

  /// Reads the first line.
  private func origin(_ head: [UInt8]) throws(StoreError) -> MasterKey.Origin {
    let words = String(decoding: head, as: UTF8.self).split(separator: " ")
    guard words.count >= 3, words[0] == Self.name, let number = Int(words[1]) else {
      throw lost("\(shownFile) is damaged")
    }
    guard number <= Self.version else {
      throw StoreError(
        code: StoreError.newer, context: shownFile,
        message: "a newer program has written it, in form \(number); nothing was changed")
    }
    guard words.count == 3, let origin = MasterKey.Origin(word: words[2]) else {
      throw lost("\(shownFile) is damaged")
    }
    return origin
  }

  /// Where the master of a file of keys is from, as its first line says; `nil` if it says nothing.
  static func head(of file: String) -> MasterKey.Origin? {
    guard let bytes = SmallFile.read(file, limit: largest) else { return nil }
    let head = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    return head.split(separator: " ").last.flatMap { MasterKey.Origin(word: $0) }
  }

  private static func ring(
    in sealed: ArraySlice<UInt8>, at head: [UInt8], with master: MasterKey
  ) -> KeyRing? {
    guard var open = Seal.open(sealed, at: head, with: master.key) else { return nil }
    defer { wipe(&open) }
    return KeyRing(bytes: open)
  }

  /// What lies where a master belongs.
  private enum MasterFile {
    case missing
    case malformed
    case key(MasterKey)
  }

  /// - Throws: `StoreError` if it cannot be read now; it may be whole.
  private func look(at file: String) throws(StoreError) -> MasterFile {
    do throws(Errno) {
      guard var bytes = try SmallFile.contents(of: file, limit: 256) else { return .missing }
      defer { wipe(&bytes) }
      return MasterKey.key(bytes).map { .key(MasterKey(key: $0, origin: .file)) } ?? .malformed
    } catch {
      guard error.code != EFBIG else { return .malformed }
      let shown = StoreError(error, in: held)
      throw StoreError(
        code: StoreError.locked, context: shown.context,
        message: "\(shown.message); nothing was changed")
    }
  }

  private func lost(_ reason: String) -> StoreError {
    StoreError(
      code: StoreError.keyLost, context: "the key of the state is lost", message: reason)
  }

  // MARK: Writing

  /// Whether another master is to be used than the one that has opened the keys.
  func wantsAnother(than master: MasterKey) -> Bool {
    if let credential = credentials.first { return credential.key != master.key }
    if master.origin.item != nil {
      return access(masterFile, F_OK) == 0 || access(nextMasterFile, F_OK) == 0
    }
    // One that cannot be read now is left alone.
    guard let found = try? look(at: masterFile) else { return false }
    guard case .key(let present) = found, present.key == master.key else { return true }
    return access(nextMasterFile, F_OK) == 0
  }

  /// The master to be used: the credential, else that of the file, else a new one, which the Secret
  /// Service keeps if it can, else the file.
  ///
  /// - Parameter opened: the one that has opened the keys; if it is that of a process that died while
  ///   it renewed them, it becomes the master.
  /// - Returns: the master.
  /// - Throws: `StoreError` of the system, also if there is one that cannot be read now.
  func master(after opened: MasterKey? = nil) throws(StoreError) -> MasterKey {
    if let credential = credentials.first { return credential }
    if let opened, opened.origin.item != nil { return opened }
    if let opened, case .key(let next) = try look(at: nextMasterFile) {
      guard next.key == opened.key else {
        ReplacedFile.wipe(nextMasterFile)
        return opened
      }
      try put(next)
      return next
    }
    switch try look(at: masterFile) {
    case .key(let master): return master
    case .malformed: try moveAside(masterFile)
    case .missing: break
    }
    if opened == nil, (standing ?? secrets?.run(.look, within: Self.brief)) == .ready {
      do throws(StoreError) { return try newServiceMaster() } catch {
        // Then the file is what is left.
        guard error.isLocked else { throw error }
      }
    }
    try create(.random(), at: masterFile)
    guard case .key(let master) = try look(at: masterFile) else {
      throw StoreError(Errno(code: EIO, call: "read \(masterFile)"), in: held)
    }
    return master
  }

  /// Replaces the keys and their master, unless that is a credential.
  ///
  /// A process that dies in between leaves a new master that opens the keys, beside the old one.
  ///
  /// - Parameters:
  ///   - ring: the keys.
  ///   - place: where the new master is to lie.
  /// - Returns: the new master.
  /// - Throws: `StoreError` if it cannot be put there; then the present one stays.
  func renew(_ ring: KeyRing, in place: KeyPlace) throws(StoreError) -> MasterKey {
    guard credentials.isEmpty else {
      let master = try master()
      try write(ring, with: master)
      return master
    }
    if place == .secretService {
      let next = try newServiceMaster()
      try write(ring, with: next)
      return next
    }
    let next = MasterKey(key: .random(), origin: .file)
    ReplacedFile.wipe(nextMasterFile)
    try create(next.key, at: nextMasterFile)
    try write(ring, with: next)
    try put(next)
    return next
  }

  private func create(_ key: SecretKey, at file: String) throws(StoreError) {
    var text = key.digits
    defer { wipe(&text) }
    do throws(Errno) { try ReplacedFile.create(text, at: file) } catch {
      throw StoreError(error, in: held)
    }
  }

  /// Makes the new master the master.
  private func put(_ master: MasterKey) throws(StoreError) {
    var text = master.key.digits
    defer { wipe(&text) }
    do throws(Errno) { try ReplacedFile.write(text, to: masterFile) } catch {
      throw StoreError(error, in: held)
    }
    ReplacedFile.wipe(nextMasterFile)
  }

  /// Replaces the keys; a file with a master that is not used any more is overwritten.
  func write(_ ring: KeyRing, with master: MasterKey) throws(StoreError) {
    // Form 1 stays readable for older programs where they can open it.
    let number = master.origin.item == nil ? 1 : Self.version
    let head = Array("\(Self.name) \(number) \(master.origin.word)".utf8)
    if let before = Self.head(of: file)?.item, before != master.origin.item { try list(before) }
    var open = ring.bytes
    defer { wipe(&open) }
    let sealed = Seal.seal(
      open, at: head, nonce: .random(Seal.nonceLength), with: master.key)
    guard head.count + 1 + sealed.count <= Self.largest else {
      throw StoreError(
        code: StoreError.tooLarge, context: shownFile,
        message:
          "the keys of so many apps, or of such long names, do not fit into the \(Self.largest) bytes "
          + "that are read; nothing was stored; erase apps: locationctl data erase --app APP")
    }
    do throws(Errno) {
      try ReplacedFile.write(head + [UInt8(ascii: "\n")] + sealed, to: file)
    } catch { throw StoreError(error, in: held) }
    guard master.origin != .file else { return }
    ReplacedFile.wipe(masterFile)
    ReplacedFile.wipe(nextMasterFile)
  }

  /// Moves keys aside that belong to no state any more.
  func moveAside() throws(StoreError) {
    if let item = Self.head(of: file)?.item { try list(item) }
    try moveAside(file)
  }

  private func moveAside(_ file: String) throws(StoreError) {
    guard rename(file, StateFolder.aside(file)) == 0 else {
      throw StoreError(Errno(last: "rename \(file)"), in: held)
    }
  }

  /// Whether a process has left files behind that died while it replaced one.
  var hasLeftovers: Bool { !ReplacedFile.leftovers(in: held).isEmpty }

  /// Overwrites and removes such files.
  func tidy() { ReplacedFile.tidy(held) }

  private static let name = "meridian-keys"
  /// 2 where the master is an item of the Secret Service, which programs that know form 1 cannot ask.
  private static let version = 2
  /// The greatest size in bytes. Chosen: tens of thousands of apps.
  private static let largest = 8 << 20
}
