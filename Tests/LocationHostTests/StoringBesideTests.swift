import Dispatch
import LocationEngine
import LocationModel
import LocationProviders
import LocationService
import Synchronization
import TestSupport
import Testing

@testable import LocationHost

/// Changes for which the queue does not wait.
@Suite("What is stored beside the queue", .serialized)
struct StoringBesideTests {
  private let folder: TemporaryFolder
  private var state: StateFolder { StateFolder(path: folder.file("state")) }
  private static let failure = LogSync(path: "/nonexistent/log").run()

  init() throws {
    folder = try TemporaryFolder()
    try StateFolder(path: folder.file("state")).create()
  }

  private static func change(of app: String, _ value: UInt8 = 1) -> ServiceCore.Output {
    .engine(.persist(.set(StateKey(domain: "event", owner: app, name: "1"), [value])))
  }

  @Test("border 13: is behind for its app alone until the disk has it, with all before it")
  func behind() throws {
    let keeper = StateKeeper(folder: state)
    keeper.commit([Self.change(of: "a")], waits: false)
    #expect(keeper.isBehind("a") && !keeper.isBehind("b"))
    // Another process that opens the file has it.
    let found = try StateStore(path: state.file).entries()
    #expect(found.map(\.key.owner) == ["a"])
    let (log, step) = try #require(keeper.sync())
    keeper.commit([Self.change(of: "b")], waits: false)
    #expect(log.run() == nil)
    keeper.endSync(upTo: step, nil)
    #expect(!keeper.isBehind("a") && keeper.isBehind("b"))
    // One for which the queue waits says nothing of those before it.
    keeper.commit([Self.change(of: "c")])
    #expect(keeper.isBehind("b") && !keeper.isBehind("c") && keeper.steps.synced == 1)
    #expect(keeper.save() && keeper.isBehind("b"))
    #expect(keeper.syncNow() && !keeper.isBehind && keeper.steps.synced == 3)
    // A thread that began before ends later.
    keeper.commit([Self.change(of: "d")], waits: false)
    keeper.endSync(upTo: step, nil)
    #expect(keeper.isBehind("d"))
    // Nothing waits for the disk once all is erased.
    _ = try keeper.erase(nil)
    #expect(!keeper.isBehind && keeper.sync() == nil && keeper.save())
  }

  @Test("border 13: is on the disk at once where the guard keeps it, too")
  func guarded() {
    let keeper = StateKeeper(folder: state)
    keeper.commit([.engine(.persist(Setting.servicesChange(true)))], waits: false)
    #expect(!keeper.isBehind)
  }

  @Test("border 17: is stored once more where the disk does not take it")
  func failing() throws {
    let keeper = StateKeeper(folder: state)
    keeper.commit([Self.change(of: "a")], waits: false)
    let step = try #require(keeper.sync()?.step)
    let failure = try #require(Self.failure)
    keeper.endSync(upTo: step, failure)
    #expect(keeper.fault == failure && keeper.isBehind("a") && keeper.unsavedCount == 1)
    #expect(keeper.sync() == nil)
    // What another thread says later of an earlier step is not of those that are stored again.
    keeper.endSync(upTo: step, nil)
    #expect(keeper.isBehind("a") && keeper.steps.synced == 0)
    keeper.commit([Self.change(of: "a", 2)], waits: false)
    #expect(keeper.isBehind("a") && keeper.unsavedCount == 2)
    #expect(keeper.save() && !keeper.isBehind && keeper.fault == nil)
    #expect(keeper.stored.map(\.value) == [[2]])
  }

  @Test("border 17: what waits for a step leaves after it, and not after a later one")
  func order() {
    var held = HeldOutputs()
    let delivery = { ServiceCore.Output.engine(.deliver($0, .authorizationChanged(nil))) }
    let isRoom = (1...3).allSatisfy { held.add(delivery(ClientID(UInt64($0))), after: $0) }
    #expect(isRoom)
    #expect(held.popFirst(storedUpTo: 0) == nil)
    #expect(held.popFirst(storedUpTo: 2) != nil && held.popFirst(storedUpTo: 2) != nil)
    #expect(held.popFirst(storedUpTo: 2) == nil && held.count == 1)
    #expect(held.popFirst(storedUpTo: 3) != nil && held.isEmpty)
  }

  @Test("border 13: holds back what depends on it, and nothing of another app")
  func host() async throws {
    let host = LocationHost(
      sources: [.nmeaSerial(path: "/dev/none", baud: 9600)], keeper: StateKeeper(folder: state))
    let apps = ["a", "b"].map { AppIdentity($0) }
    let received = Mutex<[AppIdentity]>([])
    let arrivals = Events<AppIdentity>()
    let clients = apps.map { app in
      let description = ClientDescription(app: app, manifest: HostClient.manifest)
      return host.connect(description) { delivery in
        guard case .region(_, _, .started) = delivery else { return }
        received.withLock { $0.append(app) }
        arrivals.add(app)
      }.0
    }
    for app in apps { host.pass(.setting(.authorization(app, .always))) }
    let circle = Circle(center: Coordinate(latitude: 1, longitude: 5), radius: 100)
    let region = RegionDescription(
      identifier: "home", target: .circle(circle), notices: RegionNotices())
    let start = Request.region(SubscriberID(1), .start(region))
    let (step, isNone, isOther) = host.queue.sync {
      host.onQueue { host in
        let step = host.takeBeside(start, from: clients[0])
        let isNone = received.withLock { $0.isEmpty }
        host.take(start, from: clients[1])
        return (step, isNone, received.withLock { $0 == [apps[1]] })
      }
    }
    #expect(step != nil && isNone)
    #expect(isOther)
    let first = try await arrivals.next()
    let second = try await arrivals.next()
    #expect([first, second] == [apps[1], apps[0]])
    #expect(host.settleStore())
  }
}
