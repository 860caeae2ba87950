package import LocationModel

/// Shows which apps use the location, as an item of the desktop's panel with a menu, over D-Bus
/// (`org.kde.StatusNotifierItem`, `com.canonical.dbusmenu`).
///
/// Connected only while there is something to show. Without a desktop that shows such items, the
/// reason is an output, once for each time that it is lost.
package struct IndicatorPresenter: Machine {
  package enum Input: MachineInput {
    case show(IndicatorContents)
    case bus(BusEvent)
    /// The connection to the bus failed.
    case closed(reason: String)
    case wake
  }

  package enum Output: Hashable, Sendable {
    /// Connects to the session bus of the person; `.bus(.connected)` follows.
    case enter
    /// Disconnects from the bus, because there is nothing to show.
    case leave
    case bus(BusAction)
    /// The person stops an app's use of the location (BGA-16).
    case stop(AppIdentity)
    /// The person switches location services off (AUTH-5).
    case switchServicesOff
    /// The desktop shows the item, `nil`, or why it does not.
    case shown(obstacle: String?)
  }

  private enum State: Hashable, Sendable {
    /// There is nothing to show.
    case idle
    /// The bus is not connected yet.
    case entering
    /// The watcher was asked to show the item; calls are numbered.
    case registering(call: Int)
    case shown
    /// There is no watcher; it is awaited.
    case unseen
    /// The watcher has refused, as one that has just started may; it is asked again at `retry`.
    case refused(retry: Instant)
    /// There is no bus; the next connection is tried with the next change.
    case cutOff
  }

  private var state = State.idle
  private var contents = IndicatorContents()
  private var menu = IndicatorMenu()
  private var lastCall = 0
  /// How long the watcher was left alone after it has refused last, twice as long each time; `nil`
  /// when it has not.
  private var pause: Duration?
  /// The obstacle that was output last; `nil` before the first.
  private var delivered: String??
  /// Messages that were rejected, counted by reason.
  package private(set) var refusals: [BusRefusal: Int] = [:]

  package init() {}

  package var nextDeadline: Instant? {
    guard case .refused(let retry) = state else { return nil }
    return retry
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .show(let contents): show(contents)
    case .bus(let event): take(event, at: now)
    case .closed(let reason): lose(.cutOff, "there is no bus of a session: \(reason)")
    case .wake: isDue(nextDeadline, now) ? register() : []
    }
  }

  private mutating func show(_ new: IndicatorContents) -> [Output] {
    guard new != contents else { return [] }
    contents = new
    menu.show(new)
    guard !new.apps.isEmpty else {
      defer { (state, delivered) = (.idle, nil) }
      return state == .idle || state == .cutOff ? [] : [.leave]
    }
    switch state {
    case .idle, .cutOff:
      state = .entering
      return [.enter]
    case .entering: return []
    case .registering, .shown, .unseen, .refused: return export() + changed
    }
  }

  private mutating func lose(_ state: State, _ reason: String) -> [Output] {
    guard self.state != .idle else { return [] }
    self.state = state
    return report(reason)
  }

  private mutating func report(_ obstacle: String?) -> [Output] {
    guard delivered != .some(obstacle) else { return [] }
    delivered = .some(obstacle)
    return [.shown(obstacle: obstacle)]
  }

  // MARK: The bus

  private mutating func take(_ event: BusEvent, at now: Moment) -> [Output] {
    switch event {
    case .connected:
      guard state == .entering else { return [] }
      return [.bus(.subscribe(.owner(of: Self.watcher)))] + export() + register()
    case .disconnected: return lose(.cutOff, "the bus of the session has gone")
    case .reply(let number, let reply): return take(reply, to: number, at: now)
    case .signal(let signal): return take(signal)
    case .called(let call): return press(call)
    case .refused(let reason, let count):
      refusals[reason, default: 0] += count
      return []
    }
  }

  private mutating func register() -> [Output] {
    lastCall += 1
    state = .registering(call: lastCall)
    // A path, so that the watcher takes the connection's own name from the message.
    let call = BusCall(
      Self.watcher, path: "/StatusNotifierWatcher", interface: Self.watcher,
      member: "RegisterStatusNotifierItem", reply: ""
    ).with(.string(Self.itemPath))
    return [.bus(.call(lastCall, call))]
  }

  private mutating func take(
    _ reply: BusReply, to number: Int, at now: Moment
  ) -> [Output] {
    guard state == .registering(call: number) else { return [] }
    if case .error(let name) = reply {
      let isAbsent = name == "org.freedesktop.DBus.Error.ServiceUnknown"
      if !isAbsent { pause = min(pause.map { $0 * 2 } ?? Self.firstPause, Self.longestPause) }
      return lose(
        isAbsent ? .unseen : .refused(retry: now.uptime + (pause ?? Self.firstPause)),
        "\(Self.watcher) does not answer: \(name)")
    }
    state = .shown
    pause = nil
    return report(nil)
  }

  private mutating func take(_ signal: BusSignal) -> [Output] {
    guard let isThere = signal.presence(of: Self.watcher) else { return [] }
    // Another watcher knows no items of the one before.
    return isThere ? register() : lose(.unseen, "\(Self.watcher) has gone")
  }

  /// Carries out a press of a menu's entry.
  private func press(_ call: BusSignal) -> [Output] {
    guard call.path == Self.menuPath else { return [] }
    switch call.member {
    case "Event": return press(call.arguments)
    case "EventGroup":
      let events = call[0]?.elements ?? []
      return events.prefix(IndicatorMenu.most).flatMap { event -> [Output] in
        guard case .structure(let values) = event else { return [] }
        return press(values)
      }
    default: return []
    }
  }

  private func press(_ values: [BusValue]) -> [Output] {
    guard values.count == 4, values[1].text == "clicked", let number = values[0].integer else {
      return []
    }
    switch menu.choice(number) {
    case .stop(let app): return [.stop(app)]
    case .switchServicesOff: return [.switchServicesOff]
    case nil: return []
    }
  }

  // MARK: The objects

  private func export() -> [Output] { [.bus(.export(item)), .bus(.export(menu.object(caller)))] }

  /// Notifies the desktop that the item and its menu have changed.
  private var changed: [Output] {
    let item = ["NewToolTip", "NewStatus", "NewTitle"].map { member in
      BusSignal(
        path: Self.itemPath, interface: Self.item, member: member,
        arguments: member == "NewStatus" ? [.string("Active")] : [])
    }
    return (item + [menu.changed]).map { .bus(.emit($0)) }
  }

  private var caller: [String] { [Self.watcher] + Self.hosts }

  private var item: BusObject {
    var object = BusObject(
      path: Self.itemPath, interface: Self.item, caller: Self.watcher,
      properties: .properties([
        "Category": .string("SystemServices"), "Id": .string("meridian-location"),
        "Title": .string("Location"), "Status": .string("Active"), "WindowId": .int32(0),
        "IconName": .string(Self.icon), "IconThemePath": .string(""),
        "IconPixmap": .array(of: "(iiay)", []), "OverlayIconName": .string(""),
        "OverlayIconPixmap": .array(of: "(iiay)", []), "AttentionIconName": .string(""),
        "AttentionIconPixmap": .array(of: "(iiay)", []), "AttentionMovieName": .string(""),
        "ToolTip": .structure([
          .string(Self.icon), .array(of: "(iiay)", []), .string("Location"), .string(toolTip),
        ]),
        "ItemIsMenu": .boolean(true), "Menu": .objectPath(Self.menuPath),
      ]),
      methods: [
        BusMethod("ContextMenu", "ii"), BusMethod("Activate", "ii"),
        BusMethod("SecondaryActivate", "ii"), BusMethod("Scroll", "is"),
      ])
    object.otherCallers = Self.hosts
    return object
  }

  /// One line for each app; desktops read markup in it.
  private var toolTip: String {
    menu.lines.map { $0.escapedForMarkup }.joined(separator: "\n")
  }

  // MARK: Words of the interfaces

  private static let watcher = "org.kde.StatusNotifierWatcher"
  /// Programs beside the watcher that show items: in Plasma the panel is not the watcher.
  private static let hosts = ["org.kde.plasmashell"]
  private static let item = "org.kde.StatusNotifierItem"
  private static let itemPath = "/StatusNotifierItem"
  static let menuPath = "/MenuBar"
  private static let icon = "mark-location"
  /// Chosen: about as long as a panel takes to start.
  private static let firstPause = Duration.seconds(2)
  /// Chosen: a watcher that goes on refusing costs nothing.
  private static let longestPause = Duration.seconds(600)
}
