import Foundation
import HostTesting
import LocationHost
import LocationModel
import MachineTesting
import Synchronization
import Testing

/// A daemon that is killed again and again while a client works.
@Suite("A daemon that crashes", .serialized)
struct CrashTests {
  /// How often the daemon is killed: `MERIDIAN_KILLS`, 1,000 for the soak; else 50.
  static let kills =
    ProcessInfo.processInfo.environment["MERIDIAN_KILLS"].flatMap { Int($0) } ?? 50

  @Test("loses no authorization, condition, or event, and repeats none that was handled")
  func nothingLost() async throws {
    let folder = try TemporaryFolder()
    var daemon = try await DaemonRun(in: folder)
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    try await daemon.answer("always", for: own)
    let client = MonitoringClient(daemon.socket)
    var random = SeededRandom(seed: 50)
    for round in 0..<Self.kills {
      client.add("place-\(round)")
      if round >= MonitoringClient.kept {
        client.remove("place-\(round - MonitoringClient.kept)")
      }
      try await Task.sleep(for: .milliseconds(Int.random(in: 0..<60, using: &random)))
      daemon.kill()
      daemon = try await DaemonRun(in: folder)
      if round % 5 == 4 { try await client.settle() }
    }
    try await client.settle()
    let expected = (max(0, Self.kills - MonitoringClient.kept)..<Self.kills).map { "place-\($0)" }
    #expect(client.identifiers == expected.sorted())
    #expect(client.status == .always)
    // Every place that was there long enough was entered once.
    #expect(client.handled.filter { $0.value > 1 }.isEmpty)
    for identifier in expected { try await client.event(of: identifier) }
    #expect(client.handled.filter { $0.value > 1 }.isEmpty)
    daemon.program.terminate()
  }
}

/// Monitors places around the position of the source, over the link that every app uses, and
/// handles each event as soon as it comes.
private final class MonitoringClient: Sendable {
  /// How many places are monitored at a time; fewer than an app may.
  static let kept = 10
  private static let subscriber = SubscriberID(7)

  private struct State {
    var id: ClientID?
    var requests = 0
    var answered = 0
    var identifiers: [String] = []
    var status = AuthorizationStatus.notDetermined
    /// How often the entry of each place was handled.
    var handled: [String: Int] = [:]
  }

  private let link: SocketLink
  private let state: Box
  private let news = Events<Void>()

  private final class Box: Sendable {
    let value = Mutex(State())
  }

  init(_ socket: String) {
    let (state, news) = (Box(), news)
    let link = SocketLink(at: socket)
    self.link = link
    self.state = state
    let description = ClientDescription(app: AppIdentity("unsaid"), manifest: Manifest())
    let (id, readable) = link.connect(description) { [weak link] delivery in
      Self.take(delivery, into: state, over: link)
      news.add(())
    }
    state.value.withLock {
      $0.id = id
      $0.status = readable.authorization.status
    }
    send(.open(name: "places"))
    send(.next)
  }

  private static func take(_ delivery: Delivery, into state: Box, over link: SocketLink?) {
    let client: ClientID? = state.value.withLock { state in
      switch delivery {
      case .state(let readable): state.status = readable.authorization.status
      case .monitor(_, .records(let answered, let records)):
        state.answered = answered
        state.identifiers = records.map(\.identifier).sorted()
      case .monitor(_, .event(let event)):
        if event.state == .satisfied { state.handled[event.identifier, default: 0] += 1 }
        state.requests += 1
        return state.id
      default: break
      }
      return nil
    }
    if let client { link?.send(.monitor(subscriber, .next), from: client) }
  }

  private func send(_ request: MonitorRequest) {
    let id = state.value.withLock { state in
      state.requests += 1
      return state.id
    }
    if let id { link.send(.monitor(Self.subscriber, request), from: id) }
  }

  func add(_ identifier: String) {
    let here = Circle(center: Coordinate(latitude: 48.5, longitude: 11.5), radius: 500)
    send(.add(identifier: identifier, .circle(here), assuming: .unknown))
  }

  func remove(_ identifier: String) { send(.remove(identifier: identifier)) }

  /// Waits until everything that was asked is carried out.
  func settle() async throws {
    try await wait { $0.answered >= $0.requests }
  }

  func event(of identifier: String) async throws {
    try await wait { $0.handled[identifier] != nil }
  }

  private func wait(_ isDone: @escaping @Sendable (State) -> Bool) async throws {
    let state = state
    guard !state.value.withLock({ isDone($0) }) else { return }
    do {
      _ = try await news.next(where: { state.value.withLock { isDone($0) } })
    } catch is NotInTime {
      throw Stuck(state: state.value.withLock { "\($0)" })
    }
  }

  /// The daemon is there and does not answer.
  struct Stuck: Error {
    var state: String
  }

  var identifiers: [String] { state.value.withLock { $0.identifiers } }
  var status: AuthorizationStatus { state.value.withLock { $0.status } }
  var handled: [String: Int] { state.value.withLock { $0.handled } }
}
