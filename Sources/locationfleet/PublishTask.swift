import CIngress
import Glibc
import LocationFleet
import LocationFleetNATS
import LocationProviders

/// Appends lines of fixes from standard input, each to the partition of its device, in their order.
struct PublishTask {
  private let configuration: FleetConfiguration
  private var entries: [LogEntry] = []
  private var kept = 0
  private var rejected: [String: Int] = [:]
  private var shown = 0

  init(_ configuration: FleetConfiguration) { self.configuration = configuration }

  /// - Chosen (FLEET-135): SIGINT and SIGTERM end it behind a line, with all fixes before it kept and 128 and the
  ///   number of the signal; input of which nothing was used ends with 1.
  mutating func run() throws(FleetFault) {
    // Before there is a thread of libnats, which would be ended by one.
    let signals = cin_signals([SIGTERM, SIGINT], 2)
    // A stream whose leader has died answers when there is another one, if it is asked again.
    var broker = try FleetTasks.connect(
      configuration, name: "locationfleet", longestWait: .seconds(2))
    try FleetTasks.requirePartitions(configuration, &broker, else: "nothing was published")
    var input = StandardInput(longest: FleetLine.longest, signals: signals)
    var fault: FleetFault?
    do throws(FleetFault) {
      while let line = try input.next() {
        add(line, number: input.lines)
        if entries.count == Self.window { try keep(&broker) }
      }
    } catch { fault = error }
    // What was read before a fault of the input is kept, too.
    if fault == nil || !entries.isEmpty { try keep(&broker) }
    let reasons = rejected.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    let summary =
      "\(kept) fixes kept; rejected: \(reasons.isEmpty ? "none" : reasons.joined(separator: ", "))"
    if let fault {
      throw FleetFault(
        reason: "\(fault.reason), behind line \(input.lines); \(summary)", status: fault.status)
    }
    if let signal = input.signal {
      throw FleetFault(
        reason: "ended by a signal behind line \(input.lines); \(summary)", status: 128 + signal)
    }
    guard kept > 0 || rejected.isEmpty else { throw FleetFault(reason: summary, status: 1) }
    Log.line(summary)
  }

  private mutating func add(_ line: [UInt8], number: Int) {
    guard line.contains(where: { $0 > 0x20 }) else { return }
    do throws(FleetLine.Reason) {
      guard let fix = try FleetLine(line) else { return }
      let device = FleetDeviceName(tenant: fix.tenant, device: fix.device)
      let partition = FleetAddress.partition(of: device, count: configuration.worker.partitions)
      entries.append(
        LogEntry(subject: FleetAddress.fixes(of: device, partition: partition), bytes: line))
    } catch {
      rejected[error.rawValue, default: 0] += 1
      shown += 1
      if shown <= Self.mostShown { Log.line("line \(number): \(error.text)") }
    }
  }

  /// What was not acknowledged is sent again; what was kept twice is rejected as a duplicate.
  ///
  /// - Chosen (FLEET-79): a device's next fix is sent when the one before is kept. Else a leader that dies in
  ///   between could keep the later one alone, and the earlier one would come late.
  private mutating func keep(_ broker: inout NATSBroker) throws(FleetFault) {
    var rounds: [[LogEntry]] = []
    var places: [String: Int] = [:]
    for entry in entries {
      let place = places[entry.subject, default: 0]
      places[entry.subject] = place + 1
      if place == rounds.count { rounds.append([]) }
      rounds[place].append(entry)
    }
    entries.removeAll(keepingCapacity: true)
    for round in rounds {
      let count = kept
      let what = { "; \(count) fixes are kept, others perhaps" }
      _ = try FleetTasks.attempt(&broker, what) { (broker: inout NATSBroker) throws(BrokerFault) in
        try broker.append(round, to: .fixes(0), expecting: nil)
      }
      kept += round.count
    }
  }

  private static let window = 1000

  /// Rejected lines that are named.
  private static let mostShown = 20
}
