import LocationEngine
import LocationModel
import Testing

/// Clocks that are set, and machines that sleep.
@Suite("The engine's sense of time")
struct ClockTests {
  private static let app = AppIdentity("net.meridian.app")
  private static let client = ClientID(1)
  private static let monitor = SubscriberID(1)
  private static let home = Coordinate(latitude: 48.5, longitude: 11.5)
  private static let away = Coordinate(latitude: 48.6, longitude: 11.5)

  private var engine = LocationEngine(providers: 1)
  private var now = Moment(uptime: .start, unixTime: UnixTime(seconds: 1_700_000_000))
  private var events: [String] = []

  init() {
    step(.stored([]))
    let manifest = Manifest([Manifest.Key.always: .string("to test")])
    step(.client(Self.client, .connected(ClientDescription(app: Self.app, manifest: manifest))))
    step(.setting(.authorization(Self.app, .always)))
    ask(.open(name: "m"))
    ask(.next)
    let circle = Circle(center: Self.home, radius: 200)
    ask(.add(identifier: "home", .circle(circle), assuming: .unknown))
  }

  private mutating func ask(_ request: MonitorRequest) {
    step(.client(Self.client, .request(.monitor(Self.monitor, request))))
  }

  private mutating func step(_ input: LocationEngine.Input) {
    for output in engine.handle(input, at: now) {
      guard case .deliver(_, .monitor(_, .event(let event))) = output else { continue }
      events.append("\(event.identifier) \(event.state)")
      // Handled at once.
      ask(.next)
    }
  }

  /// Stands at a place for so many seconds, as a receiver tells it.
  private mutating func stand(at place: Coordinate, seconds: Int) {
    for _ in 0..<seconds {
      pass(.seconds(1))
      step(
        .fix(Fix(coordinate: place, horizontalAccuracy: 5, time: now.unixTime), from: ProviderID(0))
      )
    }
  }

  private mutating func pass(_ time: Duration, clockJump: Duration = .zero) {
    now = Moment(uptime: now.uptime + time, unixTime: now.unixTime + time + clockJump)
    var wakes = 0
    while let due = engine.nextDeadline, due <= now.uptime, wakes < 100 {
      step(.wake)
      wakes += 1
    }
    #expect(wakes < 100, "the engine asks to be woken without end")
  }

  // Set back, conditions wait until the fixes' dates have caught up where fixes are dated by the
  // system's clock, as those of a fixed position are; a receiver's dates go on.
  @Test(
    "survives a clock that is set forward: a crossing is one event, and nothing is told twice",
    arguments: [3600, 31_536_000])
  mutating func clockJump(seconds: Int) {
    stand(at: Self.home, seconds: 60)
    #expect(events == ["home satisfied"])
    pass(.seconds(1), clockJump: .seconds(seconds))
    stand(at: Self.home, seconds: 60)
    #expect(events == ["home satisfied"])
    // The way there takes half an hour.
    pass(.seconds(1800))
    stand(at: Self.away, seconds: 120)
    #expect(events == ["home satisfied", "home unsatisfied"])
  }

  @Test("MON-25: tells an app that comes back what happened while it was gone and might not know")
  mutating func comesBack() {
    stand(at: Self.home, seconds: 60)
    step(.launchable([]))
    step(.client(Self.client, .disconnected))
    pass(.seconds(1800))
    stand(at: Self.away, seconds: 120)
    #expect(events == ["home satisfied"])
    let manifest = Manifest([Manifest.Key.always: .string("to test")])
    step(.client(Self.client, .connected(ClientDescription(app: Self.app, manifest: manifest))))
    ask(.open(name: "m"))
    ask(.next)
    stand(at: Self.away, seconds: 5)
    #expect(events == ["home satisfied", "home unsatisfied"])
  }

  @Test("takes up after a night of sleep: what is true then is told, once")
  mutating func suspend() {
    stand(at: Self.home, seconds: 60)
    pass(.seconds(8 * 3600))
    #expect(events == ["home satisfied"])
    stand(at: Self.away, seconds: 1200)
    #expect(events == ["home satisfied", "home unsatisfied"])
  }
}
