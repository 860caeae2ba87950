import LocationService
import LocationEngine
import LocationHost
import LocationModel
import LocationProviders

/// An app with a monitor, regions, and visits on a device that goes from home to work and back, in
/// virtual time: the steps of a host (decide, make durable, deliver) with the store on disk.
///
/// Says each thing when it is certain: `fix N` before it is taken, `kept ID STATE` for each
/// condition found, `added ID` and `removed ID`, `event ID STATE` when the loop has it in hand, and
/// `handled ID STATE` when that is durable; at the end `record ID STATE` for each condition. Of
/// regions and visits `kept region ID`, `delivered NUMBER SUBJECT EVENT`, and `taken NUMBER` when that is durable.
struct Journey {
  static let app = AppIdentity("net.meridian.journey")
  private static let manifest = Manifest([
    Manifest.Key.identifier: .string("net.meridian.journey"),
    Manifest.Key.whenInUse: .string("to test"),
  ])
  private static let subscriber = SubscriberID(1)
  private static let manager = SubscriberID(2)
  private static let client = ClientID(1)
  private static let begin = UnixTime(seconds: 1_750_000_000)
  /// Seconds between fixes.
  private static let interval = 5.0

  // It stays silent; the fixes are those of the journey.
  private var core = ServiceCore(sources: [.nmeaSerial(path: "/dev/none", baud: 9600)])
  private let keeper: StateKeeper
  private var now = Moment(uptime: .start, unixTime: Journey.begin)
  /// What the monitor holds, as it says itself.
  private var records: [NamedRecord] = []
  private var inHand: [(number: EventNumber, event: ConditionEvent)] = []
  private var pending: [EventNumber] = []

  init(in folder: StateFolder) {
    keeper = StateKeeper(folder: folder) { say("note \($0)") }
  }

  /// Goes on from the fix of this number.
  mutating func run(from first: Int) {
    advance(to: first)
    step(.stored(keeper.entries))
    step(
      .client(Self.client, .connected(ClientDescription(app: Self.app, manifest: Self.manifest))))
    step(.setting(.authorization(Self.app, .whileUsing)))
    ask(.open(name: "places"))
    sayRecords(as: "kept")
    watchRegions()
    ask(.next(after: .none))
    handleEvents()
    for number in first..<Self.fixes {
      advance(to: number)
      say("fix \(number)")
      arrange(for: number)
      let fix = Fix(
        coordinate: Self.place(at: number), horizontalAccuracy: 8, time: now.unixTime)
      step(.fix(fix, from: ProviderID(0)))
      handleEvents()
    }
    sayRecords(as: "record")
    say("end")
  }

  private func sayRecords(as word: String) {
    for entry in records {
      say("\(word) \(entry.identifier) \(entry.record.lastEvent.state.rawValue)")
    }
  }

  // MARK: The app

  /// Adds what is missing and removes what is not wanted any more.
  private mutating func arrange(for number: Int) {
    var wanted = ["home": 0.0, "work": Self.workplace]
    if (20..<60).contains(number) { wanted["kiosk"] = 0 }
    for (identifier, east) in wanted.sorted(by: { $0.key < $1.key })
    where !records.contains(where: { $0.identifier == identifier }) {
      let circle = Circle(center: Self.place(east: east), radius: 100)
      ask(.add(identifier: identifier, .circle(circle), assuming: .unknown))
      say("added \(identifier)")
    }
    for record in records where wanted[record.identifier] == nil {
      ask(.remove(identifier: record.identifier))
      say("removed \(record.identifier)")
    }
  }

  /// Takes up the regions and visits, and begins those that are missing.
  private mutating func watchRegions() {
    let kept = core.engine.state(of: Self.client).regions
    for region in kept { say("kept region \(region.identifier)") }
    step(.client(Self.client, .request(.authorization(.observe(Self.manager)))))
    for (identifier, east) in [("yard", 0.0), ("office", Self.workplace)]
    where !kept.contains(where: { $0.identifier == identifier }) {
      let circle = Circle(center: Self.place(east: east), radius: 150)
      let region = RegionDescription(
        identifier: identifier, target: .circle(circle), notices: RegionNotices())
      step(.client(Self.client, .request(.region(Self.manager, .start(region)))))
      say("added region \(identifier)")
    }
    step(.client(Self.client, .request(.visits(on: true))))
  }

  private mutating func handleEvents() {
    while !pending.isEmpty {
      let number = pending.removeFirst()
      step(
        .client(Self.client, .request(.acknowledge(number))),
        whenDurable: "taken \(number.rawValue)")
    }
    while let (number, event) = inHand.popLast() {
      let words = "\(event.identifier) \(event.state.rawValue)"
      say("event \(words)")
      ask(.next(after: number), whenDurable: "handled \(words)")
    }
  }

  private mutating func ask(_ request: MonitorRequest, whenDurable words: String? = nil) {
    step(.client(Self.client, .request(.monitor(Self.subscriber, request))), whenDurable: words)
  }

  // MARK: The host

  private mutating func step(_ input: LocationEngine.Input, whenDurable words: String? = nil) {
    carryOut(core.handle(.engine(input), at: now), whenDurable: words)
  }

  private mutating func carryOut(_ outputs: [ServiceCore.Output], whenDurable words: String?) {
    keeper.commit(outputs)
    if outputs.contains(where: \.isDurable) { StoreOperations.pass() }
    if let words { say(words) }
    for case .engine(.deliver(_, let delivery)) in outputs {
      switch delivery {
      case .monitor(_, let delivery):
        StoreOperations.pass()
        receive(delivery)
      case .pending(let number, let event):
        StoreOperations.pass()
        say("delivered \(number.rawValue) \(Self.words(event))")
        pending.append(number)
      default: break
      }
    }
  }

  private mutating func receive(_ delivery: MonitorDelivery) {
    switch delivery {
    case .records, .changed: records.apply(delivery)
    case .event(let number, let event): inHand.append((number, event))
    case .refused: say("refused")
    }
  }

  private static func words(_ event: PendingEvent) -> String {
    switch event {
    case .region(let region, .entered): "\(region.identifier) entered"
    case .region(let region, _): "\(region.identifier) left"
    case .visit(let visit):
      visit.departure == nil
        ? "visit arrived" : visit.arrival == nil ? "visit unannounced" : "visit departed"
    }
  }

  /// Lets time pass, with its deadlines, to that of a fix.
  private mutating func advance(to number: Int) {
    let end = Self.begin + .seconds(Double(number) * Self.interval)
    while let due = core.nextDeadline, Self.begin + (due - .start) <= end {
      now = Moment(uptime: due, unixTime: Self.begin + (due - .start))
      carryOut(core.handle(.wake, at: now), whenDurable: nil)
      handleEvents()
    }
    now = Moment(uptime: Instant.start + (end - Self.begin), unixTime: end)
  }

  // MARK: The device

  /// Meters east of home.
  private static let workplace = 2000.0
  /// Fixes: twenty minutes, as a change that happened unseen is believed after fifteen.
  private static let stay = 240
  private static let drive = 40
  private static let fixes = 3 * stay + 2 * drive

  private static func place(at number: Int) -> Coordinate {
    let there = min(max(Double(number - stay) / Double(drive), 0), 1)
    let back = min(max(Double(number - 2 * stay - drive) / Double(drive), 0), 1)
    return place(east: workplace * (there - back))
  }

  private static func place(east: Double) -> Coordinate {
    Coordinate(latitude: 45, longitude: 5 + east / 78_847)
  }
}

extension ServiceCore.Output {
  fileprivate var isDurable: Bool {
    if case .engine(.persist) = self { true } else { false }
  }
}
