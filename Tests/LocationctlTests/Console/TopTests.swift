import LocationLink
import LocationModel
import Testing

@testable import locationctl

@Suite("locationctl top")
struct TopTests {
  private static let now = UnixTime(milliseconds: 1_767_254_400_000)

  private static func view(places: Bool = false) -> TopView {
    var status = DaemonStatus(pid: 7, since: now, state: "/state")
    status.sources = [
      SourceStatus(
        url: "nmea:///dev/ttyUSB0", status: "unavailable", reason: "no such device", fixes: 3,
        rejected: 1)
    ]
    var client = ClientStatus(program: "/bin/boat", pid: 8, user: 1000, since: now)
    (client.app, client.services) = ("com.example.Boat", ["live updates"])
    status.clients = [client]
    status.sources[0].fix = OwnFixStatus(
      time: now, accuracy: 9, use: "refused", reason: "lessAccurate")
    var used = Satellite(system: .gps, number: 5, isUsed: true)
    used.signal = 41.2
    status.sources[0].satellites = [Satellite(system: .galileo, number: 11), used]
    status.motion = MotionStatus(activity: "walking", speed: 1.42, isDoubting: false)
    status.heading = Heading(
      magneticHeading: 80.4, trueHeading: 84, accuracy: 7, field: nil, time: now)
    status.visit = VisitStatus(
      arrival: now, accuracy: 30, place: nil,
      departure: BeliefStatus(
        towards: "unsatisfied", probability: 0.834, threshold: 0.9526, since: now, fixes: 3,
        earliest: now))
    var demand = DemandStatus()
    demand.tier = "satellite"
    status.shares = [ShareStatus(client: "com.example.Boat/live", demand: demand)]
    status.lastFix = LastFix(
      time: now - .seconds(5), accuracy: 12.4,
      place: Coordinate(latitude: 48.137, longitude: 11.575))
    let event = DeliveredEvent(.condition, "home\u{1b}[2J", "satisfied", since: now, nil)
    let records = (1...30).map {
      EventRecord(number: $0, app: AppIdentity("com.example.Boat"), event: event, delivered: now)
    }
    return TopView(
      status: status, apps: [AppStatus(app: "com.example.Boat", level: "always", isPrecise: true)],
      events: records, showsPlaces: places)
  }

  private static func text(_ view: TopView, rows: Int = 1000, columns: Int = 1000) -> [String] {
    view.lines(rows: rows, columns: columns, at: now, for: .standard)
  }

  @Test("CONSOLE-11: shows the daemon, its sources and apps, and the last events")
  func whole() {
    let text = Self.text(Self.view()).joined(separator: "\n")
    #expect(text.contains("locationd 7, services"))
    #expect(text.contains("last fix  5 s ago, within 12 m"))
    #expect(
      text.contains(
        "nmea:///dev/ttyUSB0  unavailable      3         1  refused, lessAccurate  no such device"))
    #expect(text.contains("com.example.Boat  always            live updates"))
    #expect(text.contains("com.example.Boat: home"))
    #expect(!text.contains("\u{1b}[2J"), "a name cannot clear the screen")
  }

  @Test("CONSOLE-11: shows satellites, tiers by service, heading, motion, and visit")
  func observed() {
    let text = Self.text(Self.view()).joined(separator: "\n")
    #expect(text.contains("satellites  1 of 2 in use, the strongest 41 dB-Hz: G05* 41, E11"))
    #expect(text.contains("com.example.Boat/live  satellite"))
    #expect(text.contains("heading   84° true ± 7°"))
    #expect(text.contains("motion    walking, 1.4 m/s by the fixes"))
    #expect(
      text.contains(
        "visit     since 2026-01-01 08:00:00 UTC; its end is unsatisfied 83 % likely, "
          + "decided at 95 %"))
  }

  @Test("CONSOLE-11: shows a place only where it is asked for")
  func places() {
    #expect(!Self.text(Self.view()).joined().contains("48.137"))
    #expect(Self.text(Self.view(places: true)).joined().contains("48.137, 11.575"))
  }

  @Test("CONSOLE-11: fits its window, the newest events last", arguments: [3, 8, 14, 24, 60])
  func fits(rows: Int) {
    let lines = Self.text(Self.view(), rows: rows, columns: 40)
    #expect(lines.count <= rows)
    #expect(lines.allSatisfy { Output.visible($0).count <= 40 })
    if rows >= 24 { #expect(lines.last?.hasPrefix("2026-01-01 08:00:00") == true) }
  }

  @Test("CONSOLE-11: a line is cut by the letters that are seen, and keeps its styles")
  func cut() {
    let line = "ab" + Output.marked("cdef", .bad) + "gh" + Output.marked("ij", .good)
    #expect(Output.visible(line) == "abcdefghij")
    #expect(Output.cut(line, to: 10) == line)
    for columns in 2...9 {
      let cut = Output.cut(line, to: columns)
      #expect(Output.visible(cut) == "abcdefghij".prefix(columns - 1) + "…")
    }
    #expect(Output.cut(line, to: 5).hasPrefix("ab" + Output.marked("cd", .bad)))
    #expect(Output.visible(Output.cut("a\u{1b}[2Jb", to: 4)).count == 4)
  }

  @Test("CONSOLE-11: keeps what the daemon has said, and takes each change")
  func follows() throws {
    var state = TopState(showsPlaces: false)
    #expect(state.view == nil)
    var status = Self.view().status
    status.sources[0].url = "gpsd://example.org"
    var change = StatusChange()
    (change.status, change.apps) = (status, Self.view().apps)
    change.events = Self.view().events
    state.take(change)
    change = StatusChange()
    change.status = Self.view().status
    state.take(change)
    var view = try #require(state.view)
    #expect(view.events.map(\.number) == Array(11...30))
    #expect(view.apps.map(\.app) == ["com.example.Boat"])
    #expect(view.status.sources[0].url.hasPrefix("nmea:///dev/ttyUSB0"))
    change = StatusChange()
    change.apps = []
    state.take(change)
    view = try #require(state.view)
    #expect(view.apps.isEmpty)
    #expect(view.events.count == 20)
  }
}
