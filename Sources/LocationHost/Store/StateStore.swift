import CSQLite
package import LocationModel

/// The durable state: one SQLite file, one transaction for each engine step.
///
/// A step's changes are on disk before any delivery that depends on them leaves the process, so a
/// crash or a full disk leaves the state before the step or after it (docs/decisions/0011). Data
/// that must not be lost with the file is stored twice (``StateGuard``).
package final class StateStore {
  private let database: OpaquePointer
  private let set: OpaquePointer
  private let remove: OpaquePointer
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
    let handle = try StateSchema.open(path)
    do {
      sqlite3_busy_timeout(handle, timeout)
      let isNew = try StateSchema.prepare(handle)
      findings = try guardian.settle(handle, isNew: isNew, isLost: isLost)
      set = try Self.prepare(
        "INSERT INTO state VALUES (?1, ?2, ?3, ?4) "
          + "ON CONFLICT DO UPDATE SET value = excluded.value", on: handle)
      remove = try Self.prepare(
        "DELETE FROM state WHERE domain = ?1 AND owner = ?2 AND name = ?3", on: handle)
    } catch {
      sqlite3_close_v2(handle)
      throw error
    }
    database = handle
  }

  deinit {
    sqlite3_finalize(set)
    sqlite3_finalize(remove)
    sqlite3_close_v2(database)
  }

  /// Sets how many milliseconds later calls wait for another process that writes.
  func wait(_ timeout: Int32) { sqlite3_busy_timeout(database, timeout) }

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
    switch change {
    case .set(let key, let value):
      Self.bind(key, to: set)
      Self.bind(value, to: set)
      try step(set)
    case .remove(let key):
      Self.bind(key, to: remove)
      try step(remove)
    }
  }

  /// Reads all entries in the order of their keys: those of one app and of the machine as a whole,
  /// or those of all apps.
  ///
  /// - Throws: the database's error.
  package func entries(of owner: AppIdentity? = nil) throws(StoreError) -> [StateEntry] {
    let filter = owner == nil ? "" : "WHERE owner = ?1 OR owner = '' "
    let query = try Self.prepare(
      "SELECT domain, owner, name, value FROM state \(filter)ORDER BY domain, owner, name",
      on: database)
    defer { sqlite3_finalize(query) }
    if let owner { Self.bind(owner.name, at: 1, to: query) }
    return try Self.entries(query, of: database)
  }

  /// Reads the entries of all apps in some domains.
  static func entries(
    in domains: [String], of database: OpaquePointer
  ) throws(StoreError) -> [StateEntry] {
    let names = domains.map { "'\($0)'" }.joined(separator: ", ")
    let query = try prepare(
      "SELECT domain, owner, name, value FROM state WHERE domain IN (\(names))", on: database)
    defer { sqlite3_finalize(query) }
    return try entries(query, of: database)
  }

  private static func entries(
    _ query: OpaquePointer, of database: OpaquePointer
  ) throws(StoreError) -> [StateEntry] {
    var entries: [StateEntry] = []
    while true {
      let code = sqlite3_step(query)
      if code == SQLITE_DONE { return entries }
      guard code == SQLITE_ROW else {
        throw StoreError(code: code, context: "read", database: database)
      }
      entries.append(entry(query))
    }
  }

  /// Erases all data of one app, or all but the settings of the whole machine, so that no byte of
  /// it stays in the files; returns the number of entries.
  ///
  /// - Throws: `StoreError` of the database; it shows whether anything was erased by then.
  package func erase(_ app: String?) throws(StoreError) -> Int {
    let filter = app == nil ? "domain <> 'settings'" : "owner = ?1"
    var count = 0
    try Self.transaction(on: database) { () throws(StoreError) in
      let statement = try Self.prepare("DELETE FROM state WHERE \(filter)", on: database)
      if let app { Self.bind(app, at: 1, to: statement) }
      let code = sqlite3_step(statement)
      sqlite3_finalize(statement)
      guard code == SQLITE_DONE else {
        throw StoreError(code: code, context: "erase", database: database)
      }
      count = Int(sqlite3_changes(database))
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
    let statement = try Self.prepare("PRAGMA wal_checkpoint(TRUNCATE)", on: database)
    defer { sqlite3_finalize(statement) }
    let code = sqlite3_step(statement)
    guard code == SQLITE_ROW, sqlite3_column_int(statement, 0) == 0 else {
      throw StoreError(
        code: code == SQLITE_ROW ? SQLITE_BUSY : code, context: "empty the log",
        database: database)
    }
  }

  private static func entry(_ row: OpaquePointer) -> StateEntry {
    func text(_ column: Int32) -> String {
      let start = UnsafeRawPointer(sqlite3_column_text(row, column))
      return String(
        decoding: UnsafeRawBufferPointer(
          start: start, count: Int(sqlite3_column_bytes(row, column))), as: UTF8.self)
    }
    let bytes = UnsafeRawBufferPointer(
      start: sqlite3_column_blob(row, 3), count: Int(sqlite3_column_bytes(row, 3)))
    return StateEntry(
      key: StateKey(domain: text(0), owner: text(1), name: text(2)), value: [UInt8](bytes))
  }

  // MARK: SQLite

  private static func bind(_ value: [UInt8], to statement: OpaquePointer) {
    value.withUnsafeBytes {
      // An empty value is a blob of no bytes; a missing address would mean null.
      _ =
        $0.count == 0
        ? sqlite3_bind_zeroblob(statement, 4, 0)
        : sqlite3_bind_blob(statement, 4, $0.baseAddress, Int32($0.count), transient)
    }
  }

  private static func bind(_ key: StateKey, to statement: OpaquePointer) {
    bind(key.domain, at: 1, to: statement)
    bind(key.owner, at: 2, to: statement)
    bind(key.name, at: 3, to: statement)
  }

  /// Binds a text with its length, so that a NUL in it does not end it.
  private static func bind(_ text: String, at index: Int32, to statement: OpaquePointer?) {
    var text = text
    _ = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        // A text without bytes may have no address, which would bind NULL.
        sqlite3_bind_text(
          statement, index, $0.baseAddress ?? UnsafePointer(bitPattern: 1), Int32($0.count),
          transient)
      }
    }
  }

  private func step(_ statement: OpaquePointer) throws(StoreError) {
    let code = sqlite3_step(statement)
    sqlite3_reset(statement)
    guard code == SQLITE_DONE else {
      throw StoreError(code: code, context: "write", database: database)
    }
  }

  /// Runs a transaction, which is rolled back if `body` throws.
  static func transaction(
    on database: OpaquePointer, _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    try run("BEGIN IMMEDIATE", on: database)
    do {
      try body()
      try run("COMMIT", on: database)
    } catch {
      sqlite3_exec(database, "ROLLBACK", nil, nil, nil)
      throw error
    }
  }

  /// Sets entries while the database is opened; never removes one.
  static func apply(_ changes: [StateChange], to database: OpaquePointer) throws(StoreError) {
    let statement = try prepare(
      "INSERT OR REPLACE INTO state VALUES (?1, ?2, ?3, ?4)", on: database)
    defer { sqlite3_finalize(statement) }
    for case .set(let key, let value) in changes {
      bind(key, to: statement)
      bind(value, to: statement)
      let code = sqlite3_step(statement)
      sqlite3_reset(statement)
      guard code == SQLITE_DONE else {
        throw StoreError(code: code, context: "write", database: database)
      }
    }
  }

  static func run(_ text: String, on database: OpaquePointer) throws(StoreError) {
    let code = sqlite3_exec(database, text, nil, nil, nil)
    guard code == SQLITE_OK else {
      throw StoreError(code: code, context: "run \(text.prefix(20))…", database: database)
    }
  }

  static func prepare(
    _ text: String, on database: OpaquePointer
  ) throws(StoreError) -> OpaquePointer {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(database, text, -1, &statement, nil)
    guard code == SQLITE_OK, let statement else {
      throw StoreError(code: code, context: "prepare", database: database)
    }
    return statement
  }

  /// Makes SQLite copy the bytes that it is given.
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

/// An error of the database, and where it happened.
package struct StoreError: Error, Hashable, CustomStringConvertible {
  /// SQLite's primary result code.
  package var code: Int32
  package var context: String
  package var message: String

  init(code: Int32, context: String, database: OpaquePointer?) {
    self.code = code & 0xff
    self.context = context
    message = String(cString: sqlite3_errmsg(database))
  }

  init(code: Int32, context: String, message: String) {
    (self.code, self.context, self.message) = (code, context, message)
  }

  /// Creates the system's error for a file beside the database.
  init(last call: String) {
    let error = Errno(last: call)
    self.init(code: SQLITE_IOERR, context: call, message: error.reason)
  }

  /// Whether the file itself is damaged, so that it must be moved aside.
  package var isCorruption: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }

  /// Whether another process is writing.
  package var isBusy: Bool { code == SQLITE_BUSY }

  /// Whether a newer program has written the file, which must not be changed.
  package var isNewer: Bool { code == Self.newer }

  /// Whether everything was erased, but its bytes are still in the files.
  var isErased: Bool { context == Self.erased }

  static let erased = "the entries are gone, and their bytes still in the files"
  /// A code that SQLite does not use.
  static let newer: Int32 = 200

  package var description: String { "\(context): \(message)" }
}
