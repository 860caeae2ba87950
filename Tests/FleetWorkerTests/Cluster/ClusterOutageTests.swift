import Foundation
import LocationFleet
import LocationFleetNATS
import TestSupport
import Testing

@Suite(
  "A fleet whose servers have no room, or are gone", .serialized,
  .enabled(if: NATSCluster.isPossible, "nats-server or openssl is not installed"))
struct ClusterOutageTests {
  /// A small file system for the store of one node, in a mount namespace of its own.
  private final class SmallDisk {
    let path: String
    private let holder: RunningProgram

    /// Whether this user may have one.
    static var isPossible: Bool {
      guard geteuid() == 0, isInstalled("unshare"), isInstalled("nsenter") else { return false }
      let words = ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
      return (try? FinishedProgram("/usr/bin/unshare", words))?.status == 0
    }

    init(in folder: TemporaryFolder, megabytes: Int) async throws {
      path = folder.file("small")
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      let mount = "mount -t tmpfs -o size=\(megabytes)m tmpfs '\(path)' && echo mounted"
      holder = try RunningProgram(
        "unshare", ["-m", "sh", "-c", "\(mount) && exec sleep 100000"], keeping: folder)
      _ = try await holder.lines.next { $0 == "mounted" }
    }

    /// What has a program see it.
    var prefix: [String] { ["nsenter", "-t", "\(holder.pid)", "-m"] }

    func fill() async throws {
      let words = prefix + ["dd", "if=/dev/zero", "of=\(path)/filler", "bs=64k"]
      let said = try await runToEnd(words).lines
      #expect(said.contains { $0.contains("No space left") })
    }

    func makeRoom() async throws {
      _ = try await runToEnd(prefix + ["rm", "\(path)/filler"])
    }
  }

  @Test(
    "FLEET-80: while the disk of one of three servers is full the others go on, and nothing is lost",
    .enabled(if: SmallDisk.isPossible, "only root can have a small disk"))
  func fullDisk() async throws {
    let folder = try TemporaryFolder()
    let disk = try await SmallDisk(in: folder, megabytes: 64)
    let cluster = try await NATSCluster(prefixes: [2: disk.prefix], stores: [2: disk.path])
    try cluster.waitUntilReady()
    let run = try ClusterRun(cluster, settings: "lease = 3\nsnapshot = 2\n", steps: 400)
    try run.waitForSteps(12)
    let watchdog = try cluster.watchdog(of: 2)
    run.note("full disk")
    try await disk.fill()
    try run.waitForSteps(60)
    watchdog.end()
    // What its computer does when the watchdog has killed it, although there is no room yet.
    run.note("started without room")
    cluster.end(2)
    try await cluster.start(2)
    let second = try cluster.watchdog(of: 2)
    try run.waitForSteps(60)
    second.end()
    try await disk.makeRoom()
    run.note("started with room")
    try await cluster.restart(2)
    try run.waitForSteps(12)
    let pauses = try run.finish()
    print(pauses.text)
  }

  @Test(
    "FLEET-80: while all three servers have what they may keep nothing is acknowledged, and with more room nothing is lost"
  )
  func noRoom() async throws {
    let cluster = try await NATSCluster(most: 4_000_000)
    try cluster.waitUntilReady()
    let run = try ClusterRun(cluster, settings: "lease = 3\nsnapshot = 2\n", steps: 400)
    try run.waitForSteps(12)
    var broker = try NATSBroker(servers: cluster.addresses, name: "test")
    let large = LogEntry(subject: "ref.test", bytes: [UInt8](repeating: 1, count: 200_000))
    run.note("no room")
    let refusal = try #require(throws: BrokerFault.self) {
      for _ in 0..<40 { _ = try broker.append([large], to: .refused, expecting: nil) }
    }
    #expect("\(refusal)".contains("insufficient resources"))
    let small = LogEntry(subject: "ref.test", bytes: [1])
    // Also once another server leads.
    #expect(throws: BrokerFault.self) {
      _ = try broker.append([small], to: .refused, expecting: nil)
    }
    run.note("more room")
    try await cluster.restartUnlimited()
    try run.waitForSteps(40)
    let pauses = try run.finish()
    print(pauses.text)
  }

  @Test("FLEET-80: a server that hangs is killed by its watchdog, and one that is gone is let be")
  func watchdog() async throws {
    let cluster = try await NATSCluster()
    try cluster.waitUntilReady()
    let watchdog = try cluster.watchdog(of: 1)
    _ = try await watchdog.lines.next { $0.contains("answers") }
    cluster.hang(1)
    let said = try await watchdog.lines.next { $0.contains("hangs and is killed") }
    #expect(said.contains("127.0.0.1:\(cluster.nodes[1].monitor)/healthz"))
    // It asks on, and kills nothing that is not there.
    _ = try await watchdog.lines.next { $0.contains("is gone, or") }
  }

  @Test(
    "FLEET-80: without any server nothing is acknowledged, which is said, and all goes on when they are back",
    .enabled(if: isInstalled("curl"), "curl is not installed"))
  func nobody() async throws {
    let cluster = try await NATSCluster()
    try cluster.waitUntilReady()
    let site = try await IngressSite(devices: 1, on: cluster)
    let auth = ["-u", "dev-0:\(IngressSite.password("dev-0"))"]
    func query(_ second: Int) -> String {
      "/?id=truck-0&lat=46.5&lon=6.6&timestamp=\(1_780_000_000 + second)"
    }
    #expect(try await site.ask(auth, path: query(1)) == "200")
    for node in 0..<3 { cluster.end(node) }
    #expect(try await site.ask(auth, path: query(2)) == "503")
    let said = try await site.ingress?.lines.next { $0.contains("the streams do not keep") }
    #expect(said != nil)
    let path = site.folder.file("fleet.conf")
    let refused = try FinishedProgram(
      "locationfleet", ["publish", "--config", path], input: "{}\n")
    #expect(refused.status == 1 && refused.error.contains(cluster.addresses[0]))
    for node in 0..<3 { try await cluster.start(node) }
    try cluster.waitUntilReady()
    // Its connection is made anew each 0.2 s.
    var status = ""
    for _ in 0..<20 where status != "200" { status = try await site.ask(auth, path: query(2)) }
    #expect(status == "200")
    let seconds = try #require(site.kept()["truck-0"])
    #expect(Set(seconds) == [1, 2])
  }
}
