package import LocationModel

/// A device of a fleet: its tenant, and its name there.
package struct FleetDeviceName: Hashable, Comparable, Sendable {
  package var tenant: String
  package var device: String

  package init(tenant: String = "", device: String) {
    self.tenant = tenant
    self.device = device
  }

  package static func == (left: FleetDeviceName, right: FleetDeviceName) -> Bool {
    left.device.isExactly(right.device) && left.tenant.isExactly(right.tenant)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(ExactName(tenant))
    hasher.combine(ExactName(device))
  }

  /// By their bytes, so that every machine has the same order.
  package static func < (left: FleetDeviceName, right: FleetDeviceName) -> Bool {
    left.tenant.isExactly(right.tenant)
      ? ExactName(left.device) < ExactName(right.device)
      : ExactName(left.tenant) < ExactName(right.tenant)
  }
}

/// What a fleet reports about one device.
package struct FleetEvent: Hashable, Sendable {
  /// In the order in which the events of one step come: exits before entries.
  package enum Kind: String, CaseIterable, Sendable {
    case exited
    /// The fence has gone while the device was inside.
    case ended
    case entered
    /// Inside when the device was first seen, or when the fence was moved.
    case found
    case dwelled
    case departed
    case arrived
    case moved

    fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  package var kind: Kind
  package var fence: String?
  package var revision: UInt64?
  /// When it happened.
  package var time: UnixTime
  /// When it was decided.
  package var decided: UnixTime
  package var evidence: EventEvidence?
  package var visit: Visit?
  /// The newest fix when it was decided.
  package var fix: Fix?
  /// Seconds by which the device's clock was ahead, and its dates are corrected.
  package var clockAhead = 0

  package init(
    _ kind: Kind, fence: FleetFence? = nil, at time: UnixTime, decided: UnixTime,
    evidence: EventEvidence? = nil, visit: Visit? = nil
  ) {
    self.kind = kind
    self.fence = fence?.id
    revision = fence?.revision
    self.time = time
    self.decided = decided
    self.evidence = evidence
    self.visit = visit
  }

  /// Whether it comes before another event of the same step.
  static func precedes(_ left: FleetEvent, _ right: FleetEvent) -> Bool {
    guard left.kind == right.kind else { return left.kind.rank < right.kind.rank }
    return (left.fence ?? "").utf8.lexicographicallyPrecedes((right.fence ?? "").utf8)
  }
}
