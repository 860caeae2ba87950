import CSQLite
package import LocationModel

/// The durable state: one SQLite file, one transaction for each engine step.
///
/// A step's changes are on disk before any delivery that depends on them leaves the process, so a
/// crash or a full disk leaves the state before the step or after it (docs/decisions/0011).
package final class StateStore {
  private let database: OpaquePointer
  private let set: OpaquePointer
  private let remove: OpaquePointer

  /// Opens the file, and makes it when it is not there.
  ///
  /// - Throws: the database's error, and where it happened.
  package init(path: String) throws(StoreError) {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK, let handle else {
      let error = StoreError(code: code, context: "open \(path)", database: handle)
      sqlite3_close_v2(handle)
      throw error
    }
    do {
      sqlite3_busy_timeout(handle, 2000)
      try Self.run(Self.schema, on: handle)
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

  /// Makes one engine step durable: all of its changes, or none.
  ///
  /// - Throws: the database's error; the earlier state is then still readable.
  package func commit(_ changes: [StateChange]) throws(StoreError) {
    guard !changes.isEmpty else { return }
    try Self.run("BEGIN IMMEDIATE", on: database)
    do {
      for change in changes { try apply(change) }
      try Self.run("COMMIT", on: database)
    } catch {
      sqlite3_exec(database, "ROLLBACK", nil, nil, nil)
      throw error
    }
  }

  private func apply(_ change: StateChange) throws(StoreError) {
    switch change {
    case .set(let key, let value):
      bind(key, to: set)
      _ = value.withUnsafeBytes {
        sqlite3_bind_blob(set, 4, $0.baseAddress, Int32($0.count), Self.transient)
      }
      try step(set)
    case .remove(let key):
      bind(key, to: remove)
      try step(remove)
    }
  }

  /// Reads all entries in the order of their keys: those of one app and of the machine as a whole,
  /// or everybody's.
  ///
  /// - Throws: the database's error.
  package func entries(of owner: AppIdentity? = nil) throws(StoreError) -> [StateEntry] {
    let filter = owner == nil ? "" : "WHERE owner = ?1 OR owner = '' "
    let query = try Self.prepare(
      "SELECT domain, owner, name, value FROM state \(filter)ORDER BY domain, owner, name",
      on: database)
    defer { sqlite3_finalize(query) }
    if let owner { Self.bind(owner.name, at: 1, to: query) }
    var entries: [StateEntry] = []
    while true {
      let code = sqlite3_step(query)
      if code == SQLITE_DONE { return entries }
      guard code == SQLITE_ROW else {
        throw StoreError(code: code, context: "read", database: database)
      }
      entries.append(Self.entry(query))
    }
  }

  /// Erases everything of one app, or everything but the settings of the whole machine, so that no
  /// byte of it stays in the file; returns how many entries there were.
  ///
  /// - Throws: the database's error; when it comes from the first step, nothing was erased.
  package func erase(_ app: String?) throws(StoreError) -> Int {
    let filter = app == nil ? "domain <> 'settings'" : "owner = ?1"
    let statement = try Self.prepare("DELETE FROM state WHERE \(filter)", on: database)
    if let app { Self.bind(app, at: 1, to: statement) }
    let code = sqlite3_step(statement)
    sqlite3_finalize(statement)
    guard code == SQLITE_DONE else {
      throw StoreError(code: code, context: "erase", database: database)
    }
    let count = Int(sqlite3_changes(database))
    try Self.run("VACUUM", on: database)
    try Self.run("PRAGMA wal_checkpoint(TRUNCATE)", on: database)
    return count
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

  private func bind(_ key: StateKey, to statement: OpaquePointer) {
    Self.bind(key.domain, at: 1, to: statement)
    Self.bind(key.owner, at: 2, to: statement)
    Self.bind(key.name, at: 3, to: statement)
  }

  /// Binds a text with its length, so that no byte in it ends it.
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

  private static func run(_ text: String, on database: OpaquePointer) throws(StoreError) {
    let code = sqlite3_exec(database, text, nil, nil, nil)
    guard code == SQLITE_OK else {
      throw StoreError(code: code, context: "run \(text.prefix(20))…", database: database)
    }
  }

  private static func prepare(
    _ text: String, on database: OpaquePointer
  ) throws(StoreError) -> OpaquePointer {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(database, text, -1, &statement, nil)
    guard code == SQLITE_OK, let statement else {
      throw StoreError(code: code, context: "prepare", database: database)
    }
    return statement
  }

  /// Tells SQLite to copy what it is given.
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  private static let schema = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA user_version = 1;
    CREATE TABLE IF NOT EXISTS state (
      domain TEXT NOT NULL, owner TEXT NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL,
      PRIMARY KEY (domain, owner, name)
    ) WITHOUT ROWID, STRICT;
    """
}

/// What the database refused, and where.
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

  /// Whether the file itself is damaged, so that it must be moved aside.
  package var isCorruption: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }

  package var description: String { "\(context): \(message)" }
}
