import Foundation
import Synchronization
import TestSupport

/// Three servers of NATS on the loopback that keep copies for one another, with the configuration of the
/// documentation; a test may kill each and start it again.
final class NATSCluster: Sendable {
  struct Node: Sendable {
    var port, routes, monitor: Int
  }

  struct NotReady: Error { var node: Int, said: String }

  let folder: TemporaryFolder
  let nodes: [Node]
  private let programs = Mutex<[RunningProgram?]>([nil, nil, nil])
  /// What stands before the program of a node, such as `nsenter`.
  private let prefixes: [Int: [String]]
  private let stores: [Int: String]

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Starts them, and does not wait until they have found one another. `stores` are the folders of nodes that
  /// have another one than `store` in their own; each server keeps at most so many bytes, where that is said.
  init(
    prefixes: [Int: [String]] = [:], stores: [Int: String] = [:], most: Int? = nil
  ) async throws {
    folder = try TemporaryFolder()
    (self.prefixes, self.stores) = (prefixes, stores)
    nodes = try (0..<3).map { _ in
      try Node(port: Loopback.freePort(), routes: Loopback.freePort(), monitor: Loopback.freePort())
    }
    let authority = try TestAuthority("authorities", in: folder)
    try authority.sign("server", "/CN=server", usage: "serverAuth,clientAuth")
    let documented = try String(
      contentsOf: Self.root.appending(path: "docs/fleet-cluster.conf"), encoding: .utf8)
    for (number, node) in nodes.enumerated() {
      var text =
        documented.replacing("/etc/nats/", with: folder.file(""))
        .replacing("server_name: \"nats-1\"", with: "server_name: \"node-\(number)\"")
        .replacing("127.0.0.1:8222", with: "127.0.0.1:\(node.monitor)")
        .replacing("0.0.0.0:6222", with: "127.0.0.1:\(node.routes)")
      for (other, node) in nodes.enumerated() {
        text = text.replacing("nats-\(other + 1):6222", with: "127.0.0.1:\(node.routes)")
      }
      let store = stores[number] ?? folder.file("store-\(number)")
      try
        (text + """
          listen: "127.0.0.1:\(node.port)"
          jetstream { store_dir: "\(store)"\(most.map { ", max_file_store: \($0)" } ?? "") }

          """).write(toFile: folder.file("node-\(number).conf"), atomically: true, encoding: .utf8)
      try await start(number)
    }
  }

  /// Whether what it needs is installed.
  static var isPossible: Bool { NATSServer.isInstalled && TestAuthority.isPossible }

  var addresses: [String] { nodes.map { "nats://127.0.0.1:\($0.port)" } }

  /// The settings of a fleet that has all three.
  var settings: String {
    addresses.map { "server = \($0)\n" }.joined() + "replicas = 3\n"
  }

  /// Starts a node; it listens then, and need not be current.
  func start(_ number: Int) async throws {
    let words =
      (prefixes[number] ?? []) + ["nats-server", "-c", folder.file("node-\(number).conf")]
    let program = try RunningProgram(
      words[0], Array(words.dropFirst()), environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
    _ = try await program.lines.next { $0.contains("Listening for client connections") }
    programs.withLock { $0[number] = program }
  }

  /// Ends all of them, and starts them without a limit of the test's to what they keep.
  func restartUnlimited() async throws {
    for number in nodes.indices {
      end(number)
      let path = folder.file("node-\(number).conf")
      let text = try String(contentsOfFile: path, encoding: .utf8)
      try text.replacing(/, max_file_store: \d+/, with: "")
        .write(toFile: path, atomically: true, encoding: .utf8)
    }
    for number in nodes.indices { try await start(number) }
    try waitUntilReady()
  }

  /// Watches a node as its computer does in the documentation; what it kills is started again by the test.
  func watchdog(of number: Int) throws -> RunningProgram {
    let pid = programs.withLock { $0[number]?.pid ?? 0 }
    let script = Self.root.appending(path: "systemd/locationfleet-watchdog.sh").path
    return try RunningProgram(
      "sh", [script, "http://127.0.0.1:\(nodes[number].monitor)/healthz", "kill", "-9", "\(pid)"])
  }

  /// Has a node hang, as one whose disk is full does.
  func hang(_ number: Int) {
    programs.withLock { $0[number]?.signal(SIGSTOP) }
  }

  func end(_ number: Int, with signal: Int32 = SIGKILL) {
    programs.withLock { programs in
      programs[number]?.end(with: signal)
      programs[number] = nil
    }
  }

  /// Asks every node until each one says that it is current with all streams that it has a copy of, for so many
  /// seconds at most.
  func waitUntilReady(seconds: Double = 120) throws {
    let end = Date(timeIntervalSinceNow: seconds)
    for (number, node) in nodes.enumerated() {
      while true {
        let said = Loopback.get("/healthz", port: node.monitor) ?? ""
        if said.contains(#""status":"ok""#) || said.contains(#""status": "ok""#) { break }
        guard Date() < end else { throw NotReady(node: number, said: said) }
        usleep(100_000)
      }
    }
  }

  /// Starts a node anew until all are current; where it is not within a minute, and the others are, it fetches all
  /// that it has a copy of, as in the manual.
  func restart(_ number: Int) async throws {
    end(number)
    try await start(number)
    do {
      try waitUntilReady(seconds: 60)
    } catch {
      print("\(error): its store is removed")
      try await replace(number)
    }
  }

  /// Starts a node without anything that it has kept, until all are current.
  func replace(_ number: Int) async throws {
    end(number)
    let store = stores[number] ?? folder.file("store-\(number)")
    _ = try await runToEnd((prefixes[number] ?? []) + ["rm", "-r", "\(store)/jetstream"])
    try await start(number)
    try waitUntilReady()
  }

  /// What each node says of itself, of all streams, and of which it has, for a test that failed.
  var text: String {
    nodes.map { node in
      let health = Loopback.get("/healthz", port: node.monitor) ?? "no answer"
      let all = Self.json("/jsz?accounts=1&streams=1", port: node.monitor)
      let meta = all?["meta_cluster"] as? [String: Any]
      let streams = Self.streams(all).map {
        let leader = ($0["cluster"] as? [String: Any])?["leader"] ?? "nobody"
        let state = $0["state"] as? [String: Any]
        return "\($0["name"] ?? "") of \(leader) to \(state?["last_seq"] ?? "")"
      }
      return "\(health); all: \(meta?["leader"] ?? "nobody"); \(streams.sorted())"
    }.joined(separator: "\n")
  }

  /// The node that leads a stream, or for `nil` all of them; `nil` where nobody does.
  func leader(of stream: String?) -> Int? {
    for node in nodes {
      guard let all = Self.json("/jsz?accounts=1&streams=1", port: node.monitor) else { continue }
      guard let stream else {
        let meta = all["meta_cluster"] as? [String: Any]
        if let found = Self.number(meta?["leader"]) { return found }
        continue
      }
      for detail in Self.streams(all) where detail["name"] as? String == stream {
        let cluster = detail["cluster"] as? [String: Any]
        if let found = Self.number(cluster?["leader"]) { return found }
      }
    }
    return nil
  }

  private static func streams(_ all: [String: Any]?) -> [[String: Any]] {
    let accounts = all?["account_details"] as? [[String: Any]] ?? []
    return accounts.flatMap { $0["stream_detail"] as? [[String: Any]] ?? [] }
  }

  private static func json(_ path: String, port: Int) -> [String: Any]? {
    Loopback.get(path, port: port).flatMap {
      try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
  }

  private static func number(_ name: Any?) -> Int? {
    (name as? String).flatMap { Int($0.dropFirst("node-".count)) }
  }

  deinit {
    for number in 0..<3 { end(number) }
  }
}
