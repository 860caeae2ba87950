import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("What GeoClue's agents say")
struct GeoClueAgentTests {
  private var stage = GeoClueStage()
  private let client = GeoClueStage.client(1)
  /// The number of the first call to an agent.
  private static let firstCall = 1 << 32 + 1
  private static let reason =
    "AccessDenied Access denied: location services are off for this user by the desktop's own switch, "
    + "such as Settings, Privacy, Location of GNOME"

  /// An agent on a connection of its own, which has not answered yet.
  private mutating func register(_ name: String = ":1.20", user: UInt32 = 1000) {
    stage.call("AddAgent", .string("gnome-shell"), of: name)
    stage.bench.send(.known(name, user: user))
    _ = stage.said()
  }

  private mutating func answer(_ level: UInt32, call: Int = firstCall) {
    stage.bench.send(.reply(call, .values([.variant(.uint32(level))])))
  }

  private mutating func change(_ entries: [BusEntry], invalidated: [String] = [], of name: String) {
    var signal = BusSignal(
      path: "/org/freedesktop/GeoClue2/Agent", interface: "org.freedesktop.DBus.Properties",
      member: "PropertiesChanged",
      arguments: [
        .string("org.freedesktop.GeoClue2.Agent"), .dictionary(key: "s", value: "v", entries),
        .array(of: "s", invalidated.map { .string($0) }),
      ])
    signal.sender = name
    stage.bench.send(.signal(signal))
  }

  private mutating func change(_ level: UInt32, of name: String = ":1.20") {
    change(
      [BusEntry(key: .string("MaxAccuracyLevel"), value: .variant(.uint32(level)))], of: name)
  }

  @Test("GEOCLUE-14, GEOCLUE-19: an agent is asked for its level, and followed, and nothing else")
  mutating func registered() {
    stage.call("AddAgent", .string("gnome-shell"), of: ":1.20")
    stage.bench.send(.known(":1.20", user: 1000))
    #expect(
      stage.said() == [
        "identify :1.20", "1: done", "follow PropertiesChanged of :1.20",
        "ask :1.20 Get Agent MaxAccuracyLevel",
      ])
    // While it has not answered, it is not asked twice.
    stage.call("AddAgent", .string("gnome-shell"), of: ":1.20")
    #expect(stage.said() == ["2: done"])
    stage.bench.send(.gone(":1.20"))
    #expect(stage.said() == ["follow no more PropertiesChanged of :1.20", "forget :1.20"])
  }

  @Test("GEOCLUE-19: level 0 refuses each start with the reason, and nobody is asked")
  mutating func off() {
    register()
    answer(0)
    #expect(stage.said() == ["user 1000 at most none"])
    stage.begin()
    #expect(stage.said().last == "5: " + Self.reason)
    #expect(!stage.bench.machine.isInUse)
    // Undecided, too.
    stage.bench.send(.state(":1.7", GeoClueStage.undecided))
    stage.call("Start", at: client)
    #expect(stage.said() == ["6: " + Self.reason])
  }

  @Test("GEOCLUE-19: level 0 ends positions that run, also in the engine, until the level is back")
  mutating func switched() {
    register()
    answer(8)
    stage.begin()
    stage.fix(fix())
    _ = stage.said()
    change(0)
    #expect(
      stage.said() == [
        "user 1000 at most none", ":1.7 hears PropertiesChanged Client {Active:false} ", "stop 1",
        "all hears PropertiesChanged Manager {InUse:false} ",
      ])
    stage.fix(fix(north: 100, seconds: 1))
    stage.bench.send(.state(":1.7", GeoClueStage.granted))
    #expect(stage.said() == [])
    change(8)
    #expect(
      stage.said() == [
        "user 1000 not limited", ":1.7 hears PropertiesChanged Client {Active:true} ",
        "start 1 best", "all hears PropertiesChanged Manager {InUse:true} ",
      ])
  }

  @Test("GEOCLUE-19: what was barred by the app's permission does not run on behind level 0")
  mutating func barredTwice() {
    register()
    stage.begin()
    stage.bench.send(.state(":1.7", GeoClueStage.denied))
    _ = stage.said()
    answer(0)
    #expect(stage.said() == ["user 1000 at most none", "stop 1"])
    stage.bench.send(.state(":1.7", GeoClueStage.granted))
    #expect(stage.said() == [])
    change(8)
    #expect(stage.said().contains("start 1 best"))
  }

  @Test(
    "GEOCLUE-19: each level below the most exact one is the coarse place, whatever a client asks for",
    arguments: [1, 2, 4, 5, 6, 7])
  mutating func limited(_ level: UInt32) {
    register()
    answer(level)
    stage.begin()
    #expect(stage.said().contains("start 1 reduced"))
    change(8)
    #expect(stage.said() == ["user 1000 not limited", "change 1 best"])
    change(level)
    #expect(stage.said().last == "change 1 reduced")
    stage.set("RequestedAccuracyLevel", .uint32(6))
    #expect(stage.said().last == "change 1 reduced")
  }

  @Test("GEOCLUE-19: what is barred by the app's permission is limited while it has no positions")
  mutating func barredAndLimited() {
    register()
    stage.begin()
    stage.bench.send(.state(":1.7", GeoClueStage.denied))
    _ = stage.said()
    answer(4)
    #expect(stage.said() == ["user 1000 at most city", "change 1 reduced"])
    stage.bench.send(.state(":1.7", GeoClueStage.granted))
    #expect(stage.said().contains("start 1 reduced"))
  }

  @Test("GEOCLUE-19: an agent whose signals were not read is asked once, and none that has gone")
  mutating func unread() {
    register()
    answer(8)
    stage.bench.send(.askAgent(":1.20"))
    stage.bench.send(.askAgent(":1.20"))
    #expect(stage.said() == ["ask :1.20 Get Agent MaxAccuracyLevel"])
    #expect(stage.bench.machine.agent(of: Self.firstCall + 1) == ":1.20")
    answer(0, call: Self.firstCall + 1)
    #expect(stage.said() == ["user 1000 at most none"])
    stage.bench.send(.gone(":1.20"))
    _ = stage.said()
    stage.bench.send(.askAgent(":1.20"))
    #expect(stage.said() == [])
  }

  @Test("GEOCLUE-19: a client that wants the coarse place only notices nothing of a limit")
  mutating func coarse() {
    register()
    stage.begin(4)
    _ = stage.said()
    answer(4)
    #expect(stage.said() == ["user 1000 at most city"])
  }

  @Test("GEOCLUE-19: an agent without the property, or that does not answer, limits nothing")
  mutating func silent() {
    register()
    stage.begin()
    #expect(stage.said().contains("start 1 best"))
    stage.bench.send(
      .reply(Self.firstCall, .error("org.freedesktop.DBus.Error.UnknownProperty")))
    #expect(stage.said() == [])
    // One that has said it, and then fails, has not taken it back.
    change([], invalidated: ["MaxAccuracyLevel"], of: ":1.20")
    answer(0, call: Self.firstCall + 1)
    _ = stage.said()
    change([], invalidated: ["MaxAccuracyLevel", "Other"], of: ":1.20")
    #expect(stage.said() == ["ask :1.20 Get Agent MaxAccuracyLevel"])
    stage.bench.send(.reply(Self.firstCall + 2, .error("org.freedesktop.DBus.Error.NoReply")))
    stage.call("Stop", at: client)
    stage.call("Start", at: client)
    #expect(stage.said().last == "7: " + Self.reason)
  }

  @Test("GEOCLUE-19: other types, other properties, and answers to no call change nothing")
  mutating func malformed() {
    register()
    stage.begin()
    _ = stage.said()
    stage.bench.send(.reply(Self.firstCall, .values([.variant(.string("0"))])))
    stage.bench.send(.reply(Self.firstCall, .values([.variant(.uint32(0))])))
    change(
      [BusEntry(key: .string("MaxAccuracyLevel"), value: .variant(.int32(0)))], of: ":1.20")
    change([BusEntry(key: .string("Other"), value: .variant(.uint32(0)))], of: ":1.20")
    // Nor does a signal of a program that is no agent.
    change(0, of: ":1.7")
    #expect(stage.said() == [])
  }

  @Test("GEOCLUE-19: of several agents the least level counts, so none lifts what another has set")
  mutating func several() {
    register()
    answer(0)
    register(":1.21")
    answer(8, call: Self.firstCall + 1)
    stage.begin()
    #expect(stage.said().last == "6: " + Self.reason)
    // Its level goes soon after it.
    stage.bench.send(.gone(":1.20"))
    stage.bench.run(for: .seconds(10))
    #expect(stage.said().contains("user 1000 not limited"))
    stage.call("Start", at: client)
    #expect(stage.said().contains("start 1 best"))
  }

  @Test("GEOCLUE-19: what an agent has said lasts 10 s after it, in which a shell starts anew")
  mutating func restarted() {
    register()
    stage.begin()
    answer(0)
    stage.bench.send(.gone(":1.20"))
    stage.bench.run(for: .seconds(9))
    _ = stage.said()
    register(":1.21")
    // Another agent does not lift it, nor does the new one's silence.
    #expect(stage.said() == [])
    answer(0, call: Self.firstCall + 1)
    stage.bench.run(for: .seconds(60))
    #expect(stage.said() == [])
    // The last one is gone for good.
    stage.bench.send(.gone(":1.21"))
    _ = stage.said()
    #expect(stage.bench.machine.nextDeadline == stage.bench.now.uptime + .seconds(10))
    stage.bench.run(for: .seconds(10))
    #expect(stage.said().prefix(1) == ["user 1000 not limited"])
    #expect(stage.bench.machine.nextDeadline == nil)
  }

  @Test("GEOCLUE-19, border 24: an agent says nothing of another user's programs")
  mutating func otherUser() {
    register(":1.20", user: 1001)
    answer(0)
    stage.begin()
    #expect(stage.said().contains("start 1 best"))
    change(0)
    #expect(stage.said() == [])
  }

  @Test("GEOCLUE-13: a user has four agents, and there are 64 in all")
  mutating func bounds() {
    for number in 0..<5 { register(":2.\(number)") }
    stage.call("AddAgent", .string("a"), of: ":2.4")
    #expect(stage.said() == ["6: LimitsExceeded user 1000 has 4 agents already"])
    for number in 0..<60 { register(":3.\(number)", user: 2000 + UInt32(number)) }
    stage.call("AddAgent", .string("a"), of: ":2.4")
    register(":4.1", user: 3000)
    stage.call("AddAgent", .string("a"), of: ":4.1")
    #expect(stage.said() == ["69: LimitsExceeded there are 64 agents already"])
  }
}
