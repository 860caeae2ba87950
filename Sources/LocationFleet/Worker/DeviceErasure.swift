/// Erases one device of a fleet: first its owner forgets it, then its fixes and events are overwritten.
///
/// It may end anywhere and be begun again: the request stays among the fixes until all else is done.
package struct DeviceErasure: Sendable {
  /// What was overwritten.
  package struct Report: Hashable, Sendable {
    package var partition: Int
    package var fixes = 0
    package var events = 0
    /// Copies of events that sinks have set aside.
    package var copies = 0
  }

  private let name: FleetDeviceName
  package private(set) var report: Report
  /// The number of the request.
  private let request: UInt64
  /// The number of the last event when it was asked for.
  private let lastEvent: UInt64

  /// Asks the owner of the device's partition to forget it.
  package init(
    of name: FleetDeviceName, partitions: Int, _ broker: inout some FleetBroker
  ) throws(BrokerFault) {
    let partition = FleetAddress.partition(of: name, count: partitions)
    self.name = name
    report = Report(partition: partition)
    lastEvent = try broker.last(of: .events(partition), key: nil).last
    let entry = LogEntry(
      subject: FleetAddress.control(of: partition),
      bytes: Array(ControlMessage.erase(name).text.utf8))
    request = try broker.append([entry], to: .fixes(partition), expecting: nil)
  }

  /// Whether the owner has forgotten the device, and nothing that is stored of it can be read.
  package func isForgotten(_ broker: inout some FleetBroker) throws(BrokerFault) -> Bool {
    let key = "st.\(report.partition).checkpoint"
    guard let value = try broker.last(of: .state(report.partition), key: key).message else {
      return false
    }
    guard let checkpoint = Checkpoint(value.entry.bytes) else { throw .damaged(key) }
    return checkpoint.erased >= request
  }

  /// Overwrites what came before the request: the events, what sinks have set aside of them, then the fixes.
  package mutating func overwrite(_ broker: inout some FleetBroker) throws(BrokerFault) {
    let partition = report.partition
    let mark = try findMark(&broker)
    let events = FleetAddress.events(of: name, partition: partition)
    report.events += try Self.overwrite(events, in: .events(partition), 1...mark, &broker)
    report.copies += try Self.overwriteCopies(of: name, &broker)
    let fixes = FleetAddress.fixes(of: name, partition: partition)
    report.fixes += try Self.overwrite(fixes, in: .fixes(partition), 1...request, &broker)
  }

  /// Overwrites this request, and earlier ones of which the end was never seen.
  package func finish(_ broker: inout some FleetBroker) throws(BrokerFault) {
    let log = FleetLog.fixes(report.partition)
    let subject = FleetAddress.control(of: report.partition)
    let text = Array(ControlMessage.erase(name).text.utf8)
    var from: UInt64 = 1
    while from <= request {
      let found = try broker.find(subject, in: log, from...request)
      let own = found.messages.filter { $0.entry.bytes == text }.map(\.sequence)
      if !own.isEmpty { _ = try broker.erase(own, of: log) }
      from = found.end
    }
  }

  /// The mark that the owner has appended behind all events of the device.
  private func findMark(_ broker: inout some FleetBroker) throws(BrokerFault) -> UInt64 {
    let log = FleetLog.events(report.partition)
    let subject = FleetAddress.mark(of: report.partition)
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

  /// A sink that sets an event aside looks afterwards whether the event is still there, so none comes later.
  private static func overwriteCopies(
    of name: FleetDeviceName, _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> Int {
    var end: UInt64 = 0
    do throws(BrokerFault) { end = try broker.last(of: .refused, key: nil).last } catch {
      // A fleet that was made before there were sinks has no such stream.
      guard case .refused = error else { throw error }
    }
    guard end > 0 else { return 0 }
    return try overwrite(FleetAddress.copies(of: name), in: .refused, 1...end, &broker)
  }

  private static func overwrite(
    _ subject: String, in log: FleetLog, _ range: ClosedRange<UInt64>,
    _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> Int {
    var (count, from) = (0, range.lowerBound)
    while from <= range.upperBound {
      let found = try broker.find(subject, in: log, from...range.upperBound)
      count += try broker.erase(found.messages.map(\.sequence), of: log)
      from = found.end
    }
    return count
  }
}
