package import LocationLink

/// Which connection sets the place from outside (SIM-15): the one that began last.
///
/// A connection whose way was replaced or cleared is refused from then on, so that the next fix of
/// the way does not begin it anew.
package struct SimulationControl: Sendable {
  private enum State: Hashable, Sendable {
    /// The place is that of the sources.
    case idle
    /// A place that stays, whichever connections end.
    case held
    /// A way, which ends with its connection.
    case way(connection: Int)
  }

  private var state = State.idle
  /// The connections whose way is over, as long as they are connected.
  private var over: Set<Int> = []

  package init() {}

  package var isActive: Bool { state != .idle }

  /// Returns why a connection may not set the place now; `nil` if it may.
  package func refusal(of connection: Int, isHeld: Bool) -> AccessRefusal? {
    guard !isHeld, over.contains(connection) else { return nil }
    return AccessRefusal(
      reason: "another command has set or cleared the place, so this way is over",
      next: "start it again")
  }

  /// Notes that a connection has set the place.
  ///
  /// - Returns: whether that begins a simulation.
  package mutating func begin(_ connection: Int, isHeld: Bool) -> Bool {
    let isNew = !isActive
    if state != .way(connection: connection) { endWay() }
    state = isHeld ? .held : .way(connection: connection)
    return isNew
  }

  /// Ends the simulation, whoever began it.
  ///
  /// - Returns: whether there was one.
  package mutating func clear() -> Bool {
    guard isActive else { return false }
    endWay()
    state = .idle
    return true
  }

  /// Notes that a connection has ended.
  ///
  /// - Returns: whether the simulation ends with it.
  package mutating func leave(_ connection: Int) -> Bool {
    over.remove(connection)
    guard state == .way(connection: connection) else { return false }
    state = .idle
    return true
  }

  private mutating func endWay() {
    if case .way(let connection) = state { over.insert(connection) }
  }
}
