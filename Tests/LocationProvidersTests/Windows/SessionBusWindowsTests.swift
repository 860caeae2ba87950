import LocationModel
import LocationProviders
import Testing

@Suite("The windows that the bus of the session shows")
struct SessionBusWindowsTests {
  private var bus = SessionBusWindows(desktop: "ubuntu:GNOME")
  private let now = Moment(uptime: .start, unixTime: UnixTime(seconds: 0))
  private static let denied = BusReply.error("org.freedesktop.DBus.Error.AccessDenied")

  private mutating func take(_ event: BusEvent) -> [WindowOutput] {
    bus.handle(.bus(event), at: now)
  }

  /// The calls among outputs, by number and destination.
  private static func calls(_ outputs: [WindowOutput]) -> [String] {
    outputs.compactMap {
      guard case .bus(.call(let number, let call)) = $0 else { return nil }
      return "\(number) \(call.destination) \(call.member)"
    }
  }

  private static func shell(_ focused: String) -> BusReply {
    let windows = ["org.example.Boat.desktop", "other.desktop"].enumerated().map { index, name in
      BusEntry(
        key: .uint64(UInt64(index)),
        value: .properties(["app-id": .string(name), "has-focus": .boolean(name == focused)]))
    }
    return .values([.dictionary(key: "t", value: "a{sv}", windows)])
  }

  private static func signal(_ interface: String, _ member: String) -> BusEvent {
    .signal(BusSignal(path: "", interface: interface, member: member, arguments: []))
  }

  @Test("MODEL-2: are asked of the shell, and again after each of its signals")
  mutating func shell() {
    #expect(Self.calls(take(.connected)) == ["1 org.gnome.Shell GetWindows"])
    #expect(bus.nextDeadline == nil)
    let owners: Set<WindowOwner> = [.app("org.example.Boat"), .app("other")]
    #expect(
      take(.reply(1, Self.shell("org.example.Boat.desktop")))
        == [.windows(WindowState(owners: owners, active: [.app("org.example.Boat")]))])
    let changed = Self.signal("org.gnome.Shell.Introspect", "RunningApplicationsChanged")
    #expect(Self.calls(take(changed)) == ["2 org.gnome.Shell GetWindows"])
    #expect(take(changed) == [], "one at a time")
    #expect(take(.reply(1, Self.shell(""))) == [], "a reply to an earlier call")
    let outputs = take(.reply(2, Self.shell("other.desktop")))
    #expect(outputs.first == .windows(WindowState(owners: owners, active: [.app("other")])))
    #expect(Self.calls(outputs) == ["3 org.gnome.Shell GetWindows"])
    #expect(take(.reply(3, Self.shell("other.desktop"))) == [])
  }

  @Test("MODEL-2: are asked of the portal's backend where the shell does not answer")
  mutating func portal() {
    _ = take(.connected)
    let name = "org.freedesktop.impl.portal.desktop.gnome"
    #expect(Self.calls(take(.reply(1, Self.denied))) == ["2 \(name) GetAppState"])
    let state = BusReply.values([
      .properties(["org.example.Boat": .uint32(2), "idle": .uint32(0), "shown": .uint32(1)])
    ])
    let owners: Set<WindowOwner> = [.app("org.example.Boat"), .app("idle"), .app("shown")]
    #expect(
      take(.reply(2, state))
        == [.windows(WindowState(owners: owners, active: [.app("org.example.Boat")]))])
    let changed = Self.signal(
      "org.freedesktop.impl.portal.Background", "RunningApplicationsChanged")
    #expect(Self.calls(take(changed)) == ["3 \(name) GetAppState"])
  }

  @Test("a service that goes away shows nothing, and is asked when it is back")
  mutating func restart() {
    _ = take(.connected)
    _ = take(.reply(1, Self.shell("other.desktop")))
    func owner(_ old: String, _ new: String) -> BusEvent {
      .owner(of: "org.gnome.Shell", from: old, to: new)
    }
    #expect(take(owner(":1.1", "")) == [.windows(nil)])
    #expect(Self.calls(take(owner("", ":1.9"))) == ["2 org.gnome.Shell GetWindows"])
    #expect(take(.reply(2, Self.denied)) == [], "it is not ready yet")
    let changed = Self.signal("org.gnome.Shell.Introspect", "WindowsChanged")
    #expect(Self.calls(take(changed)) == ["3 org.gnome.Shell GetWindows"])
  }

  @Test("what none of the services shows is stated, and so is the end of the bus")
  mutating func nothing() {
    _ = take(.connected)
    _ = take(.reply(1, Self.denied))
    #expect(
      take(.reply(2, Self.denied))
        == [.ended(reason: "no service of this desktop shows which app is active")])
    #expect(take(.disconnected) == [])
    bus = SessionBusWindows(desktop: "GNOME")
    _ = take(.connected)
    #expect(take(.disconnected) == [.ended(reason: "the bus of the session has gone")])
    #expect(
      !SessionBusWindows(desktop: "sway").isOfUse && SessionBusWindows(desktop: "KDE").isOfUse)
  }

  @Test("a reply of other contents than the interface has shows no window")
  mutating func odd() {
    _ = take(.connected)
    #expect(
      take(.reply(1, .values([.array(of: "s", [.string("x")])]))) == [.windows(WindowState())])
  }
}
