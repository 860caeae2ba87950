/// What is to be erased: one device, or all of a tenant.
package enum ErasureScope: Hashable, Sendable {
  case device(FleetDeviceName)
  case tenant(String)

  var control: ControlMessage {
    switch self {
    case .device(let name): .erase(name)
    case .tenant(let tenant): .eraseTenant(tenant)
    }
  }

  fileprivate func events(in partition: Int) -> String {
    switch self {
    case .device(let name): FleetAddress.events(of: name, partition: partition)
    case .tenant(let tenant): FleetAddress.events(of: tenant, partition: partition)
    }
  }

  fileprivate var copies: String {
    switch self {
    case .device(let name): FleetAddress.copies(of: name)
    case .tenant(let tenant): FleetAddress.copies(of: tenant)
    }
  }

  fileprivate func fixes(in partition: Int) -> String {
    switch self {
    case .device(let name): FleetAddress.fixes(of: name, partition: partition)
    case .tenant(let tenant): FleetAddress.fixes(of: tenant, partition: partition)
    }
  }
}

/// Erases one device, or all of a tenant, in one partition: first its owner forgets them, then their events and
/// fixes are overwritten.
///
/// It may end anywhere and be begun again: the request stays among the fixes until all else is done.
package struct PartitionErasure: Sendable {
  /// What was overwritten.
  package struct Report: Hashable, Sendable {
    package var fixes = 0
    package var events = 0
    /// Copies of events that sinks have set aside.
    package var copies = 0
  }

  private let scope: ErasureScope
  package let partition: Int
  package private(set) var report = Report()
  /// The number of the request.
  private let request: UInt64
  /// The number of the last event when it was asked for.
  private let lastEvent: UInt64

  /// Asks the owner of the device's partition to forget it.
  package init(
    of name: FleetDeviceName, partitions: Int, _ broker: inout some FleetBroker
  ) throws(BrokerFault) {
    let partition = FleetAddress.partition(of: name, count: partitions)
    try self.init(of: .device(name), in: partition, &broker)
  }

  /// Asks the owner of a partition to forget.
  init(
    of scope: ErasureScope, in partition: Int, _ broker: inout some FleetBroker
  ) throws(BrokerFault) {
    self.scope = scope
    self.partition = partition
    lastEvent = try broker.last(of: .events(partition), key: nil).last
    let entry = LogEntry(
      subject: FleetAddress.control(of: partition), bytes: Array(scope.control.text.utf8))
    request = try broker.append([entry], to: .fixes(partition), expecting: nil)
  }

  /// Whether the owner has forgotten, and nothing that is stored of them can be read.
  package func isForgotten(_ broker: inout some FleetBroker) throws(BrokerFault) -> Bool {
    let checkpoint = try Checkpoint.stored(in: partition, &broker)
    return checkpoint.map { $0.erased >= request } ?? false
  }

  /// Overwrites what came before the request: the events, what sinks have set aside of them, then the fixes.
  package mutating func overwrite(_ broker: inout some FleetBroker) throws(BrokerFault) {
    let mark = try findMark(&broker)
    report.events += try broker.overwrite(
      scope.events(in: partition), in: .events(partition), 1...mark)
    // A sink that sets an event aside looks afterwards whether the event is still there, so none comes later.
    report.copies += try broker.overwriteCopies(scope.copies)
    report.fixes += try broker.overwrite(
      scope.fixes(in: partition), in: .fixes(partition), 1...request)
  }

  /// Overwrites this request, and earlier ones of which the end was never seen.
  package func finish(_ broker: inout some FleetBroker) throws(BrokerFault) {
    let text = Array(scope.control.text.utf8)
    _ = try broker.overwrite(
      FleetAddress.control(of: partition), in: .fixes(partition), 1...request
    ) { $0.entry.bytes == text }
  }

  /// The mark that the owner has appended behind all events of them.
  private func findMark(_ broker: inout some FleetBroker) throws(BrokerFault) -> UInt64 {
    let log = FleetLog.events(partition)
    let subject = FleetAddress.mark(of: partition)
    let end = try broker.last(of: log, key: nil).last
    var from = lastEvent + 1
    while from <= end {
      let found = try broker.find(subject, in: log, from...end)
      if let mark = found.messages.first(where: { $0.entry.mark?.input == request }) {
        return mark.sequence
      }
      from = found.end
    }
    throw .unreachable("the owner's mark is not there")
  }
}

extension FleetBroker {
  /// Overwrites the messages with a subject, in a range, that are to go; returns how many there were.
  mutating func overwrite(
    _ subject: String, in log: FleetLog, _ range: ClosedRange<UInt64>,
    where isToGo: (LogMessage) -> Bool = { _ in true }
  ) throws(BrokerFault) -> Int {
    var (count, from) = (0, range.lowerBound)
    while from <= range.upperBound {
      let found = try find(subject, in: log, from...range.upperBound)
      let own = found.messages.filter(isToGo).map(\.sequence)
      if !own.isEmpty { count += try erase(own, of: log) }
      from = found.end
    }
    return count
  }

  /// Overwrites copies of devices' events that sinks have set aside, with a subject, that are to go; returns
  /// how many there were.
  mutating func overwriteCopies(
    _ subject: String, where isToGo: (LogMessage) -> Bool = { _ in true }
  ) throws(BrokerFault) -> Int {
    var end: UInt64 = 0
    do throws(BrokerFault) { end = try last(of: .refused, key: nil).last } catch {
      // A fleet that was made before there were sinks has no such stream.
      guard case .refused = error else { throw error }
    }
    guard end > 0 else { return 0 }
    return try overwrite(subject, in: .refused, 1...end) {
      !$0.entry.subject.hasSuffix(".-") && isToGo($0)
    }
  }
}
