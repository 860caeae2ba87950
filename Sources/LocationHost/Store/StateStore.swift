package import LocationModel
package import LocationRecording
import LocationSQLite

/// The durable state: one SQLite file, one transaction for each engine step.
///
/// A step's changes are on disk before any delivery that depends on them leaves the process, so a
/// crash or a full disk leaves the state before the step or after it (docs/decisions/0011). Data
/// that must not be lost with the file is stored twice (``StateGuard``).
package final class StateStore {
  private let database: Database
  /// What makes the log durable, from any thread.
  let log: LogSync
  /// Whether each commit waits for the disk.
  private var syncsCommits = true
  private let guardian: StateGuard
  private let seal: StateSeal
  /// The faults found when the file was opened, and their corrections, as texts.
  package let findings: [String]
  /// The number of rows that the last reading of all could not open, by reason.
  package private(set) var rejected: [String: Int] = [:]

  /// Opens the file, and creates it if it does not exist.
  ///
  /// - Parameters:
  ///   - path: the path of the file; its guard is beside it, and its keys beside its folder.
  ///   - timeout: milliseconds to wait for another process that writes, here and later.
  ///   - isLost: whether there was a state that cannot be read any more.
  ///   - credentials: the folder with the systemd credentials of this process.
  ///   - secrets: where the Secret Service is; `nil` for none.
  /// - Throws: `StoreError` with the database's error, and where it happened. A file that a newer
  ///   program has written is left unchanged.
  package init(
    path: String, timeout: Int32 = 2000, isLost: Bool = false,
    credentials: String? = HostEnvironment.current.credentials, secrets: SecretBus? = nil
  ) throws(StoreError) {
    let folder = StateFolder(containing: path)
    let held = try StoreError.locking(folder.path) { () throws(StateFault) in try folder.hold() }
    guardian = StateGuard(in: held)
    try held.lock(alone: false)
    defer { held.unlock() }
    try StateSchema.refuseNewer(path)
    var findings: [String] = []
    let keys = try StateKeys(beside: path, credentials: credentials, secrets: secrets) {
      findings.append($0)
    }
    database = try StateSchema.open(path)
    database.wait(timeout)
    let prepared = try StateSchema.prepare(database, keys, in: held)
    seal = prepared.seal
    log = LogSync(path: "\(path)-wal")
    findings += [seal.finding].compactMap(\.self)
    findings += try guardian.settle(
      database, sealedBy: seal, isNew: prepared.isNew, isLost: isLost)
    self.findings = findings
    try sweep()
  }

  /// How many rows do not open, and why; `nil` if all do.
  package var unreadWords: String? {
    guard !rejected.isEmpty else { return nil }
    let reasons = rejected.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    return "rows of the state that do not open are left out: " + reasons.joined(separator: "; ")
  }

  /// Where the key that opens all others is from.
  package var keyOrigin: String { seal.origin }

  /// Overwrites what was not sealed before, once it is sealed.
  private func sweep() throws(StoreError) {
    guard try StateSchema.number("SELECT swept FROM sealing", on: database) == 0 else { return }
    // While another process reads, or the disk is full, the next start tries again.
    do throws(StoreError) {
      try clean()
      try Self.run("UPDATE sealing SET swept = 1", on: database)
    } catch { guard error.isBusy || error.isFull else { throw error } }
  }

  /// Sets how many milliseconds later calls wait for another process that writes.
  func wait(_ timeout: Int32) { database.wait(timeout) }

  /// Stores one engine step: all of its changes, or none.
  ///
  /// - Parameters:
  ///   - changes: what the step has decided.
  ///   - waits: whether to wait for the disk; else the changes survive the end of this process, but a loss of
  ///     power only once the log is synced. What the guard keeps is waited for, and all where there is no log.
  /// - Returns: whether they are on the disk.
  /// - Throws: the database's error; the earlier state is then still readable.
  @discardableResult
  package func commit(
    _ changes: [StateChange], waits: Bool = true
  ) throws(StoreError) -> Bool {
    guard !changes.isEmpty else { return true }
    let isGuarded = changes.contains(where: StateGuard.concerns)
    let syncs = waits || isGuarded || !log.isOpen
    try change(syncs: syncs) { () throws(StoreError) in
      for change in changes { try Self.apply(change, to: database, sealedBy: seal) }
      if isGuarded { try writeGuard() }
    }
    return syncs
  }

  private func writeGuard() throws(StoreError) {
    try guardian.write(
      Self.rows(in: StateGuard.domains, of: database, openedBy: seal).entries, sealedBy: seal)
  }

  /// Makes one change, sealed, within a transaction.
  static func apply(
    _ change: StateChange, to database: Database, sealedBy seal: StateSeal
  ) throws(StoreError) {
    let row = seal.name(of: change.key)
    var sealed: [UInt8] = []
    if case .set(let key, let value) = change { sealed = try seal.seal(value, of: key, as: row) }
    try StoreError.at("write") { () throws(DatabaseError) in
      switch change {
      case .set(let key, _):
        try database.statement(
          "INSERT INTO state VALUES (?1, ?2, ?3, ?4) "
            + "ON CONFLICT DO UPDATE SET value = excluded.value"
        ).bind(key.domain, row).bind(sealed, at: 4).run()
      case .remove(let key):
        try database.statement(
          "DELETE FROM state WHERE domain = ?1 AND owner = ?2 AND name = ?3"
        ).bind(key.domain, row).run()
      }
    }
  }

  /// Reads all entries in the order of their keys: those of one app and of the machine as a whole,
  /// or those of all apps. Rows that do not open are left out and counted.
  ///
  /// - Throws: the database's error.
  package func entries(of owner: AppIdentity? = nil) throws(StoreError) -> [StateEntry] {
    var rows = Rows()
    do throws(StoreError) {
      rows = try Self.reading(database) { () throws(StoreError) in try self.rows(of: owner) }
    } catch {
      // Another process may be changing the keys: only what is read with the lock to write counts.
      guard error.isKeyLost else { throw error }
      try Self.transaction(on: database) { () throws(StoreError) in
        rows = try self.rows(of: owner)
      }
    }
    rejected = rows.faults
    return rows.entries.sorted { $0.key < $1.key }
  }

  private func rows(of owner: AppIdentity?) throws(StoreError) -> Rows {
    try seal.refresh(from: database)
    return try Self.rows(
      of: database, openedBy: seal, where: owner == nil ? "TRUE" : "owner IN (?1, ?2)"
    ) {
      guard let owner else { return }
      $0.bind(seal.name(ofOwner: owner.name), at: 1).bind(seal.name(ofOwner: ""), at: 2)
    }
  }

  /// Runs a transaction that only reads, so that all of it is of one moment.
  private static func reading<Result>(
    _ database: Database, _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try run("BEGIN", on: database)
    do throws(StoreError) {
      let result = try body()
      try run("COMMIT", on: database)
      return result
    } catch {
      try? run("ROLLBACK", on: database)
      throw error
    }
  }

  /// Rows that were read.
  struct Rows {
    var entries: [StateEntry] = []
    /// The number of those that do not open, by domain and by reason.
    var rejected: [String: Int] = [:]
    var faults: [String: Int] = [:]
  }

  /// Reads the entries of all apps in some domains.
  static func rows(
    in domains: [String], of database: Database, openedBy seal: StateSeal
  ) throws(StoreError) -> Rows {
    let names = domains.map { "'\($0)'" }.joined(separator: ", ")
    return try rows(of: database, openedBy: seal, where: "domain IN (\(names))") { _ in }
  }

  private static func rows(
    of database: Database, openedBy seal: StateSeal, where filter: String,
    bind: (Statement) -> Void
  ) throws(StoreError) -> Rows {
    try StoreError.at("read") { () throws(DatabaseError) in
      let query = try database.statement(
        "SELECT domain, owner, name, value FROM state WHERE \(filter)")
      bind(query)
      defer { query.clear() }
      var rows = Rows()
      while try query.next() {
        let domain = query.text(0) ?? ""
        let row = StateSeal.RowName(
          owner: query.withBytes(1) { [UInt8]($0) }, name: query.withBytes(2) { [UInt8]($0) })
        switch query.withBytes(3, { seal.open($0, in: domain, as: row) }) {
        case .success(let entry): rows.entries.append(entry)
        case .failure(let fault):
          rows.rejected[domain, default: 0] += 1
          rows.faults[fault.rawValue, default: 0] += 1
        }
      }
      return rows
    }
  }

  /// Erases all data of one app, or all but the settings of the whole machine, so that no byte of
  /// it stays in the files, and destroys its key; returns the number of entries.
  ///
  /// - Throws: `StoreError` of the database; it shows whether anything was erased by then.
  package func erase(_ app: String?) throws(StoreError) -> Int {
    let count = try eraseRows(of: app)
    do throws(StoreError) {
      try destroyKeys(of: app)
      try clean()
    } catch {
      throw StoreError(
        code: error.code, context: StoreError.erased,
        message: "\(error); end the programs that read the state, and erase again")
    }
    return count
  }

  /// Erases all rows of one app, or all but the settings of the whole machine; the keys of what is
  /// erased still exist, so that nothing is lost if the disk is full.
  func eraseRows(of app: String?) throws(StoreError) -> Int {
    var count = 0
    if let app {
      try change { () throws(StoreError) in
        count = try deleteRows(of: app)
        try writeGuard()
      }
    } else {
      try restoringKeys { () throws(StoreError) in
        count = try renew(keeping: ["settings"])
        try writeGuard()
      }
    }
    return count
  }

  /// Destroys the keys of what ``eraseRows(of:)`` has erased. A process that dies before leaves that to
  /// the next one that opens the state.
  func destroyKeys(of app: String?) throws(StoreError) {
    try change { () throws(StoreError) in
      guard let app else { return try seal.settle(for: StateSchema.owners(in: database)) }
      // What its own engine has stored since is erased with the key.
      if try deleteRows(of: app) > 0 { try writeGuard() }
      try seal.destroyKey(of: app)
    }
  }

  private func deleteRows(of app: String) throws(StoreError) -> Int {
    try StoreError.at("erase") { () throws(DatabaseError) in
      try database.statement("DELETE FROM state WHERE owner = ?1")
        .bind(seal.name(ofOwner: app), at: 1).run()
    }
    return database.changes
  }

  /// Makes new keys for everything, and seals with them what is kept: the entries of some domains,
  /// or all; returns the number of rows that are not kept.
  private func renew(keeping domains: [String]?) throws(StoreError) -> Int {
    let kept =
      if let domains { try Self.rows(in: domains, of: database, openedBy: seal) } else {
        try Self.rows(of: database, openedBy: seal, where: "TRUE") { _ in }
      }
    let count = try StateSchema.number("SELECT count(*) FROM state", on: database)
    try Self.run("DELETE FROM state", on: database)
    try seal.beginGeneration(keepingRecordings: domains == nil)
    try Self.run("UPDATE sealing SET generation = \(seal.generation)", on: database)
    for entry in kept.entries {
      try Self.apply(.set(entry.key, entry.value), to: database, sealedBy: seal)
    }
    return count - kept.entries.count
  }

  /// Seals everything with new keys, and destroys the old ones; the master is made anew unless it is a
  /// credential.
  ///
  /// - Parameter place: where a person wants the master; `nil` for where it lies.
  /// - Returns: the number of rows that did not open and are gone.
  /// - Throws: `StoreError` of the database or of the keys; everything is then sealed with the old
  ///   keys or with the new ones.
  package func rekey(in place: KeyPlace? = nil) throws(StoreError) -> Int {
    // While no process waits for this one.
    let place = try seal.place(place)
    let count = try sealAgain()
    try destroyEarlierKeys(in: place)
    try clean()
    return count
  }

  /// Seals everything with new keys, beside which the old ones still exist.
  func sealAgain() throws(StoreError) -> Int {
    var count = 0
    try restoringKeys { () throws(StoreError) in
      count = try renew(keeping: nil)
      try writeGuard()
    }
    return count
  }

  /// Leaves the present keys alone, with a new master unless that is a credential.
  func destroyEarlierKeys(in place: KeyPlace) throws(StoreError) {
    try change { () throws(StoreError) in try seal.renewMaster(in: place) }
  }

  /// Returns the keys of recordings; the first call makes one.
  ///
  /// - Throws: `StoreError` of the database or of the keys.
  package func recordingsKeys() throws(StoreError) -> SealedRecording.Keys {
    try change { () throws(StoreError) in try seal.makeRecordingsKey() }
    return seal.recordings
  }

  /// Runs a transaction that changes the keys; if it fails, they are put back.
  private func restoringKeys(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    var before: (ring: KeyRing, generation: UInt32)?
    do throws(StoreError) {
      try change { () throws(StoreError) in
        before = (seal.ring, seal.generation)
        try body()
      }
    } catch {
      if let before, seal.ring != before.ring {
        try? Self.transaction(on: database) { () throws(StoreError) in
          seal.restore(before.ring, before.generation)
        }
      }
      throw error
    }
  }

  /// Leaves no byte of what is gone in the files.
  private func clean() throws(StoreError) {
    // Overwritten pages are moved into the file before the file is made smaller.
    try scrub()
    try Self.run("VACUUM", on: database)
    try scrub()
  }

  /// Moves the log of the database into its file, and empties the log.
  ///
  /// - Throws: `StoreError` if another process still reads the log.
  package func scrub() throws(StoreError) {
    let isBlocked = try StoreError.at("empty the log") { () throws(DatabaseError) in
      try database.first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) != 0 } ?? true
    }
    guard !isBlocked else {
      throw StoreError(
        code: DatabaseError.busy, context: "empty the log",
        message: "another program reads the state")
    }
  }

  /// Runs a transaction with the keys as they are now, which no other process can change meanwhile; waits for
  /// the disk if it syncs.
  private func change(
    syncs: Bool = true, _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    if syncs != syncsCommits {
      try Self.run("PRAGMA synchronous = \(syncs ? "FULL" : "NORMAL")", on: database)
      syncsCommits = syncs
    }
    try Self.transaction(on: database) { () throws(StoreError) in
      try seal.refresh(from: database)
      try body()
    }
  }

  /// Runs a transaction, which is rolled back if `body` throws.
  static func transaction(
    on database: Database, _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    try database.transaction({ StoreError($0, at: "write") }, body)
  }

  static func run(_ text: String, on database: Database) throws(StoreError) {
    try StoreError.at("run \(text.prefix(20))…") { () throws(DatabaseError) in
      try database.run(text)
    }
  }
}

extension Statement {
  /// Binds what stands for a key as the first three parameters.
  fileprivate func bind(_ domain: String, _ row: StateSeal.RowName) -> Statement {
    bind(domain, at: 1).bind(row.owner, at: 2).bind(row.name, at: 3)
  }
}
