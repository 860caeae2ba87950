import Foundation
import LocationCoding
import TestSupport
import LocationHost
import LocationLink
import LocationModel
import Synchronization
import Testing

/// A daemon that is killed again and again while a client works and the device travels.
@Suite("A daemon that crashes", .serialized)
struct CrashTests {
  /// How often the daemon is killed: `MERIDIAN_KILLS`, 1,000 for the soak; else 50.
  static let kills =
    ProcessInfo.processInfo.environment["MERIDIAN_KILLS"].flatMap { Int($0) } ?? 50

  @Test(
    "loses no condition, record, region, event, visit, or authorization, and repeats none handled")
  func nothingLost() async throws {
    let folder = try TemporaryFolder()
    let commuter = Commuter(log: folder.file("receiver.log"))
    try commuter.travel(lap: 0)
    var daemon = try await DaemonRun(sources: [commuter.source], in: folder)
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    try await daemon.answer("always", for: own)
    let client = LoggingClient(daemon.socket)
    let owner = Owner(daemon.socket)
    var random = SeededRandom(seed: 50)
    for round in 0..<Self.kills {
      client.turn(round)
      try owner.authorize(round)
      try await Task.sleep(for: .milliseconds(Int.random(in: 0..<60, using: &random)))
      daemon.kill()
      try commuter.travel(lap: round + 1)
      daemon = try await DaemonRun(sources: [commuter.source], in: folder)
      if round % 5 == 4 { try await client.settle() }
    }
    daemon.kill()
    daemon = try await DaemonRun(in: folder)
    try await client.settle()
    for place in client.places { try await client.entry(of: place) }
    let log = client.log
    #expect(log.faults.isEmpty, "\(log.faults.joined(separator: "\n"))")
    #expect(log.places == client.places)
    #expect(log.regions == client.regions)
    #expect(log.status == .always)
    #expect(try owner.answers() == owner.delivered)
    // So many that the kills fell among them.
    #expect(log.crossings > Self.kills / 5 && log.visits > Self.kills / 10)
    print("kills \(Self.kills), crossings \(log.crossings), visits \(log.visits)")
    daemon.program.terminate()
  }
}

/// Watches places, regions, and visits over the link that every app uses, and takes each event as
/// soon as it comes.
private final class LoggingClient: Sendable {
  private static let subscriber = SubscriberID(7)
  private static let manager = SubscriberID(8)
  /// How many places, and regions beside the two that are crossed, there are at a time.
  private static let kept = 6

  private struct State: Sendable {
    var log = BoundedLog()
    var id: ClientID?
    /// What was asked of the monitor, and how far it was answered.
    var requests = 0
    var answered = 0
    var records: [NamedRecord] = []
    /// What there must be when everything is carried out.
    var places: [String] = []
    var regions = ["home", "work"]
  }

  private final class Box: Sendable {
    let value = Mutex(State())
  }

  private let link: SocketLink
  private let box = Box()
  private let arrivals = Events<Void>()

  init(_ socket: String) {
    let (box, arrivals) = (box, arrivals)
    link = SocketLink(at: socket)
    let (id, readable) = link.connect(
      ClientDescription(app: AppIdentity("unsaid"), manifest: Manifest())
    ) { [weak link] delivery in
      if let (request, id) = Self.take(delivery, box) { link?.send(request, from: id) }
      arrivals.add(())
    }
    box.value.withLock {
      $0.id = id
      $0.log.status = readable.authorization.status
    }
    watch("home", at: Commuter.home, radius: 200)
    watch("work", at: Commuter.work, radius: 200)
    ask(.visits(on: true))
    ask(.open(name: "places"))
    ask(.next(after: .none))
  }

  /// Writes the delivery down; returns what says that the client is done with it.
  private static func take(_ delivery: Delivery, _ box: Box) -> (Request, ClientID)? {
    box.value.withLock { state in
      guard let id = state.id else { return nil }
      switch delivery {
      case .state(let readable): state.log.status = readable.authorization.status
      case .regions(let regions): state.log.regions = regions.map(\.identifier).sorted()
      case .monitor(_, .records(let answered, _)), .monitor(_, .changed(let answered, _, _)):
        state.answered = answered
        guard case .monitor(_, let delivery) = delivery else { break }
        state.records.apply(delivery)
        state.log.places = state.records.map(\.identifier).sorted()
      case .monitor(_, .event(let number, let event)):
        state.log.take(event)
        state.requests += 1
        return (.monitor(subscriber, .next(after: number)), id)
      case .pending(let number, let event):
        state.log.take(number, event)
        return (.acknowledge(number), id)
      default: break
      }
      return nil
    }
  }

  /// A new place and a new region; old ones are let go.
  func turn(_ round: Int) {
    let all = Circle(center: Commuter.home, radius: 50_000)
    ask(.add(identifier: "place-\(round)", .circle(all), assuming: .unknown))
    watch("region-\(round)", at: Commuter.home.moved(by: 90_000, towards: 0), radius: 100)
    if round >= Self.kept {
      ask(.remove(identifier: "place-\(round - Self.kept)"))
      ask(.region(Self.manager, .stop(identifier: "region-\(round - Self.kept)")))
    }
    let numbers = max(0, round + 1 - Self.kept)...round
    box.value.withLock {
      $0.places = numbers.map { "place-\($0)" }.sorted()
      $0.regions = (["home", "work"] + numbers.map { "region-\($0)" }).sorted()
    }
  }

  private func watch(_ identifier: String, at center: Coordinate, radius: Double) {
    let region = RegionDescription(
      identifier: identifier, target: .circle(Circle(center: center, radius: radius)),
      notices: RegionNotices())
    ask(.region(Self.manager, .start(region)))
  }

  private func ask(_ request: MonitorRequest) {
    box.value.withLock { $0.requests += 1 }
    ask(.monitor(Self.subscriber, request))
  }

  private func ask(_ request: Request) {
    if let id = box.value.withLock({ $0.id }) { link.send(request, from: id) }
  }

  /// Waits until everything that was asked is carried out.
  func settle() async throws {
    try await wait { $0.answered >= $0.requests && $0.log.regions == $0.regions }
  }

  /// Waits until the entry of a place was handled.
  func entry(of place: String) async throws {
    try await wait { $0.log.hasEntered(place) }
  }

  private func wait(_ isDone: @escaping @Sendable (State) -> Bool) async throws {
    let box = box
    guard !box.value.withLock({ isDone($0) }) else { return }
    do {
      _ = try await arrivals.next(where: { box.value.withLock { isDone($0) } })
    } catch is NotInTime {
      throw Stuck(state: box.value.withLock { "\($0)" })
    }
  }

  /// The daemon is there and does not answer.
  struct Stuck: Error {
    var state: String
  }

  var log: BoundedLog { box.value.withLock { $0.log } }
  var places: [String] { box.value.withLock { $0.places } }
  var regions: [String] { box.value.withLock { $0.regions } }
}

/// The owner of the daemon, who answers for ten apps.
private final class Owner {
  private let socket: String
  /// What was authorized, as the daemon has confirmed it.
  private(set) var delivered: [String: String] = [:]

  init(_ socket: String) { self.socket = socket }

  func authorize(_ round: Int) throws {
    let app = "net.example.\(round % 10)"
    let level = ["always", "whenInUse", "never"][round / 10 % 3]
    try call("Authorize", .fields(["app": app.json, "level": level.json]))
    delivered[app] = level
  }

  /// What the daemon knows of these apps.
  func answers() throws -> [String: String] {
    let apps: [AppStatus] = try call("ListApps", .object([])).get("apps")
    return apps.filter { delivered[$0.app] != nil }.reduce(into: [:]) { $0[$1.app] = $1.level }
  }

  @discardableResult
  private func call(_ method: String, _ parameters: JSON) throws -> JSON {
    let reply = try LinkCaller(socket)
      .call("\(AdministrationInterface.name).\(method)", parameters)
    #expect(reply.error == nil)
    return reply.parameters
  }
}
