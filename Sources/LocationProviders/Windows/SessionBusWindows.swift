package import LocationModel

/// Follows which apps have windows, and which is active, on the bus of the session.
///
/// Asks GNOME's shell first (`org.gnome.Shell.Introspect`), which answers only programs that it
/// trusts, then the portal backends of the desktop (`org.freedesktop.impl.portal.Background`).
package struct SessionBusWindows: Machine {
  /// A service that can be asked.
  private struct Service {
    var name: String
    var path: String
    var interface: String
    var member: String
    /// The types of the reply.
    var reply: String
    /// The signals after which it is asked again.
    var signals: [String]
  }

  private let services: [Service]
  /// The index of the service that is asked.
  private var current = 0
  /// The number of the last call.
  private var call = 0
  private var isAsking = false
  private var isStale = false
  /// Whether the service has answered before: then it may do so again.
  private var hasAnswered = false
  private var last: WindowState?
  private var hasEnded = false

  /// Creates a machine for a desktop, by `$XDG_CURRENT_DESKTOP`, such as `ubuntu:GNOME`.
  package init(desktop: String) {
    let words = desktop.lowercased().split(separator: ":").map(String.init)
    let portals = ["gnome", "kde", "cosmic", "xapp"].filter { name in
      words.contains {
        $0 == name || name == "xapp" && ["x-cinnamon", "mate", "xfce"].contains($0)
      }
    }
    services = (words.contains("gnome") ? [Self.shell] : []) + portals.map(Self.portal)
  }

  /// Whether there is a service to ask.
  package var isOfUse: Bool { !services.isEmpty }

  package var nextDeadline: Instant? { nil }

  package mutating func handle(_ input: WindowInput, at now: Moment) -> [WindowOutput] {
    guard !hasEnded, case .bus(let event) = input else { return [] }
    switch event {
    case .connected: return begin()
    case .disconnected: return end("the bus of the session has gone")
    case .reply(let number, let reply):
      guard number == call, isAsking else { return [] }
      isAsking = false
      return take(reply)
    case .signal(let signal): return take(signal)
    case .called, .refused: return []
    }
  }

  private mutating func end(_ reason: String) -> [WindowOutput] {
    hasEnded = true
    return [.ended(reason: reason)]
  }

  private mutating func begin() -> [WindowOutput] {
    guard services.indices.contains(current) else {
      return end("no service of this desktop shows which app is active")
    }
    let service = services[current]
    let signals = service.signals.map {
      BusMatch(sender: service.name, interface: service.interface, member: $0, signature: "")
    }
    return (signals + [.owner(of: service.name)]).map { .bus(.subscribe($0)) } + ask()
  }

  private mutating func ask() -> [WindowOutput] {
    guard !isAsking else {
      isStale = true
      return []
    }
    isAsking = true
    call += 1
    let service = services[current]
    return [
      .bus(
        .call(
          call,
          BusCall(
            service.name, path: service.path, interface: service.interface,
            member: service.member, reply: service.reply)))
    ]
  }

  private mutating func take(_ reply: BusReply) -> [WindowOutput] {
    guard case .values(let values) = reply, let value = values.first else {
      let again = isStale
      isStale = false
      guard !hasAnswered else { return show(nil) + (again ? ask() : []) }
      current += 1
      return begin()
    }
    hasAnswered = true
    let state =
      services[current].interface == Self.shell.interface
      ? Self.windows(ofShell: value) : Self.windows(ofPortal: value)
    guard isStale else { return show(state) }
    isStale = false
    return show(state) + ask()
  }

  private mutating func show(_ state: WindowState?) -> [WindowOutput] {
    guard state != last else { return [] }
    last = state
    return [.windows(state)]
  }

  private mutating func take(_ signal: BusSignal) -> [WindowOutput] {
    guard services.indices.contains(current) else { return [] }
    let service = services[current]
    if signal.isLoss(of: service.name) {
      let outputs = show(nil)
      return signal[2]?.text?.isEmpty == false ? outputs + ask() : outputs
    }
    let isBack = signal.presence(of: service.name) == true
    guard isBack || signal.interface == service.interface else { return [] }
    return ask()
  }

  // MARK: Replies

  /// Reads `GetWindows`: the properties of each window by its number.
  private static func windows(ofShell value: BusValue) -> WindowState {
    var state = WindowState()
    for entry in (value.entries ?? []).prefix(WindowBounds.windows) {
      let window = entry.value
      guard let name = window["app-id"]?.text,
        let owner = WindowBounds.identifier(Self.plain(name))
      else { continue }
      state.owners.insert(owner)
      if window["has-focus"]?.boolean == true { state.active.insert(owner) }
    }
    return state
  }

  /// Reads `GetAppState`: 0 for an app in the background, 1 with a window, 2 with the active one.
  private static func windows(ofPortal value: BusValue) -> WindowState {
    var state = WindowState()
    for entry in (value.entries ?? []).prefix(WindowBounds.windows) {
      guard let name = entry.key.text, let owner = WindowBounds.identifier(Self.plain(name)),
        let number = entry.value.integer
      else { continue }
      state.owners.insert(owner)
      if number == 2 { state.active.insert(owner) }
    }
    return state
  }

  /// An identifier without the ending of the file of its entry.
  private static func plain(_ name: String) -> String {
    name.hasSuffix(".desktop") ? String(name.dropLast(".desktop".count)) : name
  }

  // MARK: Words of the interfaces

  private static let shell = Service(
    name: "org.gnome.Shell", path: "/org/gnome/Shell/Introspect",
    interface: "org.gnome.Shell.Introspect", member: "GetWindows", reply: "a{ta{sv}}",
    signals: ["WindowsChanged", "RunningApplicationsChanged"])

  private static func portal(_ desktop: String) -> Service {
    Service(
      name: "org.freedesktop.impl.portal.desktop.\(desktop)",
      path: "/org/freedesktop/portal/desktop",
      interface: "org.freedesktop.impl.portal.Background", member: "GetAppState",
      reply: "a{sv}", signals: ["RunningApplicationsChanged"])
  }
}
