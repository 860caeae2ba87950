import Foundation
import TestSupport

/// A fleet's ingress against NATS's own MQTT gateway, on the same server, with the same messages of
/// QoS 1: acknowledged fixes a second, and resident bytes of a connection.
///
/// They are not equal in what they do: the gateway acknowledges before the fleet's stream has a fix, and
/// the ingress reads it, writes a line of it, and asks the stream.
func measureFleetIngress() async throws {
  guard NATSServer.isInstalled else { throw MissingPeer(text: "nats-server is not installed") }
  let site = try await IngressBench()
  for (name, port, process) in [
    ("gateway", site.gateway, site.server.pid), ("ingress", site.mqtt, site.ingress.pid),
  ] {
    // What the first ones need once is not counted.
    let first = try MQTTLoad(port: port, connections: 100)
    try first.publish(100, window: 1)
    let before = try residentBytes(of: "\(process)")
    let more = try MQTTLoad(port: port, connections: 2000)
    try more.publish(2000, window: 1)
    let each = (try residentBytes(of: "\(process)") - before) / 2000
    withExtendedLifetime((first, more)) {}
    try Figure.report("fleet.\(name).connection", each, "B", "resident for a connection, \(name)")
  }
  var rates: [String: [Double]] = [:]
  // In turn, so that both meet the same machine.
  for _ in 0..<3 {
    for (name, port) in [("gateway", site.gateway), ("ingress", site.mqtt)] {
      let client = try MQTTLoad(port: port, connections: 50)
      let time = try wallTime { try client.publish(40_000, window: 40) }
      rates[name, default: []].append(40_000 / time)
    }
  }
  let (gateway, ingress) = (rates["gateway"]?.median ?? 0, rates["ingress"]?.median ?? 0)
  try Figure.report("fleet.gateway.rate", gateway, "/s", "acknowledged by NATS's gateway")
  try Figure.report("fleet.ingress.rate", ingress, "/s", "acknowledged by the ingress")
  try Figure.report("fleet.ingress.ratio", ingress / gateway, "", "ingress over gateway")
}

/// A server with its gateway and an ingress.
private final class IngressBench {
  let folder: TemporaryFolder
  let gateway, mqtt: Int
  let server, ingress: RunningProgram

  init() async throws {
    folder = try TemporaryFolder()
    let nats = try Loopback.freePort()
    gateway = try Loopback.freePort()
    mqtt = try Loopback.freePort()
    let store = folder.file("store")
    let files = ["nats.conf", "accounts", "fleet.conf"].map { [folder] in folder.file($0) }
    try """
    listen: 127.0.0.1:\(nats)
    server_name: benchmark
    jetstream { store_dir: "\(store)" }
    mqtt { listen: 127.0.0.1:\(gateway) }
    mappings = { "in.*.*": "fix.{{partition(4,1,2)}}.{{wildcard(1)}}.{{wildcard(2)}}" }
    """.write(toFile: files[0], atomically: true, encoding: .utf8)
    server = try RunningProgram(
      "nats-server", ["-c", files[0]], environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
    _ = try await server.lines.next { $0.contains("Server is ready") }
    let program = BuiltProgram.path("locationfleet")
    let hash = try await run(
      "/bin/sh", ["-c", "echo \(MQTTSocket.password) | \(program) password"])
    try "u acme * - \(hash)\n".write(toFile: files[1], atomically: true, encoding: .utf8)
    chmod(files[1], 0o600)
    try """
    server = nats://127.0.0.1:\(nats)
    partitions = 4
    mqtt-port = \(mqtt)
    accounts = \(files[1])
    device-rate = 0
    tenant-rate = 0
    """.write(toFile: files[2], atomically: true, encoding: .utf8)
    _ = try await run(program, ["init", "--config", files[2]])
    ingress = try RunningProgram(program, ["ingress", "--config", files[2]])
    _ = try await ingress.lines.next { $0.contains("takes fixes") }
  }
}

private func run(_ program: String, _ words: [String]) async throws -> String {
  let program = try RunningProgram(program, words)
  let line = try await program.lines.next()
  // It lives until it has said that.
  program.end()
  return line
}

/// Devices that publish with QoS 1, each with some messages on their way.
private final class MQTTLoad {
  private var sockets: [pollfd] = []

  init(port: Int, connections: Int) throws {
    for number in 0..<connections {
      sockets.append(
        try MQTTSocket.open(port: port, identifier: "c\(number)", user: "u", keepAlive: 60))
    }
  }

  deinit { for socket in sockets { close(socket.fd) } }

  /// Publishes so many messages in all, and waits until all are acknowledged.
  func publish(_ total: Int, window: Int) throws {
    let each = total / sockets.count
    var sent = [Int](repeating: 0, count: sockets.count)
    var bytes = sent
    let heads = sockets.indices.map { MQTTBytes.text("in/acme/truck-\($0)") }
    func publish(_ index: Int, _ count: Int) throws {
      var packets: [UInt8] = []
      for _ in 0..<count {
        sent[index] += 1
        let payload = Array(
          #"{"_type":"location","lat":46.5,"lon":6.6,"acc":8,"tst":\#(1_780_000_000 + sent[index])}"#
            .utf8)
        let body = heads[index] + [UInt8(sent[index] >> 8), UInt8(sent[index] & 255)] + payload
        packets += [0x32, UInt8(body.count)] + body
      }
      try MQTTSocket.send(packets, sockets[index].fd)
    }
    for index in sockets.indices { try publish(index, min(window, each)) }
    var (left, chunk) = (each * sockets.count, [UInt8](repeating: 0, count: 4096))
    while left > 0 {
      guard poll(&sockets, UInt(sockets.count), 30_000) > 0 else { throw MQTTSocket.Gone() }
      for index in sockets.indices where sockets[index].revents != 0 {
        let count = recv(sockets[index].fd, &chunk, chunk.count, 0)
        guard count > 0 else { throw MQTTSocket.Gone() }
        let before = bytes[index] / 4
        bytes[index] += count
        let new = bytes[index] / 4 - before
        left -= new
        try publish(index, min(new, each - sent[index]))
      }
    }
  }
}
