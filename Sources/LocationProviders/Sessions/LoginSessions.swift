/// Follows the sessions of logind on the system bus.
///
/// A user has unlocked the computer once one of their sessions was not locked; a user who only lingers
/// has none. Users stay unlocked until this ends, as the computer's do until it starts again (LIFE-7).
package struct LoginSessions: SessionMonitor {
  /// What a session is known to be.
  private struct Session: Hashable {
    var user: UInt32
    var isLocked: Bool
    var display = DisplayState()
  }

  /// The state of the list of sessions.
  private enum State: Hashable {
    case disconnected
    /// The list was requested; with how many sessions are not read yet, once it came.
    case reading(unread: Int?)
    case read
    /// There is no logind.
    case absent
  }

  private var state = State.disconnected
  private var sessions: [String: Session] = [:]
  /// The paths whose properties were requested, by the number of the call.
  private var calls: [Int: String] = [:]
  private var lastCall = 0
  private var unlocked: Set<UInt32> = []

  package init() {}

  package mutating func take(_ event: BusEvent) -> [SessionOutput] {
    switch event {
    case .connected: return Self.matches.map { .bus(.subscribe($0)) } + list()
    case .disconnected:
      state = .disconnected
      sessions = [:]
      calls = [:]
      return [.unlocked(nil)]
    case .reply(let number, let reply): return take(reply, to: number)
    case .signal(let signal): return take(signal)
    case .called, .refused: return []
    }
  }

  // MARK: Asking

  private mutating func list() -> [SessionOutput] {
    state = .reading(unread: nil)
    sessions = [:]
    calls = [:]
    let call = BusCall(
      Self.service, path: Self.path, interface: Self.manager, member: "ListSessions",
      reply: "a(susso)")
    lastCall += 1
    calls[lastCall] = ""
    return [.bus(.call(lastCall, call))]
  }

  private mutating func read(_ path: String) -> [SessionOutput] {
    guard calls.count < Self.most else { return [] }
    let call = BusCall(
      Self.service, path: path, interface: "org.freedesktop.DBus.Properties", member: "GetAll",
      reply: "a{sv}")
    lastCall += 1
    calls[lastCall] = path
    return [.bus(.call(lastCall, call.with(.string(Self.session))))]
  }

  // MARK: Hearing

  private mutating func take(_ reply: BusReply, to number: Int) -> [SessionOutput] {
    guard let path = calls.removeValue(forKey: number) else { return [] }
    guard path.isEmpty else {
      if case .values(let values) = reply, let properties = values.first {
        add(properties, at: path)
      }
      guard case .reading(let unread?) = state, unread > 1 else { return settle() }
      state = .reading(unread: unread - 1)
      return []
    }
    guard case .values(let values) = reply else {
      state = .absent
      return [.unlocked(nil)]
    }
    let paths = values.first.map(Self.paths) ?? []
    state = .reading(unread: paths.count)
    return paths.isEmpty ? settle() : paths.flatMap { read($0) }
  }

  private mutating func take(_ signal: BusSignal) -> [SessionOutput] {
    if let isPresent = signal.presence(of: Self.service) { return isPresent ? list() : [] }
    switch signal.member {
    case "SessionNew": return signal[1]?.text.map { read($0) } ?? []
    case "SessionRemoved":
      if let path = signal[1]?.text { sessions[path] = nil }
      return []
    default: return change(signal)
    }
  }

  private mutating func change(_ signal: BusSignal) -> [SessionOutput] {
    guard let changes = signal.changes(of: Self.session), var session = sessions[signal.path]
    else { return [] }
    let (locked, idle) = (changes["LockedHint"]?.boolean, changes["IdleHint"]?.boolean)
    session.isLocked = locked ?? session.isLocked
    let signs = [locked, idle].compactMap(\.self)
    var isOn = false
    if let isOff = signs.contains(true) ? true : signs.first {
      isOn = session.display.turns(off: isOff)
    }
    sessions[signal.path] = session
    return settle() + (isOn ? [.displayOn(session.user)] : [])
  }

  private mutating func add(_ properties: BusValue, at path: String) {
    guard sessions.count < Self.most, properties["Class"]?.text?.hasPrefix("user") == true,
      case .structure(let owner)? = properties["User"]?.content,
      let user = owner.first?.integer.flatMap({ UInt32(exactly: $0) })
    else { return }
    let (locked, idle) = (properties["LockedHint"]?.boolean, properties["IdleHint"]?.boolean)
    var session = Session(user: user, isLocked: locked ?? false)
    _ = session.display.turns(off: locked == true || idle == true)
    sessions[path] = session
  }

  /// Reports the users who have unlocked a session, where that has changed.
  private mutating func settle() -> [SessionOutput] {
    let isFirst = state != .read
    state = .read
    let now = unlocked.union(sessions.values.filter { !$0.isLocked }.map(\.user))
    guard isFirst || now != unlocked else { return [] }
    unlocked = now
    return [.unlocked(now.sorted())]
  }

  private static func paths(_ list: BusValue) -> [String] {
    guard case .array(_, let rows) = list.content else { return [] }
    return rows.prefix(most).compactMap { row in
      guard case .structure(let fields) = row.content else { return nil }
      return fields.last?.text
    }
  }

  private static let service = "org.freedesktop.login1"
  private static let path = "/org/freedesktop/login1"
  private static let manager = "org.freedesktop.login1.Manager"
  private static let session = "org.freedesktop.login1.Session"
  /// The most sessions followed. Chosen.
  private static let most = 1024

  private static let matches = [
    BusMatch(sender: service, interface: manager, member: "SessionNew", signature: "so"),
    BusMatch(sender: service, interface: manager, member: "SessionRemoved", signature: "so"),
    BusMatch.propertiesChanged(of: service), BusMatch.owner(of: service),
  ]
}
