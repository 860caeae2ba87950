import LocationCoding
import LocationEngine
import LocationHost
import LocationModel
import LocationRecording

/// The durable state of this person's apps, opened by a tool beside the apps themselves.
struct SavedState {
  private let folder: StateFolder
  private let store: StateStore
  /// Held for as long as the state is in use.
  private let lock: StateLock
  let entries: [StateEntry]

  /// Opens the state, and makes it when there is none yet.
  ///
  /// - Parameters:
  ///   - environment: names the folder.
  ///   - advice: the next step while a daemon has the state; `nil` for the usual one.
  /// - Throws: `Failure` with why it cannot be opened.
  init(
    _ environment: HostEnvironment = .current, whenHeld advice: String? = nil
  ) throws(Failure) {
    guard let folder = StateFolder.ofUser(environment.variables) else {
      throw .refused(
        "there is no place for the state: neither XDG_STATE_HOME nor HOME is set",
        next: "set XDG_STATE_HOME to a folder of yours")
    }
    do throws(Errno) { try folder.create() } catch {
      throw .refused("\(error)", next: "check who owns \(folder.path)")
    }
    do throws(StateFault) {
      try folder.secure { Output.error.line("locationctl: \($0)") }
      lock = try StateLock(folder, .together)
    } catch {
      guard case .held = error.kind else { throw .refused(error.cause, next: error.next) }
      throw .refused(error.cause, next: advice ?? error.next)
    }
    do throws(StoreError) {
      store = try StateStore(
        path: folder.file, isLost: folder.isLost(lock), secrets: environment.secrets)
      entries = try store.entries()
    } catch { throw .refused("\(error)", next: Self.next(error, folder)) }
    lock.noteState()
    for finding in store.findings + [store.unreadWords].compactMap(\.self) {
      Output.error.line("locationctl: \(finding)")
    }
    self.folder = folder
  }

  private static func next(_ error: StoreError, _ folder: StateFolder) -> String? {
    if error.isNewer { return nil }
    if error.isKeyLost {
      return
        "put the keys back into \(folder.keys.path), or start the location daemon or an app, which "
        + "move the state aside and begin anew"
    }
    if error.isLocked { return "correct that, or see who may read \(folder.keys.path)" }
    if error.isBusy { return "find the process that writes: fuser \(folder.file)" }
    return "check who owns \(folder.file), and that it is not damaged"
  }

  /// Files of a damaged state that were moved aside.
  var damagedFiles: [DamagedFile] { folder.damagedFiles() }

  func record(of app: AppIdentity) -> AuthorizationRecord? {
    entries.first { $0.key == AuthorizationRecord.key(of: app) }
      .flatMap { AuthorizationRecord(stored: $0.value) }
  }

  /// Whether an app may make this computer a beacon.
  func beacon(of app: AppIdentity) -> BeaconPermission { BeaconPermission(of: app, in: entries) }

  /// Every app about which something was decided, in the order of their names.
  var apps: [AppIdentity] {
    Set(entries.map { AppIdentity($0.key.owner) }).sorted().filter { app in
      record(of: app) != nil || beacon(of: app) != .undecided
    }
  }

  var servicesAreOn: Bool { Setting.servicesAreOn(in: entries) }

  /// Why location services are off, if no person has switched them off.
  var servicesReason: String? { Setting.whyServicesAreOff(in: entries) }

  /// Erases what is stored of one app, or of all; returns how many entries there were.
  func erase(_ app: String?) throws(Failure) -> Int {
    let count: Int
    do throws(StoreError) { count = try store.erase(app) } catch {
      throw .refused("\(error)", next: "end the apps that run, and try again")
    }
    folder.removeDamagedFiles()
    try ring()
    return count
  }

  /// The keys of recordings; the first call makes one.
  func recordingsKeys() throws(Failure) -> SealedRecording.Keys {
    do throws(StoreError) { return try store.recordingsKeys() } catch {
      throw .refused("\(error)", next: Self.next(error, folder))
    }
  }

  /// Where the key of the state is from.
  var keyOrigin: String { store.keyOrigin }

  /// Seals everything with new keys.
  ///
  /// - Parameter place: where the key that opens all others is to lie; `nil` for where it lies.
  /// - Returns: how many rows did not open before, and are gone.
  /// - Throws: `Failure` with why not.
  func rekey(in place: KeyPlace?) throws(Failure) -> Int {
    do throws(StoreError) { return try store.rekey(in: place) } catch {
      if error.isLocked { throw .refused("\(error)", next: nil) }
      throw .refused("\(error)", next: "end the apps that run, and try again")
    }
  }

  /// Stores the changes, and notifies running apps.
  func commit(_ changes: [StateChange]) throws(Failure) {
    do throws(StoreError) { try store.commit(changes) } catch {
      throw .refused("\(error)", next: "nothing was changed; try again")
    }
    try ring()
  }

  private func ring() throws(Failure) {
    do throws(Errno) { try folder.ringBell() } catch {
      throw .refused(
        "stored, but running apps could not be notified: \(error)", next: "start those apps again")
    }
  }
}
