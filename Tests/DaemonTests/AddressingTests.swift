import Foundation
import LocationCoding
import TestSupport
import LocationLink
import LocationModel
import Testing

/// Messages that name a manager or loop of somebody else.
@Suite("A client that names another's subscribers", .serialized)
struct AddressingTests {
  /// Every service with a subscriber of another client; the first is the daemon's first client.
  private static let requests: [Request] = [
    .live(SubscriberID(1), .start(LiveOptions())),
    .updates(SubscriberID(1), .start(UpdateOptions(accuracy: .best))),
    .significantChanges(SubscriberID(1), on: true),
    .region(
      SubscriberID(1),
      .start(
        RegionDescription(
          identifier: "forged", target: .circle(circle), notices: RegionNotices()))),
    .monitor(SubscriberID(1), .open(name: "forged")),
    .monitor(SubscriberID(1), .add(identifier: "forged", .circle(circle), assuming: .satisfied)),
    .monitor(SubscriberID(1), .next(after: EventNumber(rawValue: 1))),
    .session(SubscriberID(1), .open(.whenInUse, purposeKey: nil)),
    .session(SubscriberID(1), .diagnose(stream: SubscriberID(1))),
    .authorization(.observe(SubscriberID(1))),
    .authorization(.temporaryFullAccuracy(purposeKey: "forged", ticket: SubscriberID(1))),
    .end(SubscriberID(1)),
  ]

  private static let circle = Circle(
    center: Coordinate(latitude: 48.5, longitude: 11.5), radius: 200)

  /// The same request with another number wherever the subscriber stands.
  private func forged(_ json: JSON, _ number: Int64) -> JSON {
    guard case .object(let members) = json else { return json }
    return .object(
      members.map { member in
        let isNumber = member.name == "subscriber" || member.name == "stream"
        return JSON.Member(member.name, isNumber ? .integer(number) : forged(member.value, number))
      })
  }

  @Test("border 9: is refused each time, and the other receives nothing but its own")
  func foreignSubscribers() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: DaemonTests.app)
    let victim = try daemon.run(daemon.install("ClassicApp", as: DaemonTests.app, in: "a"), "main")
    defer { victim.end() }
    _ = try await victim.lines.next { $0 == "location 48.5 on main" }
    let caller = try LinkCaller(daemon.socket)
    _ = try caller.call("\(LinkInterface.name).Open", .fields(["version": .integer(2)]), more: true)
    var refused = 0
    for client in 1...3 as ClosedRange<Int64> {
      for request in Self.requests {
        let request = forged(request.json, client << 32 | 1)
        caller.ask("\(LinkInterface.name).Ask", .fields(["request": request]))
        var reply = try caller.reply()
        while reply.continues { reply = try caller.reply() }
        #expect(reply.error == "\(LinkInterface.service).InvalidParameter")
        refused += reply.error == nil ? 0 : 1
      }
    }
    #expect(refused == 3 * Self.requests.count)
    for _ in 0..<3 { _ = try await victim.lines.next { $0 == "location 48.5 on main" } }
  }

  @Test("border 9: the numbers that it refuses are counted in the log when it goes")
  func counted() async throws {
    let daemon = try await DaemonRun()
    try bad(daemon)
    let line = try await daemon.program.lines.next { $0.contains("were not understood") }
    #expect(line.contains("1 requests"))
  }

  private func bad(_ daemon: DaemonRun) throws {
    let caller = try LinkCaller(daemon.socket)
    _ = try caller.call("\(LinkInterface.name).Open", .fields(["version": .integer(2)]), more: true)
    let request = forged(Request.end(SubscriberID(1)).json, 1 << 40)
    caller.ask("\(LinkInterface.name).Ask", .fields(["request": request]))
    _ = try caller.reply()
  }
}
