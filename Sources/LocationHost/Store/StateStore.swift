package import LocationModel
import LocationSQLite

/// The durable state: one SQLite file, one transaction for each engine step.
///
/// A step's changes are on disk before any delivery that depends on them leaves the process, so a
/// crash or a full disk leaves the state before the step or after it (docs/decisions/0011). Data
/// that must not be lost with the file is stored twice (``StateGuard``).
package final class StateStore {
  private let database: Database
  private let guardian: StateGuard
  /// The faults found when the file was opened, and their corrections, as texts.
  package let findings: [String]

  /// Opens the file, and creates it if it does not exist.
  ///
  /// - Parameters:
  ///   - path: the path of the file; its guard is beside it.
  ///   - timeout: milliseconds to wait for another process that writes, here and later.
  ///   - isLost: whether there was a state that cannot be read any more.
  /// - Throws: `StoreError` with the database's error, and where it happened. A file that a newer
  ///   program has written is left unchanged.
  package init(path: String, timeout: Int32 = 2000, isLost: Bool = false) throws(StoreError) {
    guardian = StateGuard(beside: path)
    try StateSchema.refuseNewer(path)
    database = try StateSchema.open(path)
    database.wait(timeout)
    let isNew = try StateSchema.prepare(database)
    findings = try guardian.settle(database, isNew: isNew, isLost: isLost)
  }

  /// Sets how many milliseconds later calls wait for another process that writes.
  func wait(_ timeout: Int32) { database.wait(timeout) }

  /// Makes one engine step durable: all of its changes, or none.
  ///
  /// - Throws: the database's error; the earlier state is then still readable.
  package func commit(_ changes: [StateChange]) throws(StoreError) {
    guard !changes.isEmpty else { return }
    try Self.transaction(on: database) { () throws(StoreError) in
      for change in changes { try apply(change) }
      if changes.contains(where: StateGuard.concerns) {
        try guardian.write(Self.entries(in: StateGuard.domains, of: database))
      }
    }
  }

  private func apply(_ change: StateChange) throws(StoreError) {
    try StoreError.at("write") { () throws(DatabaseError) in
      switch change {
      case .set(let key, let value):
        try database.statement(
          "INSERT INTO state VALUES (?1, ?2, ?3, ?4) "
            + "ON CONFLICT DO UPDATE SET value = excluded.value"
        ).bind(key).bind(value, at: 4).run()
      case .remove(let key):
        try database.statement(
          "DELETE FROM state WHERE domain = ?1 AND owner = ?2 AND name = ?3"
        ).bind(key).run()
      }
    }
  }

  /// Reads all entries in the order of their keys: those of one app and of the machine as a whole,
  /// or those of all apps.
  ///
  /// - Throws: the database's error.
  package func entries(of owner: AppIdentity? = nil) throws(StoreError) -> [StateEntry] {
    let filter = owner == nil ? "" : "WHERE owner = ?1 OR owner = '' "
    return try StoreError.at("read") { () throws(DatabaseError) in
      let query = try database.statement(
        "SELECT domain, owner, name, value FROM state \(filter)ORDER BY domain, owner, name")
      if let owner { query.bind(owner.name, at: 1) }
      return try Self.entries(query)
    }
  }

  /// Reads the entries of all apps in some domains.
  static func entries(
    in domains: [String], of database: Database
  ) throws(StoreError) -> [StateEntry] {
    let names = domains.map { "'\($0)'" }.joined(separator: ", ")
    return try StoreError.at("read") { () throws(DatabaseError) in
      try entries(
        database.statement(
          "SELECT domain, owner, name, value FROM state WHERE domain IN (\(names))"))
    }
  }

  private static func entries(_ query: Statement) throws(DatabaseError) -> [StateEntry] {
    defer { query.clear() }
    var entries: [StateEntry] = []
    while try query.next() {
      let key = StateKey(
        domain: query.text(0) ?? "", owner: query.text(1) ?? "", name: query.text(2) ?? "")
      entries.append(StateEntry(key: key, value: query.withBytes(3) { [UInt8]($0) }))
    }
    return entries
  }

  /// Erases all data of one app, or all but the settings of the whole machine, so that no byte of
  /// it stays in the files; returns the number of entries.
  ///
  /// - Throws: `StoreError` of the database; it shows whether anything was erased by then.
  package func erase(_ app: String?) throws(StoreError) -> Int {
    let filter = app == nil ? "domain <> 'settings'" : "owner = ?1"
    var count = 0
    try Self.transaction(on: database) { () throws(StoreError) in
      try StoreError.at("erase") { () throws(DatabaseError) in
        let statement = try database.statement("DELETE FROM state WHERE \(filter)")
        if let app { statement.bind(app, at: 1) }
        try statement.run()
      }
      count = database.changes
      try guardian.write(Self.entries(in: StateGuard.domains, of: database))
    }
    do throws(StoreError) {
      // Overwritten pages are moved into the file before the file is made smaller.
      try scrub()
      try Self.run("VACUUM", on: database)
      try scrub()
    } catch {
      throw StoreError(
        code: error.code, context: StoreError.erased,
        message: "\(error); end the programs that read the state, and erase again")
    }
    return count
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

  /// Runs a transaction, which is rolled back if `body` throws.
  static func transaction(
    on database: Database, _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    try database.transaction({ StoreError($0, at: "write") }, body)
  }

  /// Sets entries while the database is opened; never removes one.
  static func apply(_ changes: [StateChange], to database: Database) throws(StoreError) {
    for case .set(let key, let value) in changes {
      try StoreError.at("write") { () throws(DatabaseError) in
        try database.statement("INSERT OR REPLACE INTO state VALUES (?1, ?2, ?3, ?4)")
          .bind(key).bind(value, at: 4).run()
      }
    }
  }

  static func run(_ text: String, on database: Database) throws(StoreError) {
    try StoreError.at("run \(text.prefix(20))…") { () throws(DatabaseError) in
      try database.run(text)
    }
  }
}

extension Statement {
  /// Binds the parts of a key as the first three parameters.
  fileprivate func bind(_ key: StateKey) -> Statement {
    bind(key.domain, at: 1).bind(key.owner, at: 2).bind(key.name, at: 3)
  }
}

/// An error of the database, and where it happened.
package struct StoreError: Error, Hashable, CustomStringConvertible {
  /// SQLite's primary result code.
  package var code: Int32
  package var context: String
  package var message: String

  init(_ error: DatabaseError, at context: String) {
    self.init(code: error.code, context: context, message: error.message)
  }

  /// Runs `body`, and adds to its error where it happened.
  static func at<Result>(
    _ context: String, _ body: () throws(DatabaseError) -> Result
  ) throws(StoreError) -> Result {
    do throws(DatabaseError) { return try body() } catch {
      throw StoreError(error, at: context)
    }
  }

  init(code: Int32, context: String, message: String) {
    (self.code, self.context, self.message) = (code, context, message)
  }

  /// Creates the system's error for a file beside the database.
  init(last call: String) {
    let error = Errno(last: call)
    self.init(code: DatabaseError.io, context: call, message: error.reason)
  }

  /// Whether the file itself is damaged, so that it must be moved aside.
  package var isCorruption: Bool {
    code == DatabaseError.damaged || code == DatabaseError.notADatabase
  }

  /// Whether another process is writing.
  package var isBusy: Bool { code == DatabaseError.busy }

  /// Whether a newer program has written the file, which must not be changed.
  package var isNewer: Bool { code == Self.newer }

  /// Whether everything was erased, but its bytes are still in the files.
  var isErased: Bool { context == Self.erased }

  static let erased = "the entries are gone, and their bytes still in the files"
  /// A code that SQLite does not use.
  static let newer: Int32 = 200

  package var description: String { "\(context): \(message)" }
}
