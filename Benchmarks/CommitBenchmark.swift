import Foundation
import LocationHost
import LocationModel
import LocationSQLite

/// The time of a commit of the sealed state, against the same rows in a table of the form before,
/// which was not sealed; on the wall, in turns.
///
/// The step is that of an app that crosses a boundary: a condition, an event, and a record of access.
/// Nearly all of the time is the disk's.
func measureCommits() throws {
  let folder = try Peers.folder("commits")
  defer { try? FileManager.default.removeItem(at: folder) }
  let state = StateFolder(path: folder.appending(path: "state").path)
  try state.create()
  let sealed = try StateStore(path: state.file)
  let plain = try Database(folder.appending(path: "plain.sqlite").path, for: .creating)
  try plain.run(
    """
    PRAGMA secure_delete = ON; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE state (
      domain TEXT NOT NULL, owner TEXT NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL,
      PRIMARY KEY (domain, owner, name)
    ) WITHOUT ROWID, STRICT;
    """)
  var (own, other): ([Double], [Double]) = ([], [])
  for step in 0..<2000 {
    let rows = rows(of: step)
    let ours = try wallTime { try sealed.commit(rows.map { .set($0.key, $0.value) }) }
    let theirs = try wallTime { try commit(rows, to: plain) }
    guard step >= 200 else { continue }
    own.append(ours)
    other.append(theirs)
  }
  let size = try FileManager.default.attributesOfItem(atPath: state.file)[.size] as? Int ?? 0
  try Figure.report("commit.time", own.median * 1e6, "µs", "a commit of three rows, sealed")
  try Figure.report("commit.plain.time", other.median * 1e6, "µs", "the same, not sealed")
  let ratios = MedianInterval(zip(own, other).map { $0 / $1 })
  try Figure.report("commit.ratio", ratios.median, "", "sealed over not sealed, of pairs")
  print("from \(ratios.low) to \(ratios.high); the file has \(size) bytes")
  let cpu = try bestInTurns([
    { try processorTime { for step in 0..<500 { try seal(step, in: sealed) } } },
    { try processorTime { for step in 0..<500 { try commit(rows(of: step), to: plain) } } },
  ])
  try Figure.report(
    "commit.cpu.difference", (cpu[0] - cpu[1]) / 500 * 1e6, "µs", "processor time more, a commit")
}

private func seal(_ step: Int, in store: StateStore) throws {
  try store.commit(rows(of: step).map { .set($0.key, $0.value) })
}

private func rows(of step: Int) -> [StateEntry] {
  let app = "org.example.Walk"
  let sizes = [
    ("condition", "place \(step % 20)", 240), ("event", "\(step % 100)", 300),
    ("access", "updates", 90),
  ]
  return sizes.map { domain, name, size in
    StateEntry(
      key: StateKey(domain: domain, owner: app, name: name),
      value: [UInt8](repeating: UInt8(truncatingIfNeeded: step), count: size))
  }
}

private func commit(_ rows: [StateEntry], to database: Database) throws {
  try database.transaction({ $0 }) { () throws(DatabaseError) in
    for row in rows {
      try database.statement(
        "INSERT INTO state VALUES (?1, ?2, ?3, ?4) "
          + "ON CONFLICT DO UPDATE SET value = excluded.value"
      ).bind(row.key.domain, at: 1).bind(row.key.owner, at: 2).bind(row.key.name, at: 3)
        .bind(row.value, at: 4).run()
    }
  }
}
