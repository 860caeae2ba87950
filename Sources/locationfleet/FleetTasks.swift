import Glibc
import LocationFleet
import LocationFleetNATS
import LocationModel
import LocationProviders
import LocationSecrets

/// What is done once: making streams, publishing fences and fixes, printing events.
struct FleetTasks {
  private let configuration: FleetConfiguration

  init(_ configuration: FleetConfiguration) { self.configuration = configuration }

  static func connect(
    _ configuration: FleetConfiguration, name: String
  ) throws(FleetFault) -> NATSBroker {
    do throws(BrokerFault) {
      return try NATSBroker(configuration.access, name: name)
    } catch {
      let servers = configuration.access.servers.joined(separator: ", ")
      throw FleetFault(reason: "\(servers): \(error)", status: 1)
    }
  }

  private func connect() throws(FleetFault) -> NATSBroker {
    try Self.connect(configuration, name: "locationfleet")
  }

  static func attempt<Value>(
    _ body: () throws(BrokerFault) -> Value
  ) throws(FleetFault) -> Value {
    do throws(BrokerFault) { return try body() } catch {
      throw FleetFault(reason: "\(error)", status: 1)
    }
  }

  func initialize() throws(FleetFault) {
    var broker = try connect()
    var storage = NATSBroker.Storage()
    storage.replicas = configuration.replicas
    storage.hoursOfFixes = configuration.hoursOfFixes
    storage.daysOfEvents = configuration.daysOfEvents
    let partitions = configuration.worker.partitions
    let made = try Self.attempt { () throws(BrokerFault) in
      try broker.create(partitions: partitions, storage)
    }
    print("\(partitions) partitions, \(made) streams made")
  }

  func publishFences(_ path: String) throws(FleetFault) {
    let bytes = try Input.file(path, limit: FenceFile.longest)
    do throws(FenceFile.Fault) { _ = try FenceFile.read(bytes) } catch {
      let place = error.feature.map { "feature \($0): " } ?? ""
      throw FleetFault(reason: "\(path): \(place)\(error.cause)")
    }
    var broker = try connect()
    let partitions = configuration.worker.partitions
    let version = try Self.attempt { () throws(BrokerFault) in
      try FenceStore.publish(bytes, partitions: partitions, to: &broker)
    }
    print("fences \(version)")
  }

  /// Prints the hash of a password: the first line of standard input.
  static func printHash() throws(FleetFault) {
    guard let password = readLine(strippingNewline: true), !password.isEmpty,
      password.utf8.count < 256
    else { throw FleetFault(reason: "a password of 1 to 255 bytes is expected on standard input") }
    // One of 128 random bits as text has 22 letters or more, and needs no costly hash.
    let isLong = password.utf8.count >= 22
    guard let hash = PasswordHash.make(Array(password.utf8), isLong ? .random : .chosen) else {
      throw FleetFault(reason: "there is not enough memory", status: 1)
    }
    print(hash)
  }

  // MARK: Fixes

  /// Appends lines of fixes, each to the partition of its device, in their order.
  func publish() throws(FleetFault) {
    var broker = try connect()
    var (kept, rejected) = (0, [String: Int]())
    var entries: [LogEntry] = []
    while let line = readLine(strippingNewline: true) {
      guard let entry = entry(Array(line.utf8), &rejected) else { continue }
      entries.append(entry)
      guard entries.count == Self.window else { continue }
      try keep(&entries, &kept, &broker)
    }
    try keep(&entries, &kept, &broker)
    let reasons = rejected.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    Log.line(
      "\(kept) fixes kept; rejected: \(reasons.isEmpty ? "none" : reasons.joined(separator: ", "))")
  }

  private func entry(_ line: [UInt8], _ rejected: inout [String: Int]) -> LogEntry? {
    guard line.contains(where: { $0 > 0x20 }) else { return nil }
    do throws(FleetLine.Reason) {
      guard let fix = try FleetLine(line) else { return nil }
      let device = FleetDeviceName(tenant: fix.tenant, device: fix.device)
      let partition = FleetAddress.partition(of: device, count: configuration.worker.partitions)
      return LogEntry(subject: FleetAddress.fixes(of: device, partition: partition), bytes: line)
    } catch {
      rejected[error.rawValue, default: 0] += 1
      return nil
    }
  }

  /// What was not acknowledged is sent again; what was kept twice is rejected as a duplicate.
  private func keep(
    _ entries: inout [LogEntry], _ kept: inout Int, _ broker: inout NATSBroker
  ) throws(FleetFault) {
    guard !entries.isEmpty else { return }
    var attempts = 0
    while true {
      do throws(BrokerFault) {
        _ = try broker.append(entries, to: .fixes(0), expecting: nil)
        break
      } catch {
        attempts += 1
        guard case .unreachable = error, attempts < 10 else {
          throw FleetFault(reason: "\(error)", status: 1)
        }
        broker.wait(.milliseconds(500))
      }
    }
    kept += entries.count
    entries.removeAll(keepingCapacity: true)
  }

  private static let window = 1000

  // MARK: Events

  /// Prints the events of each device in the order of the devices' names, as `locationctl fleet
  /// replay` does.
  func printEvents() throws(FleetFault) {
    var broker = try connect()
    var lines: [String: [UInt8]] = [:]
    for partition in 0..<configuration.worker.partitions {
      var from: UInt64 = 1
      while true {
        let batch = try Self.attempt { () throws(BrokerFault) in
          try broker.read(.events(partition), from: from, most: 1000)
        }
        for message in batch.messages {
          from = message.sequence + 1
          let parts = message.entry.subject.split(separator: ".")
          // Marks are no events.
          guard parts.count >= 4, parts[2] != "-" || parts[3] != "mark" else { continue }
          lines["\(parts[2]).\(parts[3])", default: []] += message.entry.bytes
        }
        guard batch.left > 0 else { break }
      }
    }
    let devices = lines.map { key, bytes in
      let parts = key.split(separator: ".")
      let name = FleetDeviceName(
        tenant: FleetAddress.name(parts[0]) ?? key, device: FleetAddress.name(parts[1]) ?? key)
      return (name, bytes)
    }
    for (_, bytes) in devices.sorted(by: { $0.0 < $1.0 }) {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        guard count > 0 else { throw FleetFault(reason: "standard output is closed", status: 1) }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// Prints what sinks have set aside, the oldest first.
  func printRefused() throws(FleetFault) {
    var broker = try connect()
    var from: UInt64 = 1
    while true {
      let batch = try Self.attempt { () throws(BrokerFault) in
        try broker.read(.refused, from: from, most: 1000)
      }
      for message in batch.messages {
        from = message.sequence + 1
        print(String(decoding: message.entry.bytes, as: UTF8.self))
      }
      guard batch.left > 0 else { return }
    }
  }
}
