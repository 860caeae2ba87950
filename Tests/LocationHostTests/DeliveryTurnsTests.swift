import LocationEngine
import LocationHost
import LocationModel
import LocationService
import Testing

/// In which order the deliveries of one step leave.
@Suite("The apps' turns at a step's deliveries")
struct DeliveryTurnsTests {
  private static let greedy = AppIdentity("greedy")

  /// Two clients of one app, one of another, and one that has gone.
  private static func app(of client: ClientID) -> AppIdentity? {
    switch client {
    case ClientID(1), ClientID(2): greedy
    case ClientID(3): AppIdentity("modest")
    default: nil
    }
  }

  /// A delivery to a loop of a client, the launch of an app, or a change of what is stored.
  private enum Step: Hashable {
    case delivery(UInt64, UInt32)
    case launch
    case storing

    var output: ServiceCore.Output {
      switch self {
      case .delivery(let client, let subscriber):
        .engine(
          .deliver(
            ClientID(client),
            .live(SubscriberID(subscriber), LiveUpdate(fix: nil, stationary: true))))
      case .launch: .engine(.launch(DeliveryTurnsTests.greedy))
      case .storing: .engine(.persist(.remove(StateKey(domain: "log", owner: "greedy"))))
      }
    }

    init?(_ output: ServiceCore.Output) {
      switch output {
      case .engine(.deliver(let client, .live(let subscriber, _))):
        self = .delivery(client.rawValue, subscriber.rawValue)
      case .engine(.launch): self = .launch
      case .engine(.persist): self = .storing
      default: return nil
      }
    }
  }

  private static func order(_ steps: [Step]) -> [Step] {
    DeliveryTurns.order(steps.map(\.output), app: app).outputs.compactMap(Step.init)
  }

  private static func deliveries(to client: UInt64, _ subscribers: Range<UInt32>) -> [Step] {
    subscribers.map { .delivery(client, $0) }
  }

  @Test("border 13: an app with thousands of loops delays another's position by sixteen of its own")
  func thousands() {
    let greedy = Self.deliveries(to: 1, 0..<1000) + Self.deliveries(to: 2, 0..<1000)
    let modest = Self.deliveries(to: 3, 0..<2)
    let expected: [[Step]] = [Array(greedy[..<16]), modest, Array(greedy[16...])]
    #expect(Self.order(greedy + modest) == expected.flatMap(\.self))
  }

  @Test("Two apps with many loops take turns, and those that have gone are one of them")
  func turns() {
    let (first, second) = (Self.deliveries(to: 1, 0..<40), Self.deliveries(to: 3, 0..<40))
    let gone = Self.deliveries(to: 9, 0..<3)
    let expected: [ArraySlice<Step>] = [
      first[..<16], second[..<16], gone[...], first[16..<32], second[16..<32], first[32...],
      second[32...],
    ]
    #expect(Self.order(first + second + gone) == expected.flatMap(\.self))
    let outputs = (first + second + gone).map(\.output)
    #expect(DeliveryTurns.order(outputs, app: Self.app).turns == [35, 67])
  }

  @Test("No delivery passes an output that is none")
  func others() {
    let (first, second) = (Self.deliveries(to: 1, 0..<20), Self.deliveries(to: 3, 0..<20))
    let turns = Self.order(second + first)
    #expect(turns != second + first)
    let expected = [first, [.launch], turns].flatMap(\.self)
    #expect(Self.order(first + [.launch] + second + first) == expected)
  }

  @Test("Deliveries pass changes of what is stored, which are stored before")
  func stored() {
    let (first, second) = (Self.deliveries(to: 1, 0..<20), Self.deliveries(to: 3, 0..<2))
    let expected: [[Step]] = [[.storing], Array(first[..<16]), second, Array(first[16...])]
    #expect(Self.order(first + [.storing] + second) == expected.flatMap(\.self))
  }

  @Test("What one app gets stays as it is", arguments: [0, 1, 16, 17, 100])
  func alone(_ count: UInt32) {
    let steps = Self.deliveries(to: 2, 0..<count)
    #expect(Self.order(steps) == steps)
    let turns = DeliveryTurns.order(steps.map(\.output), app: Self.app).turns
    #expect(turns == Array(stride(from: 16, to: Int(count), by: 16)))
  }
}
