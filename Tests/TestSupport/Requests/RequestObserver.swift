import CoreLocation
package import INTULocationManager

/// A coordinator, with records of its requests that are kept independently of it.
///
/// Finds: two last words to one request, any word after the last, a request that outlives its time,
/// hardware switched twice, hardware that does more or less than the live requests need.
package struct RequestObserver: Hashable, Sendable {
  /// What has become of a request.
  package enum Fate: Hashable, Sendable {
    case live, answered, forgotten
  }

  private struct Entry: Hashable {
    var mode: LocationRequest.Mode
    var fate = Fate.live
    /// The uptime by which the last word must have been said; `nil` while time does not count.
    var due: Duration?
  }

  package private(set) var coordinator: RequestCoordinator
  /// By number, from 1.
  private var entries: [Entry] = []
  private var services: INTULocationServicesState
  private var updates = false
  private var significantChanges = false
  private var accuracy: INTULocationAccuracy?

  /// Watches a new coordinator.
  package init(services: INTULocationServicesState) {
    var coordinator = RequestCoordinator()
    _ = coordinator.handle(.services(services), at: RequestTime(uptime: .zero, date: .distantPast))
    self.coordinator = coordinator
    self.services = services
  }

  package var fates: [Fate] { entries.map(\.fate) }

  /// Makes the next request.
  package mutating func request(_ mode: LocationRequest.Mode, at now: RequestTime) throws(Violation)
  {
    var entry = Entry(mode: mode)
    if case .once(_, .limited(let time, let fromAuthorization)) = mode,
      !fromAuthorization || services == .available
    {
      entry.due = now.uptime + time
    }
    entries.append(entry)
    try send(.request(LocationRequest(entries.count, mode)), at: now)
  }

  /// Hands in one input and checks all that comes of it.
  package mutating func send(_ input: RequestCoordinator.Input, at now: RequestTime)
    throws(Violation)
  {
    if case .services(let state) = input { note(state, at: now) }
    for output in coordinator.handle(input, at: now) { try check(output) }
    try checkEnd(of: input, at: now)
    try checkHardware()
  }

  private mutating func note(_ state: INTULocationServicesState, at now: RequestTime) {
    services = state
    guard state == .available else { return }
    for index in entries.indices where entries[index].due == nil {
      guard case .once(_, .limited(let time, _)) = entries[index].mode else { continue }
      entries[index].due = now.uptime + time
    }
  }

  /// Checks one output of the coordinator.
  package mutating func check(_ output: RequestCoordinator.Output) throws(Violation) {
    switch output {
    case .finish(let id, let answer):
      try end(id, as: .answered)
      guard answer.status.carriesLocation || answer.location == nil else {
        throw Violation("request \(id): a location with status \(answer.status)")
      }
    case .forget(let id): try end(id, as: .forgotten)
    case .report(let id, _):
      guard entries[id - 1].fate == .live else { throw Violation("report to ended request \(id)") }
    case .hardware(let command): try note(command)
    case .askForAuthorization, .ignored, .finishHeading, .reportHeading: break
    }
  }

  private mutating func end(_ id: Int, as fate: Fate) throws(Violation) {
    let old = entries[id - 1].fate
    guard old == .live else { throw Violation("request \(id) was \(old) and is \(fate) again") }
    entries[id - 1].fate = fate
  }

  private mutating func note(_ command: HardwareCommand) throws(Violation) {
    switch command {
    case .desiredAccuracy(let level): accuracy = level
    case .startUpdatingLocation: try Self.flip(&updates, to: true, command)
    case .stopUpdatingLocation: try Self.flip(&updates, to: false, command)
    case .startSignificantChanges: try Self.flip(&significantChanges, to: true, command)
    case .stopSignificantChanges: try Self.flip(&significantChanges, to: false, command)
    case .activityType, .startUpdatingHeading, .stopUpdatingHeading: break
    }
  }

  private static func flip(
    _ isOn: inout Bool, to state: Bool, _ command: HardwareCommand
  ) throws(Violation) {
    guard isOn != state else { throw Violation("\(command) twice") }
    isOn = state
  }

  /// A cancellation ends a request at once, time ends it in time, a refusal ends them all.
  private func checkEnd(of input: RequestCoordinator.Input, at now: RequestTime) throws(Violation) {
    switch input {
    case .cancel(let id), .forceComplete(let id):
      guard entries[id - 1].fate != .live else { throw Violation("\(input) left it live") }
    case .wake:
      for (index, entry) in entries.enumerated() where entry.fate == .live {
        guard let due = entry.due, due <= now.uptime else { continue }
        throw Violation("request \(index + 1) outlived its time")
      }
    case .services(.denied), .services(.restricted), .services(.disabled):
      guard !entries.contains(where: { $0.fate == .live }) else {
        throw Violation("a request outlived \(input)")
      }
    case .request, .location, .failed, .services, .requestHeading, .cancelHeading, .heading,
      .headingServices:
      break
    }
  }

  private func checkHardware() throws(Violation) {
    var (needsSignificantChanges, needed): (Bool, INTULocationAccuracy?) = (false, nil)
    for entry in entries where entry.fate == .live {
      switch entry.mode {
      case .once(let level, _), .updates(let level): needed = max(level, needed ?? level)
      case .significantChanges: needsSignificantChanges = true
      }
    }
    guard updates == (needed != nil), significantChanges == needsSignificantChanges else {
      throw Violation("updates \(updates), significant \(significantChanges): not what is needed")
    }
    guard needed == nil || accuracy == needed else {
      throw Violation(
        "the hardware was asked for \(accuracy ?? .none), needed is \(needed ?? .none)")
    }
  }
}

/// A rule that the coordinator broke.
package struct Violation: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
