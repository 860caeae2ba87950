import CSQLite

/// A SQLite file, opened by one connection.
///
/// Not safe to share between threads; its owner keeps it behind a lock.
package final class Database {
  /// How a file is opened.
  package enum Access: Sendable {
    /// For reading only; nobody may change the file while it is open.
    case immutable
    /// For reading only, while others may write.
    case reading
    /// For writing to a file that exists.
    case writing
    /// For writing to a file that is created if it does not exist.
    case creating
  }

  private let handle: OpaquePointer
  private var statements: [String: Statement] = [:]

  /// Opens a file.
  ///
  /// - Throws: `DatabaseError` with the reason of the database.
  package init(_ path: String, for access: Access) throws(DatabaseError) {
    var handle: OpaquePointer?
    let isImmutable = access == .immutable
    let name = isImmutable ? "file:\(Self.escaped(path))?immutable=1" : path
    let mode =
      switch access {
      case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      case .reading: SQLITE_OPEN_READONLY
      case .writing: SQLITE_OPEN_READWRITE
      case .creating: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    let code = sqlite3_open_v2(name, &handle, mode | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let handle else {
      sqlite3_close_v2(handle)
      throw DatabaseError(code: code, message: String(cString: sqlite3_errstr(code)))
    }
    self.handle = handle
  }

  deinit {
    statements.removeAll()
    sqlite3_close_v2(handle)
  }

  /// Sets how many milliseconds later calls wait for another connection that writes.
  package func wait(_ milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

  /// Runs statements without parameters.
  ///
  /// - Throws: `DatabaseError` of the first that fails.
  package func run(_ sql: String) throws(DatabaseError) {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw DatabaseError(last: handle)
    }
  }

  /// Returns the prepared statement for a text, ready to be bound: what is not bound is NULL.
  ///
  /// - Throws: `DatabaseError` for a text that is no statement of this database.
  package func statement(_ sql: String) throws(DatabaseError) -> Statement {
    if let known = statements[sql] {
      known.clear()
      return known
    }
    var prepared: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    guard sqlite3_prepare_v3(handle, sql, -1, flags, &prepared, nil) == SQLITE_OK, let prepared
    else { throw DatabaseError(last: handle) }
    let statement = Statement(prepared)
    statements[sql] = statement
    return statement
  }

  /// Reads a value from the first row of a query without parameters; `nil` if there is no row.
  ///
  /// - Throws: `DatabaseError` of the query.
  package func first<Value>(
    _ sql: String, _ read: (Statement) -> Value
  ) throws(DatabaseError) -> Value? {
    let statement = try statement(sql)
    defer { statement.clear() }
    return try statement.next() ? read(statement) : nil
  }

  /// Begins a transaction that writes, and commits it; `body`'s error rolls it back.
  ///
  /// - Throws: the error of `body`, or that of the database as `wrap` converts it.
  package func transaction<Failure: Error>(
    _ wrap: (DatabaseError) -> Failure, _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    func run(_ sql: String) throws(Failure) {
      do throws(DatabaseError) { try self.run(sql) } catch { throw wrap(error) }
    }
    try run("BEGIN IMMEDIATE")
    do throws(Failure) {
      try body()
      try run("COMMIT")
    } catch {
      sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
      throw error
    }
  }

  /// The number of rows that the last statement has changed.
  package var changes: Int { Int(sqlite3_changes(handle)) }

  /// A path as part of a URI: everything but letters, digits, and `/._-` in percent escapes.
  private static func escaped(_ path: String) -> String {
    var uri = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        uri.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        uri += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return uri
  }
}

/// An error of the database.
package struct DatabaseError: Error, Hashable {
  /// SQLite's primary result code.
  package var code: Int32
  /// The reason, as SQLite states it.
  package var message: String

  package init(code: Int32, message: String) {
    self.code = code & 0xff
    self.message = message
  }

  init(last handle: OpaquePointer?) {
    self.init(
      code: sqlite3_errcode(handle), message: String(cString: sqlite3_errmsg(handle)))
  }

  /// Another connection writes or reads.
  package static let busy = SQLITE_BUSY
  /// The disk has no room.
  package static let full = SQLITE_FULL
  /// The file is damaged.
  package static let damaged = SQLITE_CORRUPT
  /// The file is no database.
  package static let notADatabase = SQLITE_NOTADB
  /// The file could not be read or written.
  package static let io = SQLITE_IOERR
}
