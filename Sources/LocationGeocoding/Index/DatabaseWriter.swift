import CSQLite

/// A new SQLite file, being filled.
final class DatabaseWriter {
  private let handle: OpaquePointer
  private var statements: [String: Statement] = [:]

  /// Creates a file where there is none.
  init(creating path: String) throws(Database.Failure) {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK, let handle else {
      sqlite3_close_v2(handle)
      throw Database.Failure(message: "\(path): \(String(cString: sqlite3_errstr(code)))")
    }
    self.handle = handle
  }

  deinit {
    statements.removeAll()
    sqlite3_close_v2(handle)
  }

  /// Runs statements without parameters.
  func run(_ sql: String) throws(Database.Failure) {
    statements.removeAll()
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  /// Runs one statement with what `bind` gives it; what it leaves out is NULL.
  func insert(_ sql: String, _ bind: (Statement) -> Void) throws(Database.Failure) {
    let statement: Statement
    if let known = statements[sql] {
      statement = known.cleared()
    } else {
      var prepared: OpaquePointer?
      guard sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK, let prepared else {
        throw failure
      }
      statement = Statement(prepared)
      statements[sql] = statement
    }
    bind(statement)
    guard statement.run() else { throw failure }
  }

  private var failure: Database.Failure {
    Database.Failure(message: String(cString: sqlite3_errmsg(handle)))
  }
}
