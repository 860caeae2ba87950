import Foundation
import LocationFleet
import LocationFleetNATS
import LocationModel
import TestSupport

/// Events on a real server, and sinks as programs of their own.
final class SinkSite {
  private let single: NATSServer?
  private let folder: TemporaryFolder
  private var broker: NATSBroker
  /// The number of the last event of each partition.
  private var ends = [UInt64](repeating: 0, count: SinkSite.partitions)
  static let partitions = 2

  convenience init(_ settings: String) async throws {
    let server = try await NATSServer()
    try self.init(
      "server = \(server.address)\n\(settings)", at: [server.address], server, in: server.folder)
  }

  /// On servers that keep copies for one another.
  convenience init(_ settings: String, on cluster: NATSCluster) throws {
    try self.init(cluster.settings + settings, at: cluster.addresses, nil, in: cluster.folder)
  }

  private init(
    _ settings: String, at addresses: [String], _ server: NATSServer?, in folder: TemporaryFolder
  ) throws {
    (single, self.folder) = (server, folder)
    broker = try NATSBroker(servers: addresses, name: "test")
    let text = """
      partitions = \(Self.partitions)
      lease = 1
      \(settings)
      """
    try text.write(toFile: configuration, atomically: true, encoding: .utf8)
    let made = try FinishedProgram("locationfleet", ["init", "--config", configuration])
    guard made.status == 0 else { throw Failed(text: made.error) }
  }

  struct Failed: Error { var text: String }

  /// The server of a site that has one alone.
  var server: NATSServer {
    get throws {
      guard let single else { throw Failed(text: "the site has several servers") }
      return single
    }
  }

  var configuration: String { folder.file("fleet.conf") }

  /// Appends an event of each device, by its number; returns how many events that are.
  @discardableResult
  func add(
    _ numbers: Range<Int>, devices: Int, kind: String? = nil, tenant: String = "acme"
  ) throws -> Int {
    for number in numbers {
      for device in 0..<devices {
        let (partition, entry) = Self.entry(number, of: device, kind, tenant)
        try append(entry, partition)
      }
    }
    return numbers.count * devices
  }

  /// Tries again for a minute, as a stream may be electing a leader.
  private func append(_ entry: LogEntry, _ partition: Int) throws {
    let (log, end) = (FleetLog.events(partition), ends[partition])
    let limit = Date(timeIntervalSinceNow: 60)
    while ends[partition] == end {
      do throws(BrokerFault) {
        ends[partition] = try broker.append([entry], to: log, expecting: end)
      } catch {
        guard Date() < limit else { throw error }
        // It may be there all the same.
        if let last = try? broker.last(of: log, key: nil).last { ends[partition] = last }
      }
    }
  }

  /// The ids of the events of a device with these numbers.
  func identifiers(
    _ numbers: Range<Int>, of device: Int, tenant: String = "acme"
  ) -> [String] {
    numbers.compactMap { number in
      let (partition, entry) = Self.entry(number, of: device, nil, tenant)
      let message = LogMessage(sequence: 1, time: UnixTime(seconds: 0), entry: entry)
      return SinkEvent(message, partition: partition)?.id
    }
  }

  private static func entry(
    _ number: Int, of device: Int, _ kind: String?, _ tenant: String
  ) -> (partition: Int, entry: LogEntry) {
    let name = FleetDeviceName(tenant: tenant, device: "truck-\(device)")
    let partition = FleetAddress.partition(of: name, count: Self.partitions)
    let kind = kind ?? (number.isMultiple(of: 2) ? "entered" : "exited")
    let entry = LogEntry(
      subject: "evt.\(partition).\(tenant).truck-\(device).\(kind)",
      bytes: Array(Self.line(number, of: device, kind, tenant).utf8))
    return (partition, entry)
  }

  /// Of the event with a number, in seconds.
  static func date(_ number: Int) -> Double { 1.78e9 + Double(60 * number) }

  static func line(
    _ number: Int, of device: Int, _ kind: String, _ tenant: String
  ) -> String {
    let time = UnixTime(seconds: date(number))
    return """
      {"type":"\(kind)","tenant":"\(tenant)","device":"truck-\(device)","fence":"depot","revision":7,\
      "date":"\(time.iso8601)","decided":"\((time + .seconds(2)).iso8601)",\
      "fix":{"type":"fix","date":"\(time.iso8601)","latitude":46.5,"longitude":6.6,\
      "horizontal_accuracy":8}}

      """
  }

  func start(_ kind: String) async throws -> RunningProgram {
    let program = try RunningProgram(
      BuiltProgram.path("locationfleet"), ["sink", kind, "--config", configuration])
    _ = try await program.lines.next { $0.contains("is ready") }
    return program
  }

  func forget(_ name: String) throws -> FinishedProgram {
    try FinishedProgram("locationfleet", ["forget-sink", name, "--config", configuration])
  }

  func refused() throws -> [String] {
    let found = try FinishedProgram("locationfleet", ["refused", "--config", configuration])
    return found.output.split(separator: "\n").map(String.init)
  }
}

/// A webhook that answers as a plan says.
struct TestWebhook {
  static let key = Data((0..<32).map { UInt8($0) }).base64EncodedString()
  let program: RunningProgram
  let port: String
  let folder: TemporaryFolder

  /// For TLS `certificate` names the files of one and of its key.
  init(plan: String, certificate: [String] = []) async throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "webhook.py").path
    folder = try TemporaryFolder()
    program = try RunningProgram("python3", [script, Self.key, plan] + certificate)
    port = try await program.lines.next { line in
      line.hasPrefix("port ") ? String(line.dropFirst(5)) : nil
    }
  }

  /// The settings of a sink that posts here.
  func settings(url: String? = nil, timeout: Int = 2) throws -> String {
    let file = folder.file("secret")
    try "whsec_\(Self.key)\n".write(toFile: file, atomically: true, encoding: .utf8)
    chmod(file, 0o600)
    return """
      webhook = \(url ?? "http://127.0.0.1:\(port)/fleet")
      webhook-secret = \(file)
      webhook-timeout = \(timeout)
      """
  }

  /// Lets events come until so many different ones are there, by device; but for those that come again they are
  /// in the order in which they came.
  func receive(_ count: Int, _ seen: inout [String: [String]]) async throws {
    while seen.values.reduce(0, { $0 + $1.count }) < count {
      let event = try await next()
      guard seen[event.device]?.contains(event.id) != true else { continue }
      seen[event.device, default: []].append(event.id)
    }
  }

  /// The next event that it confirms: its device and its id.
  func next() async throws -> (device: String, id: String) {
    try await program.lines.next { line in
      let words = line.split(separator: " ").map(String.init)
      return words.count == 3 && words[0] == "event" ? (words[1], words[2]) : nil
    }
  }
}

/// Certificates for a test, made with OpenSSL.
enum TestCertificates {
  private static let keyed = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

  private static func make(
    _ folder: TemporaryFolder, _ name: String, _ words: [String]
  ) throws {
    let words =
      ["req", "-x509"] + keyed + ["-keyout", "\(name)-key.pem", "-out", "\(name).pem"]
      + ["-subj", "/CN=\(name)", "-days", "2"] + words
    let run = try FinishedProgram("/usr/bin/openssl", words, in: folder.path)
    guard run.status == 0 else { throw SinkSite.Failed(text: "openssl: \(run.error)") }
  }

  static func makeAuthority(_ folder: TemporaryFolder, _ name: String) throws {
    try make(folder, name, [])
  }

  static func make(
    _ folder: TemporaryFolder, _ name: String, by authority: String, for subject: String
  ) throws {
    try make(
      folder, name,
      [
        "-addext", "subjectAltName=\(subject)", "-CA", "\(authority).pem", "-CAkey",
        "\(authority)-key.pem", "-addext", "basicConstraints=critical,CA:FALSE",
      ])
  }
}
