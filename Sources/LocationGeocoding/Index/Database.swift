import CSQLite

/// A SQLite file opened for reading only and mapped into memory.
///
/// Not safe to share between threads; its owner keeps it behind a lock.
final class Database {
  /// What SQLite said, in its own words.
  struct Failure: Error, Hashable {
    var message: String
  }

  private let handle: OpaquePointer
  private var statements: [String: Statement] = [:]

  /// Opens an existing file. The file must not change while it is open.
  init(readingFrom path: String) throws(Failure) {
    var handle: OpaquePointer?
    let uri = "file:\(Self.escaped(path))?immutable=1"
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
    let code = sqlite3_open_v2(uri, &handle, flags, nil)
    guard code == SQLITE_OK, let handle else {
      sqlite3_close_v2(handle)
      throw Failure(message: String(cString: sqlite3_errstr(code)))
    }
    self.handle = handle
    sqlite3_exec(handle, Self.memory, nil, nil, nil)
  }

  /// The first 6 MB are mapped, which is what every look-up needs; of the rest 1 MB is kept. Linux
  /// counts every touched page of a map, and its neighbours, as resident: with the whole file
  /// mapped, 2,000 look-ups around the world took 22 MB more, and were no faster.
  private static let memory = "PRAGMA mmap_size=6291456; PRAGMA cache_size=-1024"

  deinit {
    statements.removeAll()
    sqlite3_close_v2(handle)
  }

  /// The prepared statement for a text, ready to be bound.
  func statement(_ sql: String) throws(Failure) -> Statement {
    if let known = statements[sql] { return known.reset() }
    var prepared: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    guard sqlite3_prepare_v3(handle, sql, -1, flags, &prepared, nil) == SQLITE_OK, let prepared
    else { throw Failure(message: String(cString: sqlite3_errmsg(handle))) }
    let statement = Statement(prepared)
    statements[sql] = statement
    return statement
  }

  /// A value of the table `meta`, which every index of ours has.
  func meta<Value>(_ key: String, _ read: (Statement) -> Value?) throws(Failure) -> Value? {
    let statement = try statement("SELECT value FROM meta WHERE key = ?")
    return statement.bind(key, at: 1).step() ? read(statement) : nil
  }

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

/// A prepared statement, bound and stepped by its user.
final class Statement {
  private let handle: OpaquePointer

  init(_ handle: OpaquePointer) {
    self.handle = handle
  }

  deinit { sqlite3_finalize(handle) }

  fileprivate func reset() -> Statement {
    sqlite3_reset(handle)
    return self
  }

  /// The statement, ready for a new row: what is not bound again is NULL.
  func cleared() -> Statement {
    sqlite3_clear_bindings(handle)
    return reset()
  }

  /// Binds the parameter at `position`, counted from 1.
  @discardableResult
  func bind(_ value: Int64, at position: Int32) -> Statement {
    sqlite3_bind_int64(handle, position, value)
    return self
  }

  @discardableResult
  func bind(_ value: String, at position: Int32) -> Statement {
    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    sqlite3_bind_text(handle, position, value, Int32(value.utf8.count), copied)
    return self
  }

  @discardableResult
  func bind(_ value: Double, at position: Int32) -> Statement {
    sqlite3_bind_double(handle, position, value)
    return self
  }

  @discardableResult
  func bind(_ value: [UInt8], at position: Int32) -> Statement {
    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    sqlite3_bind_blob(handle, position, value, Int32(value.count), copied)
    return self
  }

  /// Goes to the next row; `false` after the last one.
  func step() -> Bool { sqlite3_step(handle) == SQLITE_ROW }

  /// Runs to the end, and says whether that went well.
  func run() -> Bool {
    defer { sqlite3_reset(handle) }
    return sqlite3_step(handle) == SQLITE_DONE
  }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

  func optionalInteger(_ column: Int32) -> Int? { isNull(column) ? nil : integer(column) }

  func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  func text(_ column: Int32) -> String? {
    sqlite3_column_text(handle, column).map { String(cString: $0) }
  }

  /// Hands out the bytes of a column, which live until the next step.
  func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let count = Int(sqlite3_column_bytes(handle, column))
    return body(UnsafeRawBufferPointer(start: sqlite3_column_blob(handle, column), count: count))
  }
}
