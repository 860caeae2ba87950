import LocationModel
import LocationProviders
import Testing

@Suite("The windows of sway")
struct SwayWindowsTests {
  private var sway = SwayWindows()
  private var now = Moment(uptime: .start, unixTime: UnixTime(seconds: 0))

  private static func message(_ kind: UInt32, _ body: String) -> [UInt8] {
    var bytes = Array("i3-ipc".utf8)
    for word in [UInt32(body.utf8.count), kind] {
      withUnsafeBytes(of: word) { bytes.append(contentsOf: $0) }
    }
    return bytes + Array(body.utf8)
  }

  private static let askTree = message(4, "")

  /// A tree with two windows, of which the process with a number has the focus.
  private static func tree(focus: Int, shell: String = "xdg_shell") -> [UInt8] {
    let windows = [20, 30].map {
      #"{"id":\#($0),"pid":\#($0),"focused":\#($0 == focus),"shell":"\#(shell)","nodes":[]}"#
    }
    return message(
      4,
      #"{"type":"root","nodes":[{"type":"output","focused":false,"nodes":[\#(windows[0])],"#
        + #""floating_nodes":[\#(windows[1])]}]}"#)
  }

  private mutating func take(_ bytes: [UInt8]) -> [WindowOutput] {
    sway.handle(.bytes(bytes), at: now)
  }

  private mutating func open() {
    #expect(
      sway.handle(.opened, at: now) == [
        .send(Self.message(2, #"["window","workspace"]"#)), .send(Self.askTree),
      ])
    #expect(take(Self.message(2, #"{"success": true}"#)) == [])
  }

  private static func windows(_ active: Int32?) -> WindowOutput {
    .windows(
      WindowState(
        owners: [.process(20), .process(30)], active: active.map { [.process($0)] } ?? []))
  }

  @Test("MODEL-2: are read from the tree, and again after an event that may change the focus")
  mutating func follows() {
    open()
    #expect(take(Self.tree(focus: 20)) == [Self.windows(20)])
    #expect(sway.nextDeadline == nil, "nothing is looked at again and again")
    #expect(take(Self.message(0x8000_0003, #"{"change":"title"}"#)) == [])
    #expect(take(Self.message(0x8000_0003, #"{"change":"focus"}"#)) == [.send(Self.askTree)])
    #expect(take(Self.message(0x8000_0000, #"{"change":"focus"}"#)) == [], "one at a time")
    #expect(take(Self.tree(focus: 30)) == [Self.windows(30), .send(Self.askTree)])
    #expect(take(Self.tree(focus: 30)) == [], "nothing has changed")
    #expect(sway.nextDeadline == nil)
    #expect(take(Self.message(0x8000_0003, #"{"change":"focus"}"#)) == [.send(Self.askTree)])
    #expect(take(Self.tree(focus: 1)) == [Self.windows(nil)])
  }

  @Test("a window of X counts for nothing here: its process is what it says itself")
  mutating func windowOfX() {
    open()
    #expect(take(Self.tree(focus: 20, shell: "xwayland")) == [.windows(WindowState())])
  }

  @Test("a message that comes byte by byte is read like one that comes at once")
  mutating func pieces() {
    open()
    var outputs: [WindowOutput] = []
    for byte in Self.tree(focus: 20) { outputs += take([byte]) }
    #expect(outputs == [Self.windows(20)])
  }

  @Test("MODEL-2: one that does not answer in five seconds is given up")
  mutating func silent() {
    open()
    #expect(sway.nextDeadline == Instant.start + .seconds(5))
    now.uptime = .start + .seconds(4)
    #expect(sway.handle(.wake, at: now) == [])
    now.uptime = .start + .seconds(5)
    #expect(sway.handle(.wake, at: now) == [.ended(reason: "sway does not answer")])
    #expect(sway.nextDeadline == nil && take(Self.tree(focus: 20)) == [])
  }

  @Test(
    "what is no message, too long, no tree, or too deep ends it",
    arguments: [
      Array("HTTP/1.1 400 Bad".utf8), message(4, "{"), message(4, "[]"),
      Array("i3-ipc".utf8) + [255, 255, 255, 127, 4, 0, 0, 0], message(0x8000_0003, "{}"),
      message(2, #"{"success": false}"#),
      message(
        4,
        String(repeating: #"{"nodes":["#, count: 40) + String(repeating: "]}", count: 40)),
    ])
  mutating func garbage(_ bytes: [UInt8]) {
    open()
    let outputs = take(bytes)
    guard case .ended? = outputs.first, outputs.count == 1 else {
      Issue.record("\(outputs)")
      return
    }
    #expect(take(Self.tree(focus: 20)) == [] && sway.nextDeadline == nil)
  }
}
