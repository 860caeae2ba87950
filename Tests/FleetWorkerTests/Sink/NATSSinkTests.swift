import Foundation
import LocationFleet
import TestSupport
import Testing

@testable import LocationFleetNATS

/// Who receives events at a server of somebody else: a stream, and what is in it.
final class NATSReceiver {
  private var broker: NATSBroker
  /// By subject, the ids in the order in which they were kept; one that was kept twice stands twice.
  private(set) var seen: [String: [String]] = [:]
  private var next: UInt64 = 1

  init(_ access: BrokerAccess) throws(BrokerFault) {
    broker = try NATSBroker(access, name: "test")
  }

  /// Makes the stream, or changes it; its name is one that a broker reads.
  func make(_ verb: String = "CREATE", subjects: String, _ more: String = "") throws(BrokerFault) {
    _ = try broker.request(
      "STREAM.\(verb)", "EVT_0",
      #"{"name":"EVT_0","subjects":["\#(subjects)"],"storage":"file"\#(more)}"#)
  }

  func purge() throws(BrokerFault) { _ = try broker.request("STREAM.PURGE", "EVT_0") }

  /// How many events have come.
  var count: Int { seen.values.reduce(0) { $0 + $1.count } }

  /// Takes events until so many are there.
  func receive(_ wanted: Int) throws {
    let limit = Date(timeIntervalSinceNow: 90)
    while count < wanted {
      do throws(BrokerFault) { try take() } catch {
        switch error {
        // The server may have begun anew.
        case .unreachable, .denied: break
        default: throw error
        }
      }
      guard count < wanted else { return }
      guard Date() < limit else { throw SinkSite.Failed(text: "\(count) of \(wanted) came") }
      broker.wait(.seconds(1))
    }
  }

  /// Takes all that is there.
  func take() throws(BrokerFault) {
    while true {
      let batch = try broker.read(.events(0), from: next, most: 1000)
      for message in batch.messages {
        next = message.sequence + 1
        let object = try? JSONSerialization.jsonObject(with: Data(message.entry.bytes))
        let id = (object as? [String: Any])?["id"] as? String
        let parts = message.entry.subject.split(separator: ".").dropLast()
        seen[parts.joined(separator: "."), default: []].append(id ?? "")
      }
      guard batch.left > 0 else { return }
    }
  }

  /// The headers of a message, as the stream has them.
  func headers(_ sequence: UInt64) throws -> String {
    let number = try broker.ask("STREAM.MSG.GET.EVT_0", #"{"seq":\#(sequence)}"#)
    let bytes = try broker.delivery(number, in: number...number)?.bytes ?? []
    let answer = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    let message = answer?["message"] as? [String: Any]
    let text = (message?["hdrs"] as? String).flatMap { Data(base64Encoded: $0) } ?? Data()
    return String(decoding: text, as: UTF8.self)
  }

  /// How streams stand for this user.
  func look(at logs: [FleetLog]) -> [FleetSurvey.Stream] { broker.look(at: logs) }
}

@Suite(
  "A fleet's sink and another server of NATS", .serialized,
  .enabled(if: NATSServer.isInstalled, "nats-server is not installed"))
struct NATSSinkTests {
  private func expectAll(
    _ receiver: NATSReceiver, _ site: SinkSite, _ numbers: Range<Int>, _ devices: Int
  ) {
    #expect(receiver.seen.count == devices)
    for device in 0..<devices {
      let subject = "fleet.acme.truck-\(device)"
      #expect(receiver.seen[subject] == site.identifiers(numbers, of: device), "\(subject)")
    }
  }

  @Test(
    "FLEET-141: each event is kept once by a stream of another server, in the order of its device, also when sink and server are killed again and again"
  )
  func reaches() async throws {
    var other = try await NATSServer()
    let receiver = try NATSReceiver(BrokerAccess(servers: [other.address]))
    try receiver.make(subjects: "fleet.>")
    let site = try await SinkSite("nats-out = \(other.address)")
    var count = 0
    for life in 0..<6 {
      let numbers = (life * 30)..<(life * 30 + 30)
      if life.isMultiple(of: 2) { count += try site.add(numbers, devices: 4) }
      let sink = try await site.start("nats")
      if life.isMultiple(of: 2) {
        try receiver.receive(count - 60)
        sink.end(with: SIGKILL)
      } else {
        other.end(with: SIGKILL)
        count += try site.add(numbers, devices: 4)
        _ = try await sink.lines.next { $0.contains("waits: ") }
        other = try await NATSServer(in: other.folder, port: other.port)
        try receiver.receive(count)
        sink.terminate()
      }
    }
    try receiver.take()
    expectAll(receiver, site, 0..<180, 4)
    #expect(try site.refused().isEmpty)
    let headers = try receiver.headers(1)
    #expect(headers.contains("content-type: application/cloudevents+json\r\n"), "\(headers)")
    let ids = (0..<4).compactMap { site.identifiers(0..<1, of: $0).first }
    #expect(ids.contains { headers.contains("Nats-Msg-Id: \($0)\r\n") }, "\(headers)")
  }

  @Test(
    "FLEET-142: without a stream, and with one that is full, the sink waits with the next step, and loses nothing"
  )
  func waits() async throws {
    let other = try await NATSServer()
    let receiver = try NATSReceiver(BrokerAccess(servers: [other.address]))
    let site = try await SinkSite("nats-out = \(other.address)\ngive-up = 1")
    try site.add(0..<5, devices: 4)
    let sink = try await site.start("nats")
    let missing = try await sink.lines.next { $0.contains("waits: ") }
    #expect(missing.contains("no stream takes fleet.>; next: make one"), "\(missing)")
    #expect(!missing.contains("truck"))
    try receiver.make(subjects: "fleet.>", #","max_msgs":8,"discard":"new""#)
    let full = try await sink.lines.next { $0.contains("maximum messages exceeded") }
    #expect(full.contains("waits: ") && full.contains("(error 10077); next: "), "\(full)")
    try receiver.receive(8)
    try receiver.make("UPDATE", subjects: "fleet.>", #","max_msgs":-1,"discard":"new""#)
    try receiver.receive(20)
    expectAll(receiver, site, 0..<5, 4)
    sink.terminate()
    #expect(try site.refused().isEmpty)
  }

  @Test("FLEET-142: an event that the stream will never take is set aside, and its device goes on")
  func refuses() async throws {
    let other = try await NATSServer()
    let receiver = try NATSReceiver(BrokerAccess(servers: [other.address]))
    // A kind's name is in the event several times: so this one is the largest.
    try receiver.make(subjects: "fleet.>", #","max_msg_size":\#(Self.sizeBetween)"#)
    let site = try await SinkSite("nats-out = \(other.address)")
    try site.add(0..<1, devices: 1)
    try site.add(1..<2, devices: 1, kind: String(repeating: "k", count: 32))
    try site.add(2..<3, devices: 1)
    let sink = try await site.start("nats")
    _ = try await sink.lines.next { $0.contains("aside: error 10054") }
    try receiver.receive(2)
    sink.terminate()
    #expect(receiver.seen["fleet.acme.truck-0"]?.count == 2)
    let lines = try site.refused()
    #expect(lines.count == 1 && lines.first?.contains(#""reason":"error 10054""#) == true)
  }

  /// Bytes of an entry with its headers, and half of what the longest name of a kind adds to them.
  private static let sizeBetween = SinkSite.line(0, of: 0, "entered", "acme").utf8.count + 343

  @Test("FLEET-48: --check names the settings of the other server that are wrong")
  func check() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("fleet.conf")
    func check(_ settings: String) throws -> FinishedProgram {
      try settings.write(toFile: path, atomically: true, encoding: .utf8)
      return try FinishedProgram("locationfleet", ["sink", "nats", "--check", "--config", path])
    }
    #expect(try check("nats-out = nats://127.0.0.1:1\n").status == 0)
    #expect(try check("").error.contains("sink nats: there is no `nats-out`"))
    let absent = try check(
      "nats-out = nats://127.0.0.1:1\nnats-out-nkey-seed = \(folder.file("absent"))\n")
    #expect(absent.status == 2 && absent.error.contains("`nats-out-nkey-seed` "), "\(absent.error)")
    try "nothing".write(toFile: folder.file("torn"), atomically: true, encoding: .utf8)
    chmod(folder.file("torn"), 0o644)
    let torn = try check(
      "nats-out = tls://127.0.0.1:1\nnats-out-authorities = \(folder.file("torn"))\n")
    #expect(torn.status == 2 && torn.error.contains("`nats-out-authorities` "), "\(torn.error)")
  }
}
