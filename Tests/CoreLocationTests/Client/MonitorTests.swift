import CoreLocation
import LocationModel
import Testing

@Suite("A monitor")
struct MonitorTests {
  private let link = ScriptedLink()
  private static let itself = SubscriberID(1)

  private func open() async -> CLMonitor {
    link.reply([Self.records(after: 1)])
    let description = ClientDescription(app: AppIdentity("test"), manifest: Manifest())
    let client = LocationClient(description, over: link)
    return await LocationClient.$bound.withValue(client) { await CLMonitor("places") }
  }

  private static func records(after requests: Int, _ identifiers: String...) -> Delivery {
    let records = identifiers.map { identifier in
      let event = ConditionEvent(
        identifier: identifier, state: .unknown, date: UnixTime(seconds: 1_700_000_000))
      return NamedRecord(
        identifier: identifier, record: ConditionRecord(target: home, lastEvent: event))
    }
    return .monitor(itself, .records(after: requests, records))
  }

  private static func event(_ identifier: String, at seconds: Double) -> Delivery {
    let event = ConditionEvent(
      identifier: identifier, state: .satisfied, date: UnixTime(seconds: seconds))
    return .monitor(itself, .event(EventNumber(rawValue: Int64(seconds)), event))
  }

  private static let home = ConditionTarget.circle(
    Circle(center: Coordinate(latitude: 1, longitude: 2), radius: 100))

  @Test("MON-4: with dots or dashes in its name ends the process, and says the name and the rule")
  func name() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = await CLMonitor("com.example-app.places")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("\"com.example-app.places\" is not valid, as it has \".\""))
    #expect(text.contains("letters A to Z, digits, and underscores between them"))
  }

  @Test("MON-23, MON-37a: an event for a loop that was left reaches the next one once, anew")
  func leftWhileUnderWay() async throws {
    let monitor = await open()
    await monitor.add(circle, identifier: "home")
    let left = Task { for try await _ in await monitor.events {} }
    left.cancel()
    _ = await left.result
    // Sent before the service learned that the loop was left, it comes after.
    link.deliver(Self.records(after: 3, "home"))
    link.deliver(Self.event("home", at: 10))
    link.deliver(Self.records(after: 4, "home"))
    link.reply([Self.event("home", at: 20)], [Self.event("home", at: 30)])
    var dates: [Date] = []
    for try await event in await monitor.events {
      dates.append(event.date)
      if dates.count == 2 { break }
    }
    #expect(dates.map(\.timeIntervalSince1970) == [20, 30])
  }

  @Test("MON-14: an event of a condition removed meanwhile is not delivered, and the loop goes on")
  func removedWhileUnderWay() async throws {
    let monitor = await open()
    await monitor.add(circle, identifier: "home")
    await monitor.add(circle, identifier: "work")
    await monitor.remove("home")
    link.reply([Self.event("home", at: 10)], [Self.event("work", at: 20)])
    for try await event in await monitor.events {
      #expect(event.identifier == "work")
      break
    }
    #expect(link.requests.suffix(3).map(\.isNext) == [true, true, false])
  }

  @Test("MON-9, MON-20: a condition of no known kind has its record, too")
  func unknownKind() async throws {
    let monitor = await open()
    await monitor.add(Odd(number: 1), identifier: "odd")
    await monitor.add(Odd(number: 2), identifier: "odd")
    let record = try #require(await monitor.record(for: "odd"))
    #expect(record.condition as? Odd == Odd(number: 2))
    #expect(record.lastEvent.state == .unknown)
    await monitor.remove("odd")
    #expect(await monitor.record(for: "odd") == nil)
  }

  private let circle = CLMonitor.CircularGeographicCondition(
    center: CLLocationCoordinate2D(latitude: 1, longitude: 2), radius: 100)
}

private struct Odd: CLCondition, Equatable {
  var number: Int
}

extension Request {
  fileprivate var isNext: Bool {
    if case .monitor(_, .next) = self { true } else { false }
  }
}
