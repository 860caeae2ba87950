import LocationCoding
import LocationLink
import LocationModel
import Testing

@testable import locationctl

@Suite("What a page of the console knows of the daemon")
struct LiveStateTests {
  private static func status(at seconds: Int) -> DaemonStatus {
    var status = DaemonStatus(pid: 7, since: UnixTime(milliseconds: 0), state: "")
    status.lastFix = LastFix(
      time: UnixTime(milliseconds: Int64(seconds) * 1000), accuracy: 5,
      place: Coordinate(latitude: 48, longitude: 11))
    return status
  }

  private static func count(_ json: JSON, _ name: String) -> Int {
    guard case .array(let list)? = json[name] else { return -1 }
    return list.count
  }

  @Test("CONSOLE-8: is sent once, and then what has changed")
  func news() throws {
    var state = LiveState(of: 0)
    state.set(Self.status(at: 1))
    state.set(.apps, .array([]))
    let whole = state.news(after: 0, for: 0)
    #expect(whole["status"] != nil && whole["apps"] != nil && whole["whole"] == .bool(true))
    #expect(Self.count(whole, "trail") == 1)
    let version = state.version
    state.set(Self.status(at: 1))
    state.set(.apps, .array([]))
    #expect(state.version == version, "nothing is new")
    state.set(Self.status(at: 2))
    let news = state.news(after: version, for: 0)
    #expect(news["status"] != nil && news["apps"] == nil && news["whole"] == .bool(false))
    #expect(Self.count(news, "trail") == 1)
    #expect(Self.count(state.news(after: 0, for: 0), "trail") == 2)
  }

  private static func event(_ number: Int) -> EventRecord {
    EventRecord(
      number: number, app: AppIdentity("a.b"),
      event: DeliveredEvent(.visit, nil, "arrived", since: UnixTime(milliseconds: 0)),
      delivered: UnixTime(milliseconds: 0))
  }

  private static func access(_ app: String, _ count: Int) -> AccessRecord {
    AccessRecord(
      app: app, service: "live", first: UnixTime(milliseconds: 0),
      last: UnixTime(milliseconds: Int64(count)), count: count)
  }

  @Test("CONSOLE-8: joins new events and accesses to those that it knows, of one daemon")
  func joins() {
    var state = LiveState(of: 0)
    let now = UnixTime(milliseconds: 5)
    var change = StatusChange()
    (change.events, change.access) = ([Self.event(1)], [Self.access("a", 1), Self.access("b", 1)])
    state.take(change, isWhole: true, at: now)
    (change.events, change.access) = ([Self.event(2)], [Self.access("a", 2)])
    state.take(change, isWhole: false, at: now)
    let whole = state.news(after: 0, for: 0)
    #expect(Self.count(whole, "events") == 2 && Self.count(whole, "access") == 2)
    let version = state.version
    state.take(StatusChange(), isWhole: false, at: now)
    #expect(state.version == version, "nothing is new")
    (change.events, change.access) = ([Self.event(1)], [])
    state.take(change, isWhole: true, at: now)
    #expect(Self.count(state.news(after: 0, for: 0), "events") == 1)
    #expect(Self.count(state.news(after: 0, for: 0), "access") == 0)
  }

  @Test("CONSOLE-8: of another console everything is sent")
  func another() {
    var state = LiveState(of: 0)
    state.set(Self.status(at: 1))
    #expect(state.news(after: 1_000_000, for: 0)["whole"] == .bool(true))
  }

  @Test("CONSOLE-8: forgets the daemon that has gone, and says why")
  func gone() {
    var state = LiveState(of: 0)
    state.set(Self.status(at: 1))
    let version = state.version
    let now = UnixTime(milliseconds: 0)
    state.leave(Failure.refused("it has gone", next: "start it").json, at: now)
    let news = state.news(after: version, for: 0)
    #expect(news["daemon"]?["problem"] == .string("it has gone"))
    #expect(news["daemon"]?["next"] == .string("start it"))
    #expect(state.news(after: 0, for: 0)["status"] == nil)
  }

  @Test("CONSOLE-8: keeps an hour of fixes and 500 lines of the log, and no more")
  func bounds() {
    var state = LiveState(of: 0)
    for second in 1...10_000 { state.set(Self.status(at: second)) }
    for _ in 1...2000 {
      state.add(LogRecord(.service, "a line", at: UnixTime(milliseconds: 0)))
    }
    let whole = state.news(after: 0, for: 0)
    #expect((3000...3600).contains(Self.count(whole, "trail")))
    #expect((400...500).contains(Self.count(whole, "log")))
  }

  @Test("CONSOLE-12: keeps 8,000 changes, and the newest of a lane that has not changed for long")
  func lanes() {
    var state = LiveState(of: 0)
    let now = UnixTime(milliseconds: 0)
    var change = StatusChange()
    change.apps = [AppStatus(app: "a.b", level: "always", isPrecise: true)]
    state.take(change, isWhole: true, at: now)
    for number in 1...20_000 {
      var change = StatusChange()
      change.conditions = [
        ConditionStatus(
          app: "a.b", monitor: "m", identifier: "home", kind: "circle",
          state: number.isMultiple(of: 2) ? "satisfied" : "unsatisfied", date: now)
      ]
      state.take(change, isWhole: false, at: now)
    }
    func count(_ kind: String, _ value: String) -> Int {
      guard case .array(let marks)? = state.news(after: 0, for: 0)["marks"] else { return -1 }
      return marks.count { $0["kind"] == kind.json && $0["value"] == value.json }
    }
    #expect((7000...8000).contains(Self.count(state.news(after: 0, for: 0), "marks")))
    #expect(count("permission", "always") == 1)
    #expect(count("belief", "") == 0)
    state.leave(Failure.refused("it has gone", next: "start it").json, at: now)
    #expect(count("permission", "") == 1 && count("belief", "") == 1, "nothing holds any longer")
  }

  @Test("CONSOLE-8: the key of a service is not shown")
  func keys() {
    var status = Self.status(at: 1)
    status.sources = [
      SourceStatus(
        url: "ichnaea:https://service.example?key=secret", status: "working", reason: nil, fixes: 0,
        rejected: 0)
    ]
    let shown = LiveFeed.shown(status).sources[0].url
    #expect(shown.contains("service.example") && !shown.contains("secret"))
  }
}
