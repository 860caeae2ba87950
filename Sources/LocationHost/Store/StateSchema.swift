import Glibc
import LocationSQLite

/// The format of the state in its file, and the migration of older ones.
enum StateSchema {
  /// The format that this program writes: `user_version` of the database.
  ///
  /// 0 is the format of programs that wrote no number: the same table, with columns of any type.
  static let version = 1

  /// Opens the file, and creates it so that only this user can ever read it, whatever the umask.
  static func open(_ path: String) throws(StoreError) -> Database {
    // Only if none exists: closing a descriptor would end the locks of this process on the file.
    let new = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if new >= 0 {
      fchmod(new, 0o600)
      close(new)
    }
    return try StoreError.at("open \(path)") { () throws(DatabaseError) in
      try Database(path, for: .writing)
    }
  }

  /// Reads only the format's number, through a connection that cannot write.
  ///
  /// - Throws: `StoreError` if a newer program has written the file.
  static func refuseNewer(_ path: String) throws(StoreError) {
    guard access(path, F_OK) == 0 else { return }
    // A file that cannot be read here is reported when it is opened for writing.
    guard let database = try? Database(path, for: .reading),
      let found = try? number("PRAGMA user_version", on: database)
    else { return }
    try refuse(found, of: path)
  }

  private static func refuse(_ found: Int, of path: String) throws(StoreError) {
    guard found > version else { return }
    throw StoreError(
      code: StoreError.newer, context: path,
      message: "a newer program has written the state, in form \(found), and this one reads forms "
        + "up to \(version); update locationd, locationctl, and the apps that bring an engine of their own, "
        + "or go back to the newer program; nothing was changed")
  }

  /// Brings the file into the present format; returns whether there was no state in it.
  ///
  /// - Throws: `StoreError` of the database; the file is then unchanged.
  static func prepare(_ database: Database) throws(StoreError) -> Bool {
    try refuse(number("PRAGMA user_version", on: database), of: "state")
    try StateStore.run("PRAGMA secure_delete = ON", on: database)
    // No data is written to a public temporary folder while the file is made smaller.
    try StateStore.run("PRAGMA temp_store = MEMORY", on: database)
    try StateStore.run("PRAGMA journal_mode = WAL", on: database)
    try StateStore.run("PRAGMA synchronous = FULL", on: database)
    try check(database)
    let hasTable = try number(count("state"), on: database) > 0
    guard try number("PRAGMA user_version", on: database) < version || !hasTable else {
      return false
    }
    var isNew = true
    try StateStore.transaction(on: database) { () throws(StoreError) in
      // Another process may have created it first.
      isNew = try number(count("state"), on: database) == 0
      if isNew {
        try StateStore.run(table, on: database)
      } else if try number("PRAGMA user_version", on: database) < version {
        try StateStore.run(fromUnnumbered, on: database)
      }
      try StateStore.run("PRAGMA user_version = \(version)", on: database)
    }
    return isNew
  }

  /// Checks the whole file, because opening it does not detect all damage.
  private static func check(_ database: Database) throws(StoreError) {
    let verdict = try StoreError.at("check") { () throws(DatabaseError) in
      try database.first("PRAGMA quick_check(1)") { $0.text(0) ?? "" }
    }
    guard verdict == "ok" else {
      throw StoreError(
        code: DatabaseError.damaged, context: "check", message: verdict ?? "it says nothing")
    }
  }

  static func number(_ text: String, on database: Database) throws(StoreError) -> Int {
    try StoreError.at("read") { () throws(DatabaseError) in
      try database.first(text) { $0.integer(0) } ?? 0
    }
  }

  private static func count(_ table: String) -> String {
    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = '\(table)'"
  }

  private static let table = """
    CREATE TABLE state (
      domain TEXT NOT NULL, owner TEXT NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL,
      PRIMARY KEY (domain, owner, name)
    ) WITHOUT ROWID, STRICT;
    """

  private static let fromUnnumbered = """
    ALTER TABLE state RENAME TO unnumbered;
    \(table)
    INSERT OR REPLACE INTO state
      SELECT CAST(domain AS TEXT), CAST(owner AS TEXT), CAST(name AS TEXT), CAST(value AS BLOB)
      FROM unnumbered WHERE value IS NOT NULL;
    DROP TABLE unnumbered;
    """
}
