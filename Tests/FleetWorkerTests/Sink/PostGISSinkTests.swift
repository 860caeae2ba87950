import Foundation
import LocationFleet
import TestSupport
import Testing

/// A cluster of PostgreSQL of a test's own: in a temporary folder, at a socket there, as a user without
/// rights, since it refuses to run as root.
final class PostgresCluster {
  private static let programs = "/usr/lib/postgresql/15/bin"
  private static let extensionFile = "/usr/share/postgresql/15/extension/postgis.control"
  let folder: TemporaryFolder
  private var server: RunningProgram?

  static var isInstalled: Bool {
    FileManager.default.isExecutableFile(atPath: "\(programs)/initdb")
      && FileManager.default.fileExists(atPath: extensionFile)
      && TestSupport.isInstalled("psql") && TestSupport.isInstalled("python3")
  }

  init() async throws {
    folder = try TemporaryFolder()
    chmod(folder.path, 0o777)
    let made = try RunningProgram(
      "setpriv",
      Self.user + [
        "\(Self.programs)/initdb", "-D", folder.file("data"), "-U", "owner", "-A", "trust", "-N",
      ])
    _ = try await made.lines.next { $0.contains("Success.") }
    try await start()
  }

  private static let user =
    getuid() == 0 ? ["--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"] : ["--"]

  func start() async throws {
    let program = try RunningProgram(
      "setpriv",
      Self.user + [
        "\(Self.programs)/postgres", "-D", folder.file("data"), "-k", folder.path,
        "-c", "listen_addresses=", "-c", "fsync=off",
      ])
    _ = try await program.lines.next { $0.contains("ready to accept connections") }
    server = program
  }

  /// Ends it as a crash does: transactions are cut off, and the next start recovers.
  func crash() { server?.end(with: SIGQUIT) }

  deinit { crash() }

  func words(_ user: String) -> String { "host=\(folder.path) dbname=postgres user=\(user)" }

  /// The first line that a statement gives.
  func ask(_ statement: String) async throws -> String {
    let program = try RunningProgram("psql", ["-d", words("owner"), "-Atqc", statement])
    return try await program.lines.next()
  }

  /// Runs statements, and fails with the first fault.
  func run(_ statements: String) async throws {
    let file = folder.file("statements.sql")
    try (statements + "\nSELECT 'all done';\n").write(
      toFile: file, atomically: true, encoding: .utf8)
    let program = try RunningProgram(
      "psql", ["-d", words("owner"), "-v", "ON_ERROR_STOP=1", "-Atqf", file])
    let line = try await program.lines.next { $0 == "all done" || $0.contains("ERROR") }
    guard line == "all done" else { throw SinkSite.Failed(text: line) }
  }

  /// Waits until the table has so many rows; the server says when it has more.
  func wait(for count: Int) async throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "listener.py").path
    let listener = try RunningProgram("python3", [script, words("owner")])
    _ = try await listener.lines.next { Int($0).map { $0 >= count } ?? false }
  }
}

@Suite(
  "A fleet's sink and a real PostGIS", .serialized,
  .enabled(
    if: NATSServer.isInstalled && PostgresCluster.isInstalled,
    "nats-server, python3, or postgresql-15-postgis-3 is not installed"))
struct PostGISSinkTests {
  /// A cluster with the table, a role that may do no more than the manual says, and who says when rows come.
  private func prepare() async throws -> (PostgresCluster, SinkSite) {
    let cluster = try await PostgresCluster()
    let site = try await SinkSite("postgis = \(cluster.words("sink"))\ngive-up = 5")
    let schema = try FinishedProgram(
      "locationfleet", ["sink", "postgis", "--schema", "--config", site.configuration])
    try await cluster.run(schema.output)
    // A name that is a word of SQL.
    let order = PostGISTable("public.order")
    try await cluster.run(order.schema + "PREPARE take AS \(order.insertion);\nEXECUTE take('[]');")
    // Twice, as who installs a new version does.
    try await cluster.run(schema.output)
    try await cluster.run(
      """
      CREATE ROLE sink LOGIN;
      GRANT INSERT, SELECT (id) ON fleet_events TO sink;
      CREATE FUNCTION say() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
        PERFORM pg_notify('fleet', (SELECT count(*) FROM fleet_events)::text);
        RETURN NULL;
      END $$;
      CREATE TRIGGER say AFTER INSERT ON fleet_events EXECUTE FUNCTION say();
      """)
    return (cluster, site)
  }

  @Test(
    "FLEET-40: sinks are killed and the server crashes again and again: every event is in the table, none twice, those of a device in order"
  )
  func killed() async throws {
    let (cluster, site) = try await prepare()
    var count = 0
    for life in 0..<4 {
      count += try site.add((life * 50)..<(life * 50 + 50), devices: 4)
      let sink = try await site.start("postgis")
      if life.isMultiple(of: 2) {
        try await cluster.wait(for: count - 199)
        sink.end(with: SIGKILL)
      } else {
        cluster.crash()
        try await cluster.start()
        try await cluster.wait(for: count)
        sink.terminate()
      }
    }
    let sink = try await site.start("postgis")
    try await cluster.wait(for: count)
    sink.terminate()
    for (statement, expected) in [
      ("SELECT count(*), count(DISTINCT id) FROM fleet_events", "\(count)|\(count)"),
      (
        "SELECT count(*) FROM fleet_events WHERE accuracy = 8"
          + " AND ST_DWithin(place, 'POINT(6.6 46.5)', 1)", "\(count)"
      ),
      // Rows of one transaction have the same date of insertion.
      (
        "SELECT count(*) FROM fleet_events a JOIN fleet_events b USING (device)"
          + " WHERE a.date < b.date AND a.inserted > b.inserted", "0"
      ),
    ] { #expect(try await cluster.ask(statement) == expected, "\(statement)") }
    #expect(try site.refused().isEmpty)
  }

  @Test(
    "FLEET-46: of a batch with an event that the table refuses all others are in it, and that one is set aside"
  )
  func refuses() async throws {
    let (cluster, site) = try await prepare()
    try await cluster.run(
      """
      ALTER TABLE fleet_events
      ADD CHECK (device <> 'truck-1' OR date <> to_timestamp(\(SinkSite.date(2))));
      """)
    let bad = site.identifiers(2..<3, of: 1)
    let count = try site.add(0..<6, devices: 3)
    let sink = try await site.start("postgis")
    try await cluster.wait(for: count - 1)
    sink.terminate()
    let lines = try site.refused()
    #expect(lines.count == 1 && lines.first?.contains(bad[0]) == true)
    #expect(lines.first?.contains(#""reason":"SQLSTATE 23514""#) == true)
  }

  @Test("FLEET-43: without its table a sink waits, says so, and sets nothing aside")
  func noTable() async throws {
    let (cluster, site) = try await prepare()
    try await cluster.run("ALTER TABLE fleet_events RENAME TO elsewhere;")
    let count = try site.add(0..<3, devices: 2)
    let sink = try await site.start("postgis")
    let said = try await sink.lines.next { $0.contains("waits: ") }
    #expect(said.contains("fleet_events"), "\(said)")
    try await cluster.run("ALTER TABLE elsewhere RENAME TO fleet_events;")
    try await cluster.wait(for: count)
    sink.terminate()
    #expect(try site.refused().isEmpty)
  }
}
