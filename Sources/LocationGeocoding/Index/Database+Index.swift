import LocationSQLite

extension Database {
  /// Opens an index, which must not change while it is open.
  ///
  /// The first 6 MB are mapped, which is what every look-up needs; of the rest 1 MB is kept. Linux
  /// counts every touched page of a map, and its neighbors, as resident: with the whole file
  /// mapped, 2,000 look-ups around the world took 22 MB more, and were no faster.
  convenience init(placesIn path: String) throws(DatabaseError) {
    try self.init(path, for: .immutable)
    try run("PRAGMA mmap_size=6291456; PRAGMA cache_size=-1024")
  }

  /// Reads a value of the table `meta`, which every index has.
  func meta<Value>(_ key: String, _ read: (Statement) -> Value?) throws(DatabaseError) -> Value? {
    let statement = try statement("SELECT value FROM meta WHERE key = ?")
    return statement.bind(key, at: 1).step() ? read(statement) : nil
  }

  /// Runs one statement with what `bind` gives it; what it leaves out is NULL.
  func insert(_ sql: String, _ bind: (Statement) -> Void) throws(DatabaseError) {
    let statement = try statement(sql)
    bind(statement)
    try statement.run()
  }
}
