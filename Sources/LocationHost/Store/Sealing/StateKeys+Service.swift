import Glibc
import LocationModel
import LocationProviders
import LocationSecrets

/// Where a person wants the key that opens all others.
package enum KeyPlace: String, CaseIterable, Sendable {
  case file
  case secretService = "secret-service"
}

/// The master as an item of the Secret Service (docs/decisions/0119).
extension StateKeys {
  /// How long this process waits for the service while nobody waits for it, and while another process may.
  /// Chosen: the first start of the service on a slow disk; less than processes wait for the database.
  static let (longest, brief) = (Duration.seconds(5), Duration.milliseconds(1500))

  private func item(_ name: String) -> SecretItem {
    SecretItem(name: name, label: "Location data in \(StateFolder.shown(keys: folder.path))")
  }

  // MARK: One master

  /// Reads the master from its item; `nil` if there is no such item and nothing hides it.
  ///
  /// - Throws: `StoreError` if the service does not hand it out now: then nothing is lost.
  func serviceMaster(_ name: String) throws(StoreError) -> MasterKey? {
    var outcome = secrets?.run(.find(item(name)), within: Self.longest)
    if var secret = outcome?.takeSecret() {
      defer { wipe(&secret) }
      guard let key = MasterKey.key(secret) else {
        throw closed(name, "what the Secret Service holds there is no key", next: Self.restoring)
      }
      return MasterKey(key: key, origin: .service(item: name))
    }
    guard outcome != .missing else { return nil }
    let reason = outcome?.fault ?? "this process uses no Secret Service"
    throw closed(name, reason, next: Self.next(outcome))
  }

  /// Makes a new master in the service.
  ///
  /// - Throws: `StoreError` if the service does not keep it now.
  func newServiceMaster() throws(StoreError) -> MasterKey {
    let master = MasterKey(key: .random(), origin: .newInService())
    guard let name = master.origin.item else { return master }
    // So that a process that dies here leaves no item that nobody knows.
    try list(name)
    var digits = master.key.digits
    defer { wipe(&digits) }
    let outcome = secrets?.run(.store(item(name), digits), within: Self.brief)
    guard outcome == .stored else { throw refused(outcome) }
    return master
  }

  /// Makes sure that a master can be made in a place, before anything is changed for it.
  ///
  /// - Throws: `StoreError` with why not.
  func require(_ place: KeyPlace) throws(StoreError) {
    guard place == .secretService else { return }
    let outcome = secrets?.run(.look, within: Self.longest)
    guard outcome == .ready else { throw refused(outcome) }
  }

  /// The place in which a new master is to lie.
  ///
  /// - Parameters:
  ///   - wanted: where a person wants it; `nil` for where the present one lies.
  ///   - present: the present master.
  /// - Returns: the place.
  /// - Throws: `StoreError` if it is a credential, which a person changes elsewhere.
  func place(_ wanted: KeyPlace?, insteadOf present: MasterKey) throws(StoreError) -> KeyPlace {
    guard wanted == nil || credentials.isEmpty else {
      throw StoreError(
        code: StoreError.locked, context: folder.path,
        message:
          "the key is the systemd credential \(MasterKey.credential), and stays there; "
          + "nothing was changed")
    }
    return wanted ?? (present.origin.item == nil ? .file : .secretService)
  }

  private func closed(_ item: String, _ reason: String, next: String) -> StoreError {
    StoreError(
      code: StoreError.locked, context: folder.path,
      message:
        "the state is sealed with the item \(item) of the Secret Service, and \(reason); "
        + "\(next); nothing was changed")
  }

  private func refused(_ outcome: SecretOutcome?) -> StoreError {
    StoreError(
      code: StoreError.locked, context: folder.path,
      message:
        "no key can be put there: \(outcome?.fault ?? "this process uses no Secret Service"); "
        + Self.next(outcome))
  }

  /// What a person does about it.
  private static func next(_ outcome: SecretOutcome?) -> String {
    switch outcome {
    case .locked?:
      "unlock it (log in to the desktop, or open its program for passwords), and start again"
    case .absent?:
      "start this in the session of its user (DBUS_SESSION_BUS_ADDRESS), where a keyring runs"
    case nil:
      "start this in the session of its user, without \(SecretBus.variable)=no"
    case .ready?, .found?, .stored?, .removed?, .missing?, .failed?:
      "look at what offers org.freedesktop.secrets: busctl --user status org.freedesktop.secrets"
    }
  }

  private static let restoring = "put the key back into the item"

  // MARK: For a person

  /// Where a master is from, and what that protects from.
  func words(for origin: MasterKey.Origin) -> String { Self.words(for: origin, in: folder) }

  fileprivate static func words(for origin: MasterKey.Origin, in folder: StateFolder) -> String {
    switch origin {
    case .file:
      "\(folder.path)/\(StateFolder.master); protects a copy of the state, not one of the whole disk"
    case .credential:
      "the systemd credential \(MasterKey.credential); protects a copy of the disk without this "
        + "machine's TPM or host key"
    case .service(let item):
      "item \(item) of the Secret Service; protects a copy of the disk as well as its password does, "
        + "and not from this user's programs"
    }
  }

  /// Why a new master lies in a file although there is a Secret Service; `nil` where nothing is to be said.
  func finding(about origin: MasterKey.Origin) -> String? {
    guard origin == .file, let standing, standing != .absent else { return nil }
    return "the key of the state lies in \(folder.path)/\(StateFolder.master), because "
      + "\(standing.fault ?? "the Secret Service did not keep it"); to move it there: "
      + "locationctl data rekey --key secret-service"
  }

  // MARK: Items that are not used any more

  /// The file with the names of items that this state has made, and may not use any more.
  private var itemsFile: String { held.file(StateFolder.items) }

  private var listed: [String] {
    let text = SmallFile.read(itemsFile, limit: Self.longestList) ?? []
    return String(decoding: text, as: UTF8.self).split(separator: "\n")
      .filter { MasterKey.Origin.isName($0) }.map(String.init)
  }

  /// Adds an item to the list; it is on disk before this returns.
  func list(_ name: String) throws(StoreError) {
    let names = listed.filter { $0 != name } + [name]
    try write(names.suffix(Self.mostListed))
  }

  private func write(_ names: some Collection<String>) throws(StoreError) {
    guard !names.isEmpty else { return ReplacedFile.wipe(itemsFile) }
    do throws(Errno) {
      try ReplacedFile.write(Array(names.map { $0 + "\n" }.joined().utf8), to: itemsFile)
    } catch { throw StoreError(error, in: held) }
  }

  /// The listed items that neither the keys name, nor those of a state that was moved aside.
  var unusedItems: [String] {
    let listed = listed
    guard !listed.isEmpty else { return [] }
    let files = SmallFile.names(in: held.file(".")).filter {
      $0 == StateFolder.keyFile || $0.hasPrefix(StateFolder.keyFile + ".damaged-")
    }
    let used = Set(files.compactMap { Self.head(of: held.file($0))?.item })
    return listed.filter { !used.contains($0) }
  }

  /// Removes unused items from the service, as far as it lets; the others stay listed.
  func removeUnusedItems() throws(StoreError) {
    let listed = listed
    guard !listed.isEmpty else { return }
    let all = unusedItems
    var unused = all[...]
    while let name = unused.first {
      let outcome = secrets?.run(.remove(item(name)), within: Self.brief)
      guard outcome == .removed || outcome == .missing else { break }
      unused.removeFirst()
    }
    let present = Self.head(of: file)?.item
    try write(listed.filter { !all.contains($0) && $0 != present } + unused)
  }

  /// Names. Chosen: one is added for each change of all keys while the service is away.
  private static let mostListed = 64
  private static let longestList = 4096
}

extension StateFolder {
  /// Where the key of the state is from, and what that protects from, as its keys say themselves; `nil`
  /// without keys that can be read.
  package var keyOrigin: String? {
    guard let head = StateKeys.head(of: keys.path + "/" + Self.keyFile) else { return nil }
    return StateKeys.words(for: head, in: keys)
  }

  /// The path of the state whose keys lie at a path.
  fileprivate static func shown(keys path: String) -> String {
    path.hasSuffix("-key") ? String(path.dropLast(4)) : path
  }
}
