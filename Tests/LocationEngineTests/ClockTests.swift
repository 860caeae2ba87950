import LocationEngine
import LocationModel
import Testing

/// Clocks that are set, and machines that sleep.
@Suite("The engine's sense of time")
struct ClockTests {
  private static let app = AppIdentity("net.meridian.app")
  private static let manager = SubscriberID(1)
  private static let monitor = SubscriberID(2)
  private static let home = Coordinate(latitude: 48.5, longitude: 11.5)
  private static let away = Coordinate(latitude: 48.6, longitude: 11.5)

  private var engine = LocationEngine(providers: 1)
  private var client = ClientID(1)
  private var now = Moment(uptime: .start, unixTime: UnixTime(seconds: 1_700_000_000))
  private var stored: [StateKey: [UInt8]] = [:]
  /// The deliveries of the monitor, the region, the visits, and the significant changes.
  private var events: [String] = []
  /// Differences from the clock, in seconds, of the dates delivered.
  private var ages: [Double] = []

  init() {
    step(.stored([]))
    start()
  }

  /// The app runs and asks for everything.
  private mutating func start() {
    let manifest = Manifest([Manifest.Key.always: .string("to test")])
    step(.client(client, .connected(ClientDescription(app: Self.app, manifest: manifest))))
    step(.setting(.authorization(Self.app, .always)))
    ask(.monitor(Self.monitor, .open(name: "m")))
    ask(.monitor(Self.monitor, .next(after: .none)))
    let circle = ConditionTarget.circle(Circle(center: Self.home, radius: 200))
    ask(.monitor(Self.monitor, .add(identifier: "home", circle, assuming: .unknown)))
    let region = RegionDescription(identifier: "yard", target: circle, notices: RegionNotices())
    ask(.region(Self.manager, .start(region)))
    ask(.visits(on: true))
    ask(.significantChanges(Self.manager, on: true))
  }

  private mutating func ask(_ request: Request) { step(.client(client, .request(request))) }

  private mutating func step(_ input: LocationEngine.Input) {
    for output in engine.handle(input, at: now) {
      switch output {
      case .persist(.set(let key, let value)): stored[key] = value
      case .persist(.remove(let key)): stored[key] = nil
      case .deliver(_, let delivery): receive(delivery)
      default: break
      }
    }
  }

  private mutating func receive(_ delivery: Delivery) {
    switch delivery {
    case .monitor(_, .event(let number, let event)):
      note("home \(event.state)", event.date)
      ask(.monitor(Self.monitor, .next(after: number)))
    case .pending(let number, let event):
      switch event {
      case .region(_, .entered(let evidence)): note("yard entered", evidence?.decided)
      case .region(_, .exited(let evidence)): note("yard left", evidence?.decided)
      case .region: break
      case .visit(let visit):
        note(visit.departure == nil ? "arrived" : "departed", visit.departure ?? visit.arrival)
        if let departure = visit.departure, let arrival = visit.arrival {
          #expect(departure >= arrival)
        }
      }
      ask(.acknowledge(number))
    case .updates(_, .fixes(let fixes)): note("moved", fixes.last?.time)
    default: break
    }
  }

  private mutating func note(_ event: String, _ date: UnixTime?) {
    events.append(event)
    if let date { ages.append(now.unixTime.seconds(since: date)) }
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

  /// What has happened since the last look, sorted: all of it happens within seconds.
  private mutating func received() -> [String] {
    defer { events = [] }
    return events.sorted()
  }

  private static let left = ["departed", "home unsatisfied", "moved", "yard left"]
  private static let jumps = [3600, 31_536_000, -10, -3600, -31_536_000]

  @Test(
    "survives a clock that is set: each event comes once, dated by the clock as it is then",
    arguments: jumps)
  mutating func clockJump(seconds: Int) {
    stand(at: Self.home, seconds: 400)
    #expect(received() == ["arrived", "home satisfied", "moved"])
    pass(.seconds(1), clockJump: .seconds(seconds))
    stand(at: Self.home, seconds: 60)
    #expect(received() == [])
    // The way there takes half an hour.
    pass(.seconds(1800))
    stand(at: Self.away, seconds: 120)
    #expect(received() == Self.left)
    stand(at: Self.away, seconds: 300)
    #expect(received() == ["arrived"])
    #expect(ages.allSatisfy { (0...2000).contains($0) }, "\(ages)")
  }

  @Test("survives a clock that is set between two runs", arguments: jumps)
  mutating func clockJumpBetweenRuns(seconds: Int) {
    stand(at: Self.home, seconds: 400)
    #expect(received() == ["arrived", "home satisfied", "moved"])
    engine = LocationEngine(providers: 1)
    now = Moment(uptime: .start, unixTime: now.unixTime + .seconds(seconds))
    let entries = stored.sorted { $0.key < $1.key }
    step(.stored(entries.map { StateEntry(key: $0.key, value: $0.value) }))
    client = ClientID(2)
    start()
    stand(at: Self.home, seconds: 400)
    #expect(received() == ["moved"], "what a process receives first")
    pass(.seconds(1800))
    stand(at: Self.away, seconds: 120)
    #expect(received() == Self.left)
    // The position of the earlier run keeps its date, which the clock before the change gave.
    let earlier = Double(max(seconds, 0))
    #expect(
      ages.allSatisfy { (0...2000).contains($0) || (earlier...earlier + 2000).contains($0) },
      "\(ages)")
  }

  @Test("MON-25: tells an app that comes back what happened while it was gone and might not know")
  mutating func comesBack() {
    stand(at: Self.home, seconds: 60)
    _ = received()
    step(.launchable([]))
    step(.client(client, .disconnected))
    pass(.seconds(1800))
    stand(at: Self.away, seconds: 120)
    #expect(received() == [])
    client = ClientID(2)
    start()
    stand(at: Self.away, seconds: 5)
    #expect(received().contains("home unsatisfied"))
  }

  @Test("continues after a night of sleep: the state then is delivered, once")
  mutating func suspend() {
    stand(at: Self.home, seconds: 400)
    _ = received()
    pass(.seconds(8 * 3600))
    #expect(received() == [])
    stand(at: Self.away, seconds: 1200)
    #expect(received() == (Self.left + ["arrived"]).sorted())
  }
}
