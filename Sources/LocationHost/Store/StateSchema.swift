import Glibc
import LocationModel
import LocationSQLite

/// The format of the state in its file, and the migration of older ones.
enum StateSchema {
  /// The format that this program writes: `user_version` of the database.
  ///
  /// 0 is the format of programs that wrote no number: the same table, with columns of any type. In
  /// 1 the rows were not sealed.
  static let version = 2
  private static let file = "state.sqlite"

  /// A file in the present format.
  struct Prepared {
    /// Whether there was no state in it.
    var isNew: Bool
    /// What seals and opens its rows.
    var seal: StateSeal
  }

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

  /// Brings the file into the present format, and opens its keys.
  ///
  /// - Throws: `StoreError` of the database or of the keys, or if the files that are open are not those
  ///   in `folder`; the file is then unchanged.
  static func prepare(
    _ database: Database, _ keys: StateKeys, in folder: HeldFolder
  ) throws(StoreError) -> Prepared {
    guard folder.hasOpened(file, isNeeded: true) else { throw folder.replaced }
    let prepared: Prepared
    do throws(StoreError) { prepared = try prepare(database, keys, folder) } catch {
      // What was read may be of another folder; a log that lies here need not be open.
      guard folder.isAtItsPath else { throw folder.replaced }
      throw error
    }
    // The log is opened by its path, too, and later.
    let isLogged = try StoreError.at("read") { () throws(DatabaseError) in
      try database.first("PRAGMA journal_mode") { $0.text(0) == "wal" }
    }
    guard
      ["-wal", "-shm"].allSatisfy({ folder.hasOpened(file + $0, isNeeded: isLogged == true) })
    else { throw folder.replaced }
    return prepared
  }

  private static func prepare(
    _ database: Database, _ keys: StateKeys, _ folder: HeldFolder
  ) throws(StoreError) -> Prepared {
    try refuse(number("PRAGMA user_version", on: database), of: "state")
    try StateStore.run("PRAGMA secure_delete = ON", on: database)
    // No data is written to a public temporary folder while the file is made smaller.
    try StateStore.run("PRAGMA temp_store = MEMORY", on: database)
    try beginLog(of: database)
    try StateStore.run("PRAGMA synchronous = FULL", on: database)
    try check(database)
    var (isNew, seal) = (false, StateSeal?.none)
    if try number(count("sealing"), on: database) > 0 {
      do throws(StoreError) {
        seal = try StateSeal(keys, generation: generation(on: database))
      } catch {
        // Another process may be changing the keys: what is read with the lock to write counts.
        guard error.isKeyLost else { throw error }
      }
    }
    let isSettled = try seal.map { (seal) throws(StoreError) in
      try seal.isSettled(for: needed(in: database, folder))
        && ReplacedFile.leftovers(in: folder).isEmpty
    }
    if isSettled != true {
      try StateStore.transaction(on: database) { () throws(StoreError) in
        ReplacedFile.tidy(folder)
        // Another process may have been first.
        if try number(count("sealing"), on: database) > 0 {
          let found = try StateSeal(keys, generation: generation(on: database))
          try found.settle(for: needed(in: database, folder))
          seal = found
        } else {
          isNew = try number(count("state"), on: database) == 0
          seal = try begin(database, keys, isNew: isNew)
        }
        try StateStore.run("PRAGMA user_version = \(version)", on: database)
      }
    }
    guard let seal else {
      throw StoreError(code: StoreError.keyLost, context: "open", message: "there are no keys")
    }
    return Prepared(isNew: isNew, seal: seal)
  }

  /// Begins a write-ahead log, unless the file has one.
  ///
  /// Of several processes that open a new file at once, one changes it, and SQLite does not wait in the
  /// others: they wait for the lock to write, and look again.
  private static func beginLog(of database: Database) throws(StoreError) {
    for _ in 0..<8 {
      do throws(StoreError) {
        return try StateStore.run("PRAGMA journal_mode = WAL", on: database)
      } catch {
        guard error.isBusy else { throw error }
        try StateStore.run("BEGIN IMMEDIATE", on: database)
        try StateStore.run("COMMIT", on: database)
      }
    }
    try StateStore.run("PRAGMA journal_mode = WAL", on: database)
  }

  /// What stands for the owners whose keys are needed; `nil` for all that there are: a damaged state that
  /// was moved aside may be looked at.
  private static func needed(
    in database: Database, _ folder: HeldFolder
  ) throws(StoreError) -> Set<[UInt8]>? {
    let names = SmallFile.names(in: folder.file("."))
    guard !names.contains(where: { $0.hasPrefix(StateFolder.mark) }) else { return nil }
    return try owners(in: database)
  }

  /// What stands for the owners of all rows.
  static func owners(in database: Database) throws(StoreError) -> Set<[UInt8]> {
    try StoreError.at("read") { () throws(DatabaseError) in
      let query = try database.statement("SELECT DISTINCT owner FROM state")
      defer { query.clear() }
      var owners: Set<[UInt8]> = []
      while try query.next() { owners.insert(query.withBytes(0) { [UInt8]($0) }) }
      return owners
    }
  }

  private static func generation(on database: Database) throws(StoreError) -> UInt32 {
    UInt32(clamping: try number("SELECT generation FROM sealing", on: database))
  }

  /// Makes the tables, and moves the rows of an earlier format into them.
  private static func begin(
    _ database: Database, _ keys: StateKeys, isNew: Bool
  ) throws(StoreError) -> StateSeal {
    let seal = try StateSeal.begin(keys)
    let entries = isNew ? [] : try plainEntries(of: database)
    if !isNew { try StateStore.run("DROP TABLE state", on: database) }
    try StateStore.run(table, on: database)
    // What was plain is overwritten in the files after this transaction.
    try StateStore.run(
      "INSERT INTO sealing VALUES (\(seal.generation), \(isNew ? 1 : 0))", on: database)
    for entry in entries {
      try StateStore.apply(.set(entry.key, entry.value), to: database, sealedBy: seal)
    }
    return seal
  }

  private static func plainEntries(of database: Database) throws(StoreError) -> [StateEntry] {
    try StoreError.at("read") { () throws(DatabaseError) in
      let query = try database.statement(
        "SELECT CAST(domain AS TEXT), CAST(owner AS TEXT), CAST(name AS TEXT), CAST(value AS BLOB) "
          + "FROM state WHERE value IS NOT NULL")
      defer { query.clear() }
      var entries: [StateEntry] = []
      while try query.next() {
        let key = StateKey(
          domain: query.text(0) ?? "", owner: query.text(1) ?? "", name: query.text(2) ?? "")
        entries.append(StateEntry(key: key, value: query.withBytes(3) { [UInt8]($0) }))
      }
      return entries
    }
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

  /// `owner` and `name` stand for the names, which are sealed with the value.
  private static let table = """
    CREATE TABLE state (
      domain TEXT NOT NULL, owner BLOB NOT NULL, name BLOB NOT NULL, value BLOB NOT NULL,
      PRIMARY KEY (domain, owner, name)
    ) WITHOUT ROWID, STRICT;
    CREATE TABLE sealing (generation INTEGER NOT NULL, swept INTEGER NOT NULL) STRICT;
    """
}
