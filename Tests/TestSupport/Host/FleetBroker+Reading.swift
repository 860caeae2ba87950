package import LocationFleet

extension FleetBroker {
  /// Reads a log from its begin to where it ends now; waits with `wait`, about a second, where nothing has come yet.
  ///
  /// - Throws: `BrokerFault` when nothing comes for a minute.
  package mutating func forEach(
    _ log: FleetLog, waiting wait: (inout Self) -> Void, _ body: (LogMessage) throws -> Void
  ) throws {
    let end = try last(of: log, key: nil).last
    var (from, silence): (UInt64, Int) = (1, 0)
    while from <= end {
      let batch = try read(log, from: from, most: 1000)
      silence = batch.messages.isEmpty ? silence + 1 : 0
      guard silence < 60 else { throw BrokerFault.unreachable("\(log) does not deliver \(from)") }
      if batch.messages.isEmpty { wait(&self) }
      for message in batch.messages {
        from = message.sequence + 1
        try body(message)
      }
    }
  }
}
