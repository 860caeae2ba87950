import CoreLocation
import LocationTesting
import Testing

private let home = CLLocationCoordinate2D(latitude: 52.52, longitude: 13.40)
private let shop = CLLocationCoordinate2D(latitude: 52.535, longitude: 13.40)
private let walk = Route(through: [home, shop], speed: 1.4)

private func circle(
  around center: CLLocationCoordinate2D
) -> CLMonitor.CircularGeographicCondition {
  CLMonitor.CircularGeographicCondition(center: center, radius: 150)
}

@Suite("A monitor on a simulated device")
struct SimulatedMonitorTests {
  private let device = SimulatedDevice(at: home)
  private let app: SimulatedApp
  private let received = Log<CLMonitor.Event>()

  init() {
    app = device.app("com.example.monitor")
    app.setPermission(.always)
  }

  private var words: [String] {
    received.values.map { event in
      let state = [.satisfied: "in", .unsatisfied: "out"][event.state] ?? "unknown"
      return "\(event.identifier) \(state)" + (event.insufficientlyInUse ? ", not in use" : "")
        + (event.authorizationRequestInProgress ? ", asked" : "")
    }
  }

  private func listen(to monitor: CLMonitor) -> Task<Void, any Error> {
    Task { for try await event in await monitor.events { received.add(event) } }
  }

  @Test("MON-1, MON-21: is found again as it was left, and says only what has changed")
  func reopened() async throws {
    for launch in 0..<2 {
      try await app.run {
        let monitor = await CLMonitor("places")
        if launch == 0 {
          await monitor.add(circle(around: home), identifier: "home")
          await monitor.add(circle(around: shop), identifier: "shop")
        }
        #expect(await monitor.identifiers == ["home", "shop"])
        let loop = listen(to: monitor)
        try await device.advance(by: .seconds(120))
        loop.cancel()
      }
      app.terminate()
    }
    #expect(words.sorted() == ["home in", "shop out"])
  }

  @Test("MON-28: a second loop over the same monitor ends the program, and says why")
  func secondLoop() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let app = SimulatedDevice(at: .init(latitude: 1, longitude: 2)).app("com.example.monitor")
      await app.run {
        let monitor = await CLMonitor("places")
        let first = await monitor.events.makeAsyncIterator()
        let second = await monitor.events.makeAsyncIterator()
        withExtendedLifetime((first, second)) {}
      }
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("one loop at a time"))
  }

  @Test("MON-32, MON-34, MON-39: watches while its app is not in use, and tells later what it saw")
  func behind() async throws {
    app.setPermission(.whileUsing)
    try await app.run {
      let monitor = await CLMonitor("places")
      await monitor.add(circle(around: home), identifier: "home")
      let loop = listen(to: monitor)
      try await device.advance(by: .seconds(60))
      #expect(words == ["home in"])
      app.moveToBackground()
      let left = device.date
      device.travel(walk)
      try await device.advance(by: .seconds(1800))
      #expect(words == ["home in", "home unknown, not in use"])
      app.moveToForeground()
      let back = device.date
      try await device.advance(by: .seconds(60))
      #expect(words.last == "home out")
      let date = try #require(received.values.last?.date)
      #expect(date > left && date <= back.addingTimeInterval(60))
      loop.cancel()
    }
  }

  @Test("MON-35: has the person asked when an app looks for its first event")
  func directUse() async throws {
    app.setPermission(.ask)
    device.person(answers: .allowWhileUsing)
    try await app.run {
      let monitor = await CLMonitor("places")
      await monitor.add(circle(around: home), identifier: "home")
      try await device.advance(by: .seconds(60))
      #expect(CLLocationManager().authorizationStatus == .notDetermined)
      let loop = listen(to: monitor)
      try await device.advance(by: .seconds(60))
      #expect(CLLocationManager().authorizationStatus == .authorizedWhenInUse)
      #expect(words == ["home unknown, asked", "home in"])
      loop.cancel()
    }
  }

  @Test("MON-41: takes what several tasks ask of it one by one")
  func tasks() async {
    await app.run {
      let monitor = await CLMonitor("places")
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<10 {
          group.addTask {
            await monitor.add(circle(around: home), identifier: "place \(number)")
            if number.isMultiple(of: 2) { await monitor.remove("place \(number)") }
          }
        }
      }
      #expect(
        await monitor.identifiers.sorted() == (0..<5).map { "place \(2 * $0 + 1)" })
    }
  }

  @Test("MON-29: tells events of several conditions in the order in which they were seen")
  func order() async throws {
    try await app.run {
      let monitor = await CLMonitor("places")
      await monitor.add(circle(around: shop), identifier: "shop")
      await monitor.add(circle(around: home), identifier: "home")
      let loop = listen(to: monitor)
      device.travel(walk)
      try await device.advance(by: .seconds(2400))
      let dates = received.values.map(\.date)
      #expect(dates == dates.sorted())
      #expect(words.suffix(2) == ["home out", "shop in"])
      loop.cancel()
    }
  }
}

/// What a manager's delegate learns of visits.
private final class VisitListener: NSObject, CLLocationManagerDelegate {
  var visits: [CLVisit] = []
  private let manager: CLLocationManager

  /// Begins to listen, in the app that makes it.
  override init() {
    manager = CLLocationManager()
    super.init()
    manager.delegate = self
    manager.startMonitoringVisits()
  }

  func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
    visits.append(visit)
  }
}

@Suite("A visit on a simulated device")
struct SimulatedVisitTests {
  private let device = SimulatedDevice(at: home)
  private let app: SimulatedApp

  init() {
    app = device.app("com.example.visits")
    app.setPermission(.always)
  }

  private func firstVisit() async throws -> CLVisit {
    return try await app.run {
      let listener = VisitListener()
      try await device.advance(by: .seconds(1800))
      return try #require(listener.visits.first)
    }
  }

  /// Seconds until the visit at the first place is delivered, at most an hour.
  private func wait(latency: Double) async throws -> TimeInterval {
    let device = SimulatedDevice(at: home, visitLatency: latency)
    let app = device.app("com.example.visits")
    app.setPermission(.always)
    return try await app.run {
      let listener = VisitListener()
      let began = device.date
      while listener.visits.isEmpty, device.date < began + 3600 {
        try await device.advance(by: .seconds(10))
      }
      return device.date.timeIntervalSince(began)
    }
  }

  @Test("VISIT-11: is delivered sooner or later if a test asks for it")
  func latency() async throws {
    let usual = try await wait(latency: 1)
    #expect(try await wait(latency: 0) < usual / 2)
    #expect(try await wait(latency: 3) > usual * 2)
  }

  /// Seconds from a walk's start until the departure is delivered.
  private func leave(_ motion: SimulatedMotion?) async throws -> TimeInterval {
    let device = SimulatedDevice(at: home)
    let app = device.app("com.example.visits")
    app.setPermission(.always)
    return try await app.run {
      let listener = VisitListener()
      device.holdMotionSensor(at: motion)
      try await device.advance(by: .seconds(1800))
      device.travel(walk)
      let began = device.date
      while listener.visits.count < 2, device.date < began + 3600 {
        try await device.advance(by: .seconds(1))
      }
      #expect(listener.visits.last?.departureDate != .distantFuture)
      return device.date.timeIntervalSince(began)
    }
  }

  @Test("POW-6, VISIT-3: is over sooner for who is felt to walk, later for who seems to lie still")
  func felt() async throws {
    let (felt, unfelt) = (try await leave(nil), try await leave(.unknown))
    #expect(felt <= unfelt)
    let still = try await leave(.stationary)
    #expect(unfelt < still && still < unfelt + 60, "the fixes win in the end")
  }

  @Test("VISIT-6: says how large the place is")
  func size() async throws {
    let visit = try await firstVisit()
    #expect((1...200).contains(visit.horizontalAccuracy))
    #expect(visit.departureDate == .distantFuture)
  }

  @Test("VISIT-13, AUTH-43: keeps its time, and only roughly its place, where accuracy is reduced")
  func reduced() async throws {
    app.setPreciseLocation(false)
    let began = device.date
    let visit = try await firstVisit()
    #expect(visit.horizontalAccuracy > 1000)
    #expect(abs(visit.arrivalDate.timeIntervalSince(began)) < 600)
  }
}
