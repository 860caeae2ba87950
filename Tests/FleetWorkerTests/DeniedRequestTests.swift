import Foundation
import LocationFleet
import LocationFleetNATS
import TestSupport
import Testing

@Suite(
  "What a server never answers a fleet's program", .serialized,
  .enabled(if: NATSServer.isInstalled, "nats-server is not installed"))
struct DeniedRequestTests {
  private static func server(_ configuration: String) async throws -> NATSServer {
    let folder = try TemporaryFolder()
    let text = configuration.replacing("STORE", with: folder.file("store"))
    try text.write(toFile: folder.file("server.conf"), atomically: true, encoding: .utf8)
    return try await NATSServer(in: folder, configuration: folder.file("server.conf"))
  }

  @Test("FLEET-129: what this user may not publish is named at once, with the next step")
  func forbidden() async throws {
    let server = try await Self.server(
      """
      jetstream { store_dir: "STORE" }
      authorization { users = [
        { user: a, password: b, permissions: { publish: ["fix.>"], subscribe: ["_INBOX.>"] } }
      ] }
      """)
    var broker = try NATSBroker(servers: ["nats://a:b@127.0.0.1:\(server.port)"], name: "test")
    func expect(_ subject: String, _ body: (inout NATSBroker) throws -> Void) {
      let fault = #expect(throws: BrokerFault.self) { try body(&broker) }
      guard case .denied(let cause)? = fault else {
        Issue.record("\(subject): \(String(describing: fault))")
        return
      }
      #expect(cause.hasPrefix("this user may not publish to \(subject); next: "), "\(cause)")
    }
    expect("$JS.API.STREAM.INFO.FIX_0") { _ = try $0.create(.fixes(0), NATSBroker.Storage()) }
    expect("$KV.LEASES.0") { _ = try $0.put([1], at: "0", in: .leases, expecting: 0) }
    let entry = LogEntry(subject: "evt.0.acme.truck.visit", bytes: [1])
    expect(entry.subject) { _ = try $0.append([entry], to: .events(0), expecting: nil) }
    expect("$JS.API.STREAM.MSG.DELETE.FIX_0") { _ = try $0.erase([1], of: .fixes(0)) }
    let seen = broker.look(at: [.fixes(1)])
    #expect(seen.first?.isDenied == true)
    #expect(FleetSurvey.silence(seen)?.contains("$JS.API.STREAM.INFO.FIX_1") == true)
  }

  @Test("FLEET-129: a server without JetStream is named as that, and init ends at once")
  func withoutJetStream() async throws {
    let server = try await Self.server("server_name: plain\n")
    var broker = try NATSBroker(servers: [server.address], name: "test")
    for _ in 0..<2 {
      let fault = #expect(throws: BrokerFault.self) {
        _ = try broker.create(.fixes(0), NATSBroker.Storage())
      }
      #expect(fault.map { "\($0)" }?.hasPrefix("JetStream is off on this server; next: ") == true)
    }
    let path = server.folder.file("fleet.conf")
    try "server = \(server.address)\npartitions = 2\n".write(
      toFile: path, atomically: true, encoding: .utf8)
    for words in [["init"], ["publish"]] {
      let run = try FinishedProgram("locationfleet", words + ["--config", path])
      #expect(run.status == 1 && run.error.contains("JetStream is off"), "\(run.error)")
      #expect(!run.error.contains("tries again"), "\(run.error)")
    }
  }

  @Test("FLEET-132: a worker with another number of buckets ends with status 2 and the next step")
  func buckets() async throws {
    let site = try await FleetSite(partitions: 1)
    let walk = FleetWalk(seed: 1, count: 30)
    try site.prepare(walk)
    let worker = try site.worker()
    let name = FleetDeviceName(tenant: "acme", device: "truck")
    let lines = walk.fixes.map { FleetWalk.line($0, of: name) + "\n" }.joined()
    try site.fleet(["publish"], input: lines)
    try site.waitUntilStored()
    let text = try String(contentsOfFile: site.file("other.conf"), encoding: .utf8)
    try site.write(text + "buckets = 16\n", to: "third.conf")
    let run = try FinishedProgram("locationfleet", ["run", "--config", site.file("third.conf")])
    #expect(run.status == 2, "\(run.error)")
    #expect(
      run.error.contains("`buckets` is 16") && run.error.contains("next: set `buckets` to 256"))
    worker.terminate()
  }
}
