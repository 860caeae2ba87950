import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("GeoClue's clients and permission")
struct GeoClueAuthorizationTests {
  private var stage = GeoClueStage()
  private let client = GeoClueStage.client(1)

  private mutating func start() {
    stage.open()
    stage.set("DesktopId", .string("maps"))
    _ = stage.said()
    stage.call("Start", at: client)
  }

  /// Starts, and is asked about; nobody has answered yet.
  private mutating func startAsking() {
    start()
    stage.bench.send(.state(":1.7", GeoClueStage.undecided))
    stage.bench.send(.asked(":1.7", GeoClueStage.asking))
  }

  @Test("GEOCLUE-6: starting asks as an app that wants locations while in use, and waits")
  mutating func asked() {
    start()
    stage.bench.send(.state(":1.7", GeoClueStage.undecided))
    // Another change of the state says nothing of the request, which is not handled yet.
    stage.bench.send(.state(":1.7", GeoClueStage.undecided))
    stage.bench.send(.asked(":1.7", GeoClueStage.asking))
    #expect(stage.said() == ["join :1.7 as maps", "request whenInUse for 1"])
    stage.bench.run(for: .seconds(10))
    stage.bench.send(.state(":1.7", GeoClueStage.granted))
    #expect(
      stage.said() == [
        "3: done", ":1.7 hears PropertiesChanged Client {Active:true} ", "start 1 reduced",
        "all hears PropertiesChanged Manager {InUse:true} ",
      ])
  }

  @Test("GEOCLUE-6: a refusal, and services that are off, are answered at once")
  mutating func refused() {
    start()
    stage.bench.send(.state(":1.7", GeoClueStage.denied))
    #expect(
      stage.said() == [
        "join :1.7 as maps",
        "3: AccessDenied Access denied: this program may not know the location; sudo "
          + "locationctl apps shows what was decided",
      ])
    stage.bench.send(.state(":1.7", ClientState(servicesEnabled: false)))
    stage.call("Start", at: client)
    #expect(
      stage.said() == [
        "4: AccessDenied Access denied: location services are off; on again with: sudo "
          + "locationctl services on"
      ])
    #expect(stage.bench.machine.nextDeadline == nil)
  }

  @Test("GEOCLUE-6: where nobody can be asked, the answer names the command that decides")
  mutating func nobody() {
    start()
    stage.bench.send(.state(":1.7", GeoClueStage.undecided))
    stage.bench.send(.asked(":1.7", GeoClueStage.undecided))
    #expect(stage.said().last?.hasSuffix("decide with sudo locationctl authorize") == true)
    // The same where it turns out later.
    stage.call("Start", at: client)
    stage.bench.send(.unasked(":1.7"))
    #expect(stage.said().last?.hasSuffix("decide with sudo locationctl authorize") == true)
    stage.bench.send(.unasked(":1.7"))
    #expect(stage.said() == [])
  }

  @Test("GEOCLUE-6: an agent that never answers holds nobody for more than 20 seconds")
  mutating func silent() {
    startAsking()
    stage.bench.run(for: .seconds(19))
    #expect(stage.said() == ["join :1.7 as maps", "request whenInUse for 1"])
    stage.bench.run(for: .seconds(1))
    #expect(
      stage.said() == [
        "3: done", ":1.7 hears PropertiesChanged Client {Active:true} ", "start 1 reduced",
      ])
    // The answer still counts.
    stage.bench.send(.state(":1.7", GeoClueStage.denied))
    #expect(stage.said() == [":1.7 hears PropertiesChanged Client {Active:false} "])
  }

  @Test("GEOCLUE-15: nothing is in use while the question of the only client is open")
  mutating func undecided() {
    startAsking()
    stage.bench.run(for: .seconds(20))
    #expect(!stage.bench.machine.isInUse)
    _ = stage.said()
    stage.bench.send(.state(":1.7", GeoClueStage.granted))
    #expect(stage.said() == ["all hears PropertiesChanged Manager {InUse:true} "])
    stage.bench.send(.state(":1.7", GeoClueStage.undecided))
    #expect(stage.said() == ["all hears PropertiesChanged Manager {InUse:false} "])
  }

  @Test("GEOCLUE-6: an app that the engine does not take is refused, and may start again")
  mutating func noRoom() {
    start()
    stage.bench.send(.refused(":1.7", reason: "user 1000 has 1024 apps already"))
    stage.call("Start", at: client)
    #expect(
      stage.said() == [
        "join :1.7 as maps", "3: AccessDenied Access denied: user 1000 has 1024 apps already",
        "join :1.7 as maps",
      ])
  }

  @Test("GEOCLUE-11: a client whose app may no longer know is not active until it may again")
  mutating func withdrawn() {
    stage.begin()
    stage.fix(fix())
    _ = stage.said()
    stage.bench.send(.state(":1.7", GeoClueStage.denied))
    stage.fix(fix(north: 100, seconds: 1))
    stage.bench.send(.state(":1.7", GeoClueStage.undecided))
    #expect(
      stage.said() == [
        ":1.7 hears PropertiesChanged Client {Active:false} ",
        "all hears PropertiesChanged Manager {InUse:false} ",
      ])
    stage.bench.send(.state(":1.7", GeoClueStage.granted))
    stage.fix(fix(north: 200, seconds: 2))
    #expect(
      stage.said() == [
        ":1.7 hears PropertiesChanged Client {Active:true} ", "start 1 best",
        "all hears PropertiesChanged Manager {InUse:true} ",
        ":1.7 hears LocationUpdated /Client/1/Location/0 /Client/1/Location/1",
        ":1.7 hears PropertiesChanged Client {Location:/Client/1/Location/1} ",
      ])
  }

  @Test("GEOCLUE-5: a start that waits fails when its client is stopped")
  mutating func stopped() {
    start()
    stage.call("Stop", at: client)
    stage.bench.send(.state(":1.7", GeoClueStage.granted))
    #expect(stage.said() == ["join :1.7 as maps", "3: Failed it was stopped", "4: done"])
  }

  @Test("GEOCLUE-12: a connection that goes takes its clients and its waiting calls with it")
  mutating func gone() {
    stage.begin()
    stage.call("CreateClient")
    stage.open(":1.8")
    _ = stage.said()
    stage.bench.send(.gone(":1.7"))
    #expect(
      stage.said() == [
        ":1.7 has -2", "forget :1.7", "all hears PropertiesChanged Manager {InUse:false} ",
      ])
    #expect(stage.bench.machine.names == [":1.8"])
    #expect(stage.bench.machine.clientCount == 1)
    #expect(stage.bench.machine.nextDeadline == nil)
    // What comes late is for nobody.
    stage.fix(fix())
    stage.bench.send(.state(":1.7", GeoClueStage.granted))
    stage.bench.send(.known(":1.7", user: 0))
    #expect(stage.said() == [])
  }

  @Test("GEOCLUE-12: the engine hears no more of a connection without clients")
  mutating func lastClient() {
    stage.begin()
    stage.call("CreateClient")
    _ = stage.said()
    stage.call("DeleteClient", .objectPath(GeoClueStage.client(2)))
    stage.call("DeleteClient", .objectPath(client))
    #expect(
      stage.said() == [
        "end 2", ":1.7 has -1", "6: done", "stop 1",
        ":1.7 hears PropertiesChanged Client {Active:false} ", "end 1", ":1.7 has -1",
        "leave :1.7", "7: done", "all hears PropertiesChanged Manager {InUse:false} ",
      ])
  }

  @Test(
    "GEOCLUE-13: connections, clients, and waiting calls have bounds, and others keep their room")
  mutating func bounds() {
    for number in 0..<10_000 { stage.open(":1.\(number)", user: 1000) }
    #expect(stage.bench.machine.names.count == GeoClueService.mostCallersPerUser)
    stage.open(":2.1", user: 1001)
    #expect(stage.said().last == "10001: /Client/\(GeoClueService.mostCallersPerUser + 1)")
    for _ in 0..<10_000 { stage.call("CreateClient", of: ":2.1") }
    #expect(stage.said().last == "20001: LimitsExceeded this program has 64 clients already")
    #expect(stage.bench.machine.clientCount == GeoClueService.mostCallersPerUser + 64)
    for _ in 0..<100 { stage.call("CreateClient", of: ":3.1") }
    #expect(stage.said().last == "20101: LimitsExceeded 8 calls of it wait already")
  }

  @Test("GEOCLUE-13: calls of Start that wait have a bound for a client and for a user")
  mutating func waitingStarts() {
    var calls = 0
    for connection in 0..<3 {
      let name = ":1.\(connection)"
      stage.open(name, user: 65534)
      for _ in 1..<64 { stage.call("CreateClient", of: name) }
      for number in (connection * 64 + 1)...(connection * 64 + 64) {
        let path = GeoClueStage.client(number)
        stage.set("DesktopId", .string("maps"), at: path, of: name)
        for _ in 0..<32 { stage.call("Start", at: path, of: name) }
      }
      calls += 64 * 34
    }
    let answered = stage.bench.outputs.count {
      if case .answer = $0.output { true } else { false }
    }
    #expect(calls - answered == 256)
    #expect(
      stage.said().last == "\(calls): LimitsExceeded 256 calls of Start of its user wait already")
    stage.call("Start", at: GeoClueStage.client(1), of: ":1.0")
    #expect(
      stage.said()
        == ["\(calls + 1): LimitsExceeded 4 calls of Start of this client wait already"])
    // Another user is served as before.
    stage.open(":2.1", user: 0)
    stage.set("DesktopId", .string("maps"), at: GeoClueStage.client(193), of: ":2.1")
    stage.call("Start", at: GeoClueStage.client(193), of: ":2.1")
    #expect(stage.said().last == "join :2.1 as maps")
  }

  @Test("GEOCLUE-13: there is a bound for all, identified or not")
  mutating func boundOfAll() {
    for number in 0..<10_000 { stage.call("GetClient", of: ":1.\(number)") }
    #expect(stage.bench.machine.names.count == GeoClueService.mostCallers)
    #expect(stage.said().last == "10000: LimitsExceeded 400 programs are served already")
  }
}
