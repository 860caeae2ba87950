/// A region as its app described it.
package struct RegionDescription: Hashable, Sendable {
  package var identifier: String
  package var target: ConditionTarget
  package var notices: RegionNotices

  package init(identifier: String, target: ConditionTarget, notices: RegionNotices) {
    self.identifier = identifier
    self.target = target
    self.notices = notices
  }
}

/// A request of a manager about regions.
package enum RegionRequest: Hashable, Sendable {
  case start(RegionDescription)
  case stop(identifier: String)
  /// The state, also of a region that is not monitored (REG-26).
  case state(RegionDescription)
}

/// A request of a monitor.
package enum MonitorRequest: Hashable, Sendable {
  /// Opens the monitor of this name; a name has one opener (MON-2).
  case open(name: String)
  case add(identifier: String, ConditionTarget, assuming: ConditionState)
  case remove(identifier: String)
  /// The loop asks for its next event, and acknowledges the one with this number as handled
  /// (MON-23); `.none` acknowledges nothing.
  case next(after: EventNumber)
  /// The loop was left; the event that it received last was not handled (MON-24).
  case leave
}

extension MonitorRequest {
  /// Whether a monitor may have this name: letters, digits, and inner underscores (MON-4).
  package static func isValid(name: String) -> Bool {
    guard let first = name.first, first != "_", name.last != "_" else { return false }
    return name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
  }
}

/// A delivery to a monitor.
package enum MonitorDelivery: Hashable, Sendable {
  /// The name is open in the app already (MON-2); in which process, if it is another one.
  case refused(by: Int32?)
  /// All records, after so many of its requests were carried out; when the monitor is opened.
  case records(after: Int, [NamedRecord])
  /// The records that have changed since the last delivery, and the identifiers of those removed.
  case changed(after: Int, [NamedRecord], removed: [String])
  /// The next event of the loop that asked, and the number by which it acknowledges the event.
  case event(EventNumber, ConditionEvent)
}

extension [NamedRecord] {
  /// Applies a delivery to the records of a monitor, which are in the order of addition (MON-16).
  package mutating func apply(_ delivery: MonitorDelivery) {
    switch delivery {
    case .records(_, let records): self = records
    case .changed(_, let changed, let removed):
      removeAll { removed.contains($0.identifier) }
      for record in changed {
        let place = firstIndex { $0.identifier == record.identifier }
        // Another condition under the same identifier was added last.
        if let place, self[place].record.target == record.record.target {
          self[place] = record
        } else {
          if let place { remove(at: place) }
          append(record)
        }
      }
    case .refused, .event: break
    }
  }
}

/// A condition of a monitor under its identifier.
package struct NamedRecord: Hashable, Sendable {
  package var identifier: String
  package var record: ConditionRecord

  package init(identifier: String, record: ConditionRecord) {
    self.identifier = identifier
    self.record = record
  }
}

/// A request of a session of either kind (SESS-1, BGA-1).
package enum SessionRequest: Hashable, Sendable {
  case open(AuthorizationGoal, purposeKey: String?)
  case openBackgroundActivity
  /// A loop over the diagnostics begins; its elements go to the stream.
  case diagnose(stream: SubscriberID)
  case endDiagnosis(stream: SubscriberID)
  case invalidate
}
