import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("The location indicator")
struct IndicatorPresenterTests {
  private var bench = Bench(IndicatorPresenter()) { output in
    switch output {
    case .enter: "enter"
    case .leave: "leave"
    case .bus(.call(_, let call)): call.member
    case .bus: nil
    case .stop(let app): "stop \(app)"
    case .switchServicesOff: "services off"
    case .shown(let obstacle): obstacle ?? "shown"
    }
  }

  private static let watcher = "org.kde.StatusNotifierWatcher"
  private static let maps = AppIdentity("org.example.maps")
  private static let walk = AppIdentity("org.example.walk_home@1001")

  private static func app(_ app: AppIdentity, _ path: String = "/usr/bin/maps")
    -> IndicatorContents.App
  {
    IndicatorContents.App(app, VerifiedProgram(path: path, user: 1001, isProtected: true))
  }

  private mutating func show(_ apps: IndicatorContents.App...) {
    bench.send(.show(IndicatorContents(apps: apps)))
  }

  private mutating func reachDesktop() {
    show(Self.app(Self.maps))
    bench.send(.bus(.connected))
    bench.send(.bus(.reply(1, .values([]))))
  }

  private mutating func press(_ number: Int, _ event: String = "clicked") {
    bench.send(
      .bus(
        .called(
          BusSignal(
            path: "/MenuBar", interface: "com.canonical.dbusmenu", member: "Event",
            arguments: [.int32(Int32(number)), .string(event), .variant(.int32(0)), .uint32(1)]))))
  }

  private mutating func ownerChanged(from old: String, to new: String) {
    bench.send(.bus(.owner(of: Self.watcher, from: old, to: new)))
  }

  /// The objects that were exported last.
  private func object(_ path: String) -> BusObject? {
    bench.outputs.last { entry in
      if case .bus(.export(let object)) = entry.output { object.path == path } else { false }
    }.flatMap { if case .bus(.export(let object)) = $0.output { object } else { nil } }
  }

  /// The entries of the menu: number, label, and whether it can be pressed.
  private var menu: [(number: Int, label: String, isEnabled: Bool)] {
    let layout = object("/MenuBar")?.methods.first { $0.name == "GetLayout" }?.reply.last
    guard case .structure(let root)? = layout else { return [] }
    return (root.last?.elements ?? []).compactMap { child in
      guard case .structure(let entry) = child.content, let number = entry[0].integer else {
        return nil
      }
      return (number, entry[1]["label"]?.text ?? "", entry[1]["enabled"]?.boolean ?? false)
    }
  }

  private func number(_ label: String) -> Int { menu.first { $0.label == label }?.number ?? 0 }

  @Test("BGA-15: enters the bus with the first app, registers, and leaves with the last")
  mutating func life() {
    reachDesktop()
    show()
    #expect(
      bench.transcript == """
        00:00:00  enter
        00:00:00  RegisterStatusNotifierItem
        00:00:00  shown
        00:00:00  leave
        """)
  }

  @Test("shows the verified program of each app, and escapes what an app has named")
  mutating func words() {
    show(Self.app(Self.walk, "/tmp/<b>a&b\u{202e}"))
    bench.send(.bus(.connected))
    #expect(
      menu.map(\.label) == [
        "org.example.walk__home: /tmp/<b>a&b\\u{202E}, user 1001",
        "Stop org.example.walk__home for now", "", "Switch location services off",
      ])
    let tip = object("/StatusNotifierItem")?.properties["ToolTip"]
    guard case .structure(let parts)? = tip else { return #expect(Bool(false), "no tool tip") }
    #expect(
      parts.last?.text == "org.example.walk_home: /tmp/&lt;b&gt;a&amp;b\\u{202E}, user 1001")
  }

  @Test("BGA-16: an entry stops its own app, a late press of one that is gone stops no other")
  mutating func lateness() {
    reachDesktop()
    let first = number("Stop org.example.maps for now")
    press(first, "hovered")
    press(first)
    show(Self.app(Self.walk))
    press(first)
    press(first - 1)
    press(number("Stop org.example.walk__home for now"))
    press(number("Switch location services off"))
    #expect(
      bench.transcript.hasSuffix(
        """
        shown
        00:00:00  stop org.example.maps
        00:00:00  stop org.example.walk_home@1001
        00:00:00  services off
        """))
  }

  @Test("registers again with a watcher that comes back, and says once that there is none")
  mutating func loss() {
    reachDesktop()
    ownerChanged(from: ":1.5", to: "")
    show(Self.app(Self.maps), Self.app(Self.walk))
    ownerChanged(from: "", to: ":1.9")
    bench.send(.bus(.reply(1, .values([]))))
    bench.send(.bus(.reply(2, .values([]))))
    #expect(
      bench.transcript.hasSuffix(
        """
        shown
        00:00:00  org.kde.StatusNotifierWatcher has gone
        00:00:00  RegisterStatusNotifierItem
        00:00:00  shown
        """))
  }

  @Test("without a session or a watcher there is a reason, and the next change tries again")
  mutating func nowhere() {
    show(Self.app(Self.maps))
    bench.send(.closed(reason: "none"))
    show(Self.app(Self.walk))
    bench.send(.bus(.connected))
    bench.send(.bus(.reply(1, .error("org.freedesktop.DBus.Error.ServiceUnknown"))))
    #expect(
      bench.transcript == """
        00:00:00  enter
        00:00:00  there is no bus of a session: none
        00:00:00  enter
        00:00:00  RegisterStatusNotifierItem
        00:00:00  org.kde.StatusNotifierWatcher does not answer: org.freedesktop.DBus.Error.ServiceUnknown
        """)
  }

  @Test("a watcher that is not ready yet is asked again after two seconds")
  mutating func unready() {
    show(Self.app(Self.maps))
    bench.send(.bus(.connected))
    bench.send(.bus(.reply(1, .error("org.freedesktop.DBus.Error.UnknownMethod"))))
    bench.run(for: .seconds(10))
    bench.send(.bus(.reply(2, .values([]))))
    #expect(
      bench.transcript.hasSuffix(
        "UnknownMethod\n00:00:02  RegisterStatusNotifierItem\n00:00:10  shown"))
  }

  @Test("a watcher that goes on refusing is asked ever more rarely, each ten minutes in the end")
  mutating func refusing() {
    show(Self.app(Self.maps))
    bench.send(.bus(.connected))
    for call in 1...20 {
      bench.send(.bus(.reply(call, .error("org.freedesktop.DBus.Error.UnknownMethod"))))
      let pause = min(1 << call, 600)
      #expect(bench.machine.nextDeadline == bench.now.uptime + .seconds(pause))
      bench.run(for: .seconds(pause))
    }
  }

  @Test("HEAD-9: an app that asks to calibrate is shown, and cannot be stopped for that")
  mutating func calibration() {
    var app = Self.app(Self.maps)
    (app.isActive, app.calibrates) = (false, true)
    show(app)
    bench.send(.bus(.connected))
    #expect(menu.map(\.isEnabled) == [false, false, true])
    #expect(menu[0].label.contains("turn the device about all its axes"))
  }

  @Test("more apps than fit are counted")
  mutating func many() {
    let apps = (0..<40).map { Self.app(AppIdentity("org.example.app\($0)")) }
    bench.send(.show(IndicatorContents(apps: apps)))
    bench.send(.bus(.connected))
    #expect(menu.count == 67)
    #expect(menu[64].label == "and 8 more: locationctl status --follow")
  }
}
