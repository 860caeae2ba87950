package import LocationModel

/// Keeps a name on the bus for this program, unless another program has it: that one is never replaced,
/// and once it has gone the name is asked for again.
package struct BusName: Machine {
  package enum Input: MachineInput {
    case begin
    case bus(BusEvent)
    /// There is no connection to the bus.
    case closed(reason: String)
    case wake
  }

  package enum Output: Hashable, Sendable {
    /// Connects to the bus; `.bus(.connected)` or `.closed` follows.
    case enter
    case bus(BusAction)
    case changed(Standing)
  }

  /// Whether the name is this program's.
  package enum Standing: Hashable, Sendable {
    case owned
    /// Another program has it.
    case taken
    /// It cannot be had, and why.
    case refused(String)
  }

  private enum State: Hashable, Sendable {
    case idle
    case entering
    case asking(call: Int)
    case owned
    case taken
    /// Asked again at `retry`, with or without a connection.
    case refused(retry: Instant, isConnected: Bool)
  }

  private let name: String
  private var state = State.idle
  private var lastCall = 0
  private var pause = Self.firstPause
  /// The standing that was output last.
  package private(set) var standing: Standing?

  package init(_ name: String) {
    self.name = name
  }

  package var nextDeadline: Instant? {
    guard case .refused(let retry, _) = state else { return nil }
    return retry
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .begin: return state == .idle ? enter() : []
    case .bus(let event): return take(event, at: now)
    case .closed(let reason): return lose(reason, isConnected: false, at: now)
    case .wake:
      guard case .refused(let retry, let isConnected) = state, retry <= now.uptime else {
        return []
      }
      return isConnected ? request() : enter()
    }
  }

  private mutating func enter() -> [Output] {
    state = .entering
    return [.enter]
  }

  private mutating func take(_ event: BusEvent, at now: Moment) -> [Output] {
    switch event {
    case .connected:
      guard state == .entering else { return [] }
      return [.bus(.subscribe(.owner(of: name)))] + request()
    case .disconnected: return lose("the bus has gone", isConnected: false, at: now)
    case .reply(let number, let reply):
      guard state == .asking(call: number) else { return [] }
      return settle(reply, at: now)
    case .signal(let signal):
      // Whoever had it has gone. The bus takes no name from its owner.
      guard state == .taken, signal.presence(of: name) == false else { return [] }
      return request()
    case .called, .refused: return []
    }
  }

  private mutating func request() -> [Output] {
    lastCall += 1
    state = .asking(call: lastCall)
    let call = BusCall(
      "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
      member: "RequestName", reply: "u")
    return [.bus(.call(lastCall, call.with(.string(name), .uint32(Self.doNotQueue))))]
  }

  private mutating func settle(_ reply: BusReply, at now: Moment) -> [Output] {
    switch (reply, reply.first?.integer) {
    case (.error(let error), _):
      return lose("the bus refuses it: \(error)", isConnected: true, at: now)
    case (.values, Self.isOwner), (.values, Self.wasOwner):
      (state, pause) = (.owned, Self.firstPause)
      return report(.owned)
    case (.values, _):
      (state, pause) = (.taken, Self.firstPause)
      return report(.taken)
    }
  }

  private mutating func lose(
    _ reason: String, isConnected: Bool, at now: Moment
  ) -> [Output] {
    guard state != .idle else { return [] }
    state = .refused(retry: now.uptime + pause, isConnected: isConnected)
    pause = min(pause * 2, Self.longestPause)
    return report(.refused(reason))
  }

  private mutating func report(_ new: Standing) -> [Output] {
    guard standing != new else { return [] }
    standing = new
    return [.changed(new)]
  }

  /// `DBUS_NAME_FLAG_DO_NOT_QUEUE`, and neither of the flags that replace an owner, or let others do so.
  private static let doNotQueue: UInt32 = 4
  /// `DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER` and `…_ALREADY_OWNER`.
  private static let (isOwner, wasOwner) = (1, 4)
  /// Chosen: about as long as a bus needs to start over.
  private static let firstPause = Duration.seconds(2)
  /// Chosen: a bus that goes on refusing costs nothing.
  private static let longestPause = Duration.seconds(600)
}
