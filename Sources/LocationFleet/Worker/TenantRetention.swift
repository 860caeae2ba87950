package import LocationModel

/// Erases the events of a tenant that are older than it keeps them, in one partition.
///
/// - Chosen (FLEET-77): they are overwritten one by one where they are stored, as those of an erased device. The
///   last message of the stream says which inputs are judged: where it is to go, the owner is asked for a mark.
package struct TenantRetention: Sendable {
  private let tenant: String
  private let date: UnixTime
  package private(set) var erased = 0
  /// Copies that sinks had set aside.
  package private(set) var copies = 0
  /// By partition, the number of the first message that is kept.
  private var kept: [Int: UInt64] = [:]
  /// Whether an event that is old enough is the last message of its stream, and still there.
  package private(set) var isBlocked = false

  /// Whatever a tenant's events say of times: what counts is when they were appended.
  package init(of tenant: String, before date: UnixTime) {
    (self.tenant, self.date) = (tenant, date)
  }

  /// Does it in one partition; what was done stays done where a verb fails.
  package mutating func pass(
    _ partition: Int, _ broker: inout some FleetBroker
  ) throws(BrokerFault) {
    let log = FleetLog.events(partition)
    isBlocked = false
    let end = try broker.last(of: log, key: nil)
    guard end.first <= end.last else { return }
    let subject = FleetAddress.events(of: tenant, partition: partition)
    var (from, limit) = (end.first, try firstKept(log, end, &broker))
    kept[partition] = limit
    if limit > end.last {
      isBlocked = try broker.first(subject, in: log, from: end.last)?.sequence == end.last
      limit = end.last
    }
    while from < limit {
      let found = try broker.find(subject, in: log, from...(limit - 1))
      erased += try broker.erase(found.messages.map(\.sequence), of: log)
      from = found.end
    }
  }

  /// Erases what sinks have set aside of those events, in the partitions that were passed. A sink looks whether
  /// an event is still there after it has set it aside, so none comes later.
  package mutating func passCopies(_ broker: inout some FleetBroker) throws(BrokerFault) {
    copies += try broker.overwriteCopies(FleetAddress.copies(of: tenant)) { [kept] in
      guard let place = SetAside.place(of: $0.entry.bytes) else { return false }
      return place.sequence < kept[place.partition] ?? 0
    }
  }

  /// Asks the owner of a partition for a mark behind what is there.
  package static func askForMark(
    _ partition: Int, _ broker: inout some FleetBroker
  ) throws(BrokerFault) {
    let entry = LogEntry(
      subject: FleetAddress.control(of: partition), bytes: Array(ControlMessage.mark.text.utf8))
    _ = try broker.append([entry], to: .fixes(partition), expecting: nil)
  }

  /// The number of the first message that is not old enough, one more than the last where all are.
  private func firstKept(
    _ log: FleetLog, _ end: LogEnd, _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> UInt64 {
    var (low, high) = (end.first, end.last + 1)
    while low < high {
      let middle = low + (high - low) / 2
      if let message = try broker.first(">", in: log, from: middle), message.time < date {
        low = message.sequence + 1
      } else {
        high = middle
      }
    }
    return low
  }
}
