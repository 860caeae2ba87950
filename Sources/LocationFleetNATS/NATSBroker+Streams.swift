package import LocationFleet

extension NATSBroker {
  /// What the streams of a fleet are made with.
  package struct Storage: Hashable, Sendable {
    package var replicas = 1
    package var hoursOfFixes = 72
    package var daysOfEvents = 30
    /// Events that sinks have set aside; the oldest go first.
    package var mostRefused = 100_000

    package init() {}
  }

  /// The streams of a fleet.
  package static func logs(partitions: Int) -> [FleetLog] {
    [.leases, .fences, .erasures, .sinks, .refused]
      + (0..<partitions).flatMap { [.fixes($0), .events($0), .state($0)] }
  }

  /// Makes a stream of a fleet; one that is there already stays as it is. Returns whether it was not there.
  package mutating func create(
    _ log: FleetLog, _ storage: Storage
  ) throws(BrokerFault) -> Bool {
    let stream = NATSName.stream(log)
    var (age, most, size, all) = (0, -1, -1, -1)
    switch log {
    case .fixes: (age, size) = (storage.hoursOfFixes * 3600, 65_536)
    case .events: age = storage.daysOfEvents * 86_400
    case .refused: (age, all) = (storage.daysOfEvents * 86_400, storage.mostRefused)
    case .state, .leases, .fences, .sinks: most = 1
    case .erasures: break
    }
    do throws(BrokerFault) {
      _ = try request("STREAM.INFO", stream)
      return false
    } catch {
      guard case .refused = error else { throw error }
    }
    _ = try request(
      "STREAM.CREATE", stream,
      """
      {"name":"\(stream)","subjects":["\(NATSName.subjects(of: log))"],"retention":"limits",\
      "storage":"file","num_replicas":\(storage.replicas),"max_age":\(age * 1_000_000_000),\
      "max_msgs":\(all),"max_msgs_per_subject":\(most),"max_msg_size":\(size),"discard":"old",\
      "duplicate_window":\(age == 0 ? 0 : 10_000_000_000),"allow_rollup_hdrs":false}
      """)
    return true
  }
}
