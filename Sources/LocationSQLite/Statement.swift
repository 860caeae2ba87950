import CSQLite

/// A prepared statement, bound and stepped by its user. Positions count from 1, columns from 0.
package final class Statement {
  private let handle: OpaquePointer

  init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { sqlite3_finalize(handle) }

  /// Ends reading, and makes every parameter NULL.
  package func clear() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  @discardableResult
  package func bind(_ value: Int64, at position: Int32) -> Statement {
    sqlite3_bind_int64(handle, position, value)
    return self
  }

  @discardableResult
  package func bind(_ value: Double, at position: Int32) -> Statement {
    sqlite3_bind_double(handle, position, value)
    return self
  }

  /// Binds a text with its length, so that a NUL in it does not end it.
  @discardableResult
  package func bind(_ value: String, at position: Int32) -> Statement {
    var value = value
    value.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        // A text without bytes may have no address, which would bind NULL.
        _ = sqlite3_bind_text(
          handle, position, $0.baseAddress ?? UnsafePointer(bitPattern: 1), Int32($0.count),
          Self.transient)
      }
    }
    return self
  }

  @discardableResult
  package func bind(_ value: [UInt8], at position: Int32) -> Statement {
    value.withUnsafeBytes {
      // An empty value is a blob of no bytes; a missing address would mean NULL.
      _ =
        $0.isEmpty
        ? sqlite3_bind_zeroblob(handle, position, 0)
        : sqlite3_bind_blob(handle, position, $0.baseAddress, Int32($0.count), Self.transient)
    }
    return self
  }

  /// Goes to the next row; `false` after the last one, and if the row cannot be read.
  package func step() -> Bool { sqlite3_step(handle) == SQLITE_ROW }

  /// Goes to the next row; `false` after the last one.
  ///
  /// - Throws: `DatabaseError` if the row cannot be read.
  package func next() throws(DatabaseError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw DatabaseError(last: sqlite3_db_handle(handle))
    }
  }

  /// Runs a statement that has no rows to the end, ready to be bound again.
  ///
  /// - Throws: `DatabaseError` if it fails.
  package func run() throws(DatabaseError) {
    let code = sqlite3_step(handle)
    // A reset reports the error once more.
    sqlite3_reset(handle)
    guard code == SQLITE_DONE || code == SQLITE_ROW else {
      throw DatabaseError(last: sqlite3_db_handle(handle))
    }
  }

  package func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  package func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

  package func optionalInteger(_ column: Int32) -> Int? {
    isNull(column) ? nil : integer(column)
  }

  package func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  /// Returns a text, with every NUL in it; `nil` for NULL.
  package func text(_ column: Int32) -> String? {
    guard let start = sqlite3_column_text(handle, column) else { return nil }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// Passes the bytes of a column, which live until the next step.
  package func withBytes<Result>(
    _ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    let start = sqlite3_column_blob(handle, column)
    let count = Int(sqlite3_column_bytes(handle, column))
    return body(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Makes SQLite copy the bytes that it is given.
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
