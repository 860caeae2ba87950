/// Follows the sessions of logind on the system bus.
///
/// A user has unlocked the computer once one of their sessions was not locked; a user who only lingers
/// has none. Users stay unlocked, as until a device starts again (LIFE-7), also when the bus goes away.
package struct LoginSessions: SessionMonitor {
  /// The known properties of a session.
  private struct Session: Hashable {
    var user: UInt32
    var isLocked: Bool
    /// Off while the session is idle or locked.
    var display = DisplayState()
  }

  /// The state of the list of sessions.
  private enum State: Hashable {
    case disconnected
    /// The list, or the properties of a session in it, were requested and did not arrive yet.
    case reading
    /// The properties of all sessions are known.
    case read
    /// There is no logind.
    case absent
  }

  private var state = State.disconnected
  private var sessions: [String: Session] = [:]
  /// The paths whose properties were requested, by the number of the call.
  private var calls: [Int: String] = [:]
  /// The paths whose properties are requested after those.
  private var waiting: [String] = []
  private var lastCall = 0
  private var unlocked: Set<UInt32> = []
  /// Whether the sessions were known at any time.
  private var wasRead = false

  package init() {}

  package mutating func take(_ event: BusEvent) -> [SessionOutput] {
    switch event {
    case .connected: return Self.matches.map { .bus(.subscribe($0)) } + list()
    case .disconnected:
      forget()
      state = .disconnected
      // A bus that gave no answer at all is as none.
      return wasRead ? [] : [.unlocked(nil)]
    case .reply(let number, let reply): return take(reply, to: number)
    case .signal(let signal): return take(signal)
    case .called, .refused: return []
    }
  }

  // MARK: Requests

  private mutating func list() -> [SessionOutput] {
    forget()
    state = .reading
    let call = BusCall(
      Self.service, path: Self.path, interface: Self.manager, member: "ListSessions",
      reply: "a(susso)")
    lastCall += 1
    calls[lastCall] = ""
    return [.bus(.call(lastCall, call))]
  }

  private mutating func forget() {
    sessions = [:]
    calls = [:]
    waiting = []
  }

  private mutating func read(_ path: String) -> [SessionOutput] {
    guard calls.count < Self.mostAtOnce else {
      if waiting.count < Self.most { waiting.append(path) }
      return []
    }
    let call = BusCall(
      Self.service, path: path, interface: "org.freedesktop.DBus.Properties", member: "GetAll",
      reply: "a{sv}")
    lastCall += 1
    calls[lastCall] = path
    return [.bus(.call(lastCall, call.with(.string(Self.session))))]
  }

  // MARK: Replies and signals

  private mutating func take(_ reply: BusReply, to number: Int) -> [SessionOutput] {
    guard let path = calls.removeValue(forKey: number) else { return [] }
    guard path.isEmpty else {
      if case .values(let values) = reply, let properties = values.first {
        add(properties, at: path)
      }
      let next = waiting.isEmpty ? [] : read(waiting.removeFirst())
      return next + (state == .read || calls.isEmpty ? settle() : [])
    }
    guard case .values(let values) = reply else {
      state = .absent
      return wasRead ? [] : [.unlocked(nil)]
    }
    let paths = values.first.map(Self.paths) ?? []
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
    guard let changes = signal.changes(of: Self.session) else { return [] }
    if changes["Class"] != nil { return read(signal.path) }
    guard var session = sessions[signal.path] else { return [] }
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
    guard sessions.count < Self.most || sessions[path] != nil,
      Self.classes.contains(properties["Class"]?.text ?? ""),
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
    wasRead = true
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
  /// The classes of sessions of persons whose home is there. Documented: pam_systemd(8).
  private static let classes = ["user", "user-early", "user-light", "user-early-light"]
  /// The most sessions followed, and the most that wait to be read. Chosen.
  package static let most = 1024
  /// The most sessions read at once; fewer than the calls that a bus has room for. Chosen.
  package static let mostAtOnce = 64

  private static let matches = [
    BusMatch(sender: service, interface: manager, member: "SessionNew", signature: "so"),
    BusMatch(sender: service, interface: manager, member: "SessionRemoved", signature: "so"),
    BusMatch.propertiesChanged(of: service), BusMatch.owner(of: service),
  ]
}
