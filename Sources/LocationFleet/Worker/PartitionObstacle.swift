internal import LocationModel

/// Why an owner judges nothing of a partition now, as its lease says it to others.
package struct PartitionObstacle: Hashable, Sendable {
  /// The tenant whose key is missing or another one, as commands call it.
  package var tenant: String?
  package var cause: String
  /// What is wrong with the key; `nil` of an earlier version.
  package var key: TenantKeyFault?

  package init(tenant: String? = nil, cause: String, key: TenantKeyFault? = nil) {
    (self.tenant, self.cause, self.key) = (tenant, cause, key)
  }

  init(_ fault: BrokerFault) {
    // A lease is put often, and read by everybody.
    cause = String("\(fault)".prefix(Self.longest))
    if case .sealed(let name, _, let fault) = fault {
      (tenant, key) = (FleetAddress.label(of: name), fault)
    }
  }

  private static let longest = 200
}

/// A partition that its owner could not judge, and when it tries again.
struct PartitionFailure {
  private var count = 0
  /// When it is taken over again, though its cause may still be there.
  private(set) var next: Instant = .start
  /// The tenant without a key for which it waits.
  private(set) var missing: String?
  /// Whether a key is missing or another one.
  private(set) var isOfKey = false
  /// From which input on it is to be looked what was asked of the partition.
  private var unseen: UInt64 = 1

  /// Notes a further failure.
  ///
  /// - Chosen (FLEET-127): 1, 2, 4, … 16 s; an erasure, which can mend one with another key, waits for 60.
  mutating func fail(_ fault: BrokerFault, _ keys: TenantKeySource, at now: Instant) {
    next = now + min(.seconds(1 << min(count, 10)), Self.longestPause)
    count += 1
    (missing, isOfKey) = (nil, false)
    guard case .sealed(let tenant, _, _) = fault else { return }
    isOfKey = true
    if keys.lacks(tenant) { missing = tenant }
  }

  /// Whether somebody has asked for a tenant to be forgotten since this was asked last.
  mutating func isErasureAsked(
    of tenant: String, in partition: Int, _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> Bool {
    let subject = FleetAddress.control(of: partition)
    for _ in 0..<Self.mostAsked {
      guard let found = try broker.first(subject, in: .fixes(partition), from: unseen) else {
        break
      }
      unseen = found.sequence + 1
      if case .eraseTenant(let name) = ControlMessage(found.entry.bytes), name.isExactly(tenant) {
        return true
      }
    }
    return false
  }

  /// Whether what has failed has gone well for a time.
  func isOver(at now: Instant, after time: Duration) -> Bool { now - next > time }

  /// Of what was asked of the partition, how much is looked at together.
  private static let mostAsked = 32
  private static let longestPause = Duration.seconds(16)
}

/// What was said of late: the same is said once, and then at most once a minute, with how often it was.
struct RepeatedNotes {
  private var said: [String: (date: Instant, count: Int)] = [:]

  /// Returns what to say of something that has occurred; `nil` for nothing.
  mutating func text(_ text: String, at now: Instant) -> String? {
    if let known = said[text] {
      guard now - known.date >= Self.period else {
        said[text]?.count += 1
        return nil
      }
      said[text] = (now, 0)
      let seconds = Int((now - known.date).inSeconds)
      return known.count == 0 ? text : "\(text) (\(known.count + 1) times in \(seconds) s)"
    }
    if said.count >= Self.most { said = said.filter { now - $0.value.date < Self.period } }
    if said.count >= Self.most { said = [:] }
    said[text] = (now, 0)
    return text
  }

  private static let period = Duration.seconds(60)
  private static let most = 256
}
