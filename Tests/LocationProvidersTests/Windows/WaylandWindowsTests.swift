import LocationModel
import LocationProviders
import Testing

@Suite("The windows of a Wayland compositor")
struct WaylandWindowsTests {
  private var compositor = WaylandWindows()
  private var now = Moment(uptime: .start, unixTime: UnixTime(seconds: 0))
  private static let interface = "zwlr_foreign_toplevel_manager_v1"
  private static let window: UInt32 = 0xff00_0000

  private static func words(_ values: UInt32...) -> [UInt8] {
    values.flatMap { value in withUnsafeBytes(of: value) { [UInt8]($0) } }
  }

  private static func text(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8) + [0]
    return words(UInt32(bytes.count)) + bytes
      + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
  }

  private static func event(_ object: UInt32, _ opcode: UInt32, _ body: [UInt8] = []) -> [UInt8] {
    words(object, UInt32(body.count + 8) << 16 | opcode) + body
  }

  private static func global(_ name: UInt32, _ interface: String) -> [UInt8] {
    event(2, 0, words(name) + text(interface) + words(3))
  }

  private static func app(_ name: String, of window: UInt32 = window) -> [UInt8] {
    event(window, 1, text(name))
  }

  private static func state(_ states: UInt32..., of window: UInt32 = window) -> [UInt8] {
    let body = states.flatMap { words($0) }
    return event(window, 4, words(UInt32(body.count)) + body)
  }

  private static func done(_ window: UInt32 = window) -> [UInt8] { event(window, 5) }

  private mutating func take(_ bytes: [UInt8]) -> [WindowOutput] {
    compositor.handle(.bytes(bytes), at: now)
  }

  private mutating func open() {
    #expect(
      compositor.handle(.opened, at: now) == [
        .send(Self.event(1, 1, Self.words(2))), .send(Self.event(1, 0, Self.words(3))),
      ])
    let bind = Self.words(7) + Self.text(Self.interface) + Self.words(1, 4)
    #expect(
      take(
        Self.global(6, "wl_shm") + Self.global(7, Self.interface) + Self.event(3, 0, Self.words(0)))
        == [.send(Self.event(2, 0, bind)), .send(Self.event(1, 0, Self.words(5)))])
  }

  @Test("MODEL-2: are known once all are listed, and change with the last event of a change")
  mutating func follows() {
    open()
    let second = Self.window + 1
    #expect(
      take(
        Self.event(4, 0, Self.words(Self.window)) + Self.app("boat") + Self.state(2, 0)
          + Self.done() + Self.event(4, 0, Self.words(second))) == [])
    let listed = Self.app("other", of: second) + Self.state(0, of: second) + Self.done(second)
    #expect(
      take(listed + Self.event(5, 0, Self.words(0))) == [
        .windows(WindowState(owners: [.app("boat"), .app("other")], active: [.app("boat")]))
      ])
    #expect(compositor.nextDeadline == nil, "nothing is looked at again and again")
    #expect(take(Self.state()) == [], "it is not done")
    #expect(
      take(Self.done() + Self.state(2, of: second) + Self.done(second)) == [
        .windows(WindowState(owners: [.app("boat"), .app("other")], active: [.app("other")]))
      ])
    #expect(take(Self.event(Self.window, 0, Self.text("a title")) + Self.done()) == [])
    #expect(
      take(Self.event(second, 6)) == [
        .send(Self.event(second, 7)), .windows(WindowState(owners: [.app("boat")])),
      ])
  }

  @Test("MODEL-2: a compositor without the protocol is given up with the name of it")
  mutating func without() {
    _ = compositor.handle(.opened, at: now)
    #expect(
      take(Self.global(6, "wl_shm") + Self.event(3, 0, Self.words(0)))
        == [.ended(reason: "the compositor does not list windows (\(Self.interface))")])
    #expect(take(Self.global(7, Self.interface)) == [])
  }

  @Test(
    "MODEL-2: one that does not answer in five seconds is given up at each step")
  mutating func silent() {
    open()
    now.uptime = .start + .seconds(5)
    #expect(compositor.handle(.wake, at: now) == [.ended(reason: "the compositor does not answer")])
    compositor = WaylandWindows()
    _ = compositor.handle(.opened, at: now)
    #expect(compositor.nextDeadline == now.uptime + .seconds(5))
  }

  @Test(
    "an identifier that cannot be that of an app is none",
    arguments: ["", "a/b", String(repeating: "x", count: 256)])
  mutating func identifiers(_ name: String) {
    open()
    #expect(
      take(
        Self.event(4, 0, Self.words(Self.window)) + Self.app(name) + Self.state(2) + Self.done()
          + Self.event(5, 0, Self.words(0))) == [.windows(WindowState())])
  }

  @Test("border 12: windows beyond the first 1,024 are not looked at")
  mutating func bound() {
    open()
    var bytes: [UInt8] = []
    for index in 0..<UInt32(1500) {
      let window = Self.window + index
      bytes += Self.event(4, 0, Self.words(window))
      bytes += Self.app("app\(index)", of: window) + Self.done(window)
    }
    guard case .windows(let state?)? = take(bytes + Self.event(5, 0, Self.words(0))).first else {
      Issue.record("no windows")
      return
    }
    #expect(state.owners.count == 1024)
  }

  @Test(
    "what is no message, or has no arguments, ends it",
    arguments: [
      words(0, 8 << 16), words(1, 4 << 16), words(1, 9 << 16), event(2, 0), event(4, 0),
      event(4, 0, words(9)), event(4, 0, words(window)) + event(window, 1, words(100)),
      event(4, 0, words(window)) + event(window, 4, words(100)), Array("HTTP/1.1".utf8),
      event(1, 0, words(1, 2)), event(4, 1),
    ])
  mutating func garbage(_ bytes: [UInt8]) {
    open()
    guard case .ended? = take(bytes).last else {
      Issue.record("it goes on")
      return
    }
    #expect(take(Self.event(5, 0, Self.words(0))) == [])
    #expect(compositor.nextDeadline == nil)
  }
}
