import LocationEngine
import LocationModel
import LocationSimulation
import Testing

@Suite("A virtual receiver")
struct VirtualReceiverTests {
  static let berlin = Coordinate(latitude: 52.52, longitude: 13.40)

  /// Fixes of live updates by second, from a receiver that stands.
  private func fixes(
    _ receiver: VirtualReceiver, seconds: Int, sky: Sky = .open,
    _ change: (inout VirtualWorld) -> Void = { _ in }
  ) -> [(second: Double, fix: Fix)] {
    var world = VirtualWorld(at: Self.berlin, date: Scenario.standardDate, receivers: [receiver])
    _ = world.perform(.sky(sky))
    change(&world)
    var simulation = Simulation(world)
    var fixes: [(second: Double, fix: Fix)] = []
    simulation.run(until: .seconds(seconds)) { event, now in
      guard case .update(let update) = event, let fix = update.fix else { return }
      fixes.append((second: now.uptime.seconds(since: .start), fix: fix))
    }
    return fixes
  }

  @Test("errs as the fitted model says: 3.4 m on each axis, forgotten in 40 s")
  func openNoise() {
    // Straight north, so that whatever is east is wrong.
    var north = Journey(from: Self.berlin)
    north.move(40_000, towards: 0, speed: 2)
    let fixes = fixes(VirtualReceiver(seed: 5), seconds: 19_000) {
      _ = $0.perform(.depart(north))
    }
    let frame = LocalFrame(center: Self.berlin)
    let east = fixes.map { frame.offset(of: $0.fix.coordinate).east }
    func covariance(_ lag: Int) -> Double {
      zip(east, east.dropFirst(lag)).map { $0 * $1 }.reduce(0, +) / Double(east.count - lag)
    }
    let deviation = covariance(0).squareRoot()
    #expect(abs(deviation - 3.42) < 0.5, "\(deviation) m")
    let kept = covariance(40) / covariance(1)
    #expect((0.2...0.55).contains(kept), "a third is left after 40 s: \(kept)")
    #expect(fixes.allSatisfy { abs($0.fix.horizontalAccuracy - 5.16) < 0.1 })
  }

  @Test("jumps between buildings, and stays beside the truth for seconds")
  func reflections() {
    let fixes = fixes(VirtualReceiver(seed: 5), seconds: 20_000, sky: .street)
    let off = fixes.map { Self.berlin.distance(to: $0.fix.coordinate) > 40 }
    let share = Double(off.count { $0 }) / Double(off.count)
    #expect((0.02...0.06).contains(share), "\(share) of the time")
    let begun = zip(off, off.dropFirst()).count { !$0 && $1 }
    let length = Double(off.count { $0 }) / Double(max(begun, 1))
    #expect((2...4.5).contains(length), "\(length) s at a time")
    #expect(fixes.count < 19_800, "some seconds are without a fix")
  }

  @Test(
    "has its first fix as late as its start says",
    arguments: [(VirtualReceiver.Start.hot, 1.0), (.warm, 15), (.cold, 30)])
  func start(start: VirtualReceiver.Start, seconds: Double) throws {
    let first = try #require(fixes(VirtualReceiver(start: start), seconds: 60).first)
    #expect((seconds...(seconds + 1.5)).contains(first.second), "\(first.second) s")
  }

  @Test("says the same in NMEA as in gpsd's reports")
  func languages() throws {
    let nmea = fixes(VirtualReceiver(seed: 3), seconds: 100)
    let gpsd = fixes(VirtualReceiver(language: .gpsd, seed: 3), seconds: 100)
    let reports = Dictionary(gpsd.map { ($0.fix.time, $0.fix) }) { one, _ in one }
    let pairs = nmea.compactMap { one in reports[one.fix.time].map { (one.fix, $0) } }
    #expect(pairs.count >= 95)
    for (one, other) in pairs {
      #expect(one.coordinate.distance(to: other.coordinate) < 0.02)
      #expect(abs(one.horizontalAccuracy - other.horizontalAccuracy) < 0.05)
      #expect(other.origin.isSimulated && one.origin.isSimulated, "SIM-6")
    }
  }

  @Test("claims 2 m while 200 m wrong", arguments: VirtualReceiver.Language.allCases)
  func lies(language: VirtualReceiver.Language) throws {
    let receiver = VirtualReceiver(language: language)
    let fixes = fixes(receiver, seconds: 30) {
      _ = $0.perform(.fault(0, .lies(claim: 2 / 1.51, off: 200, towards: 90)))
    }
    let last = try #require(fixes.last)
    #expect(abs(Self.berlin.distance(to: last.fix.coordinate) - 200) < 15)
    #expect(abs(last.fix.horizontalAccuracy - 2) < 0.1)
  }

  @Test(
    "falls silent, and comes back when it is plugged in again",
    arguments: VirtualReceiver.Language.allCases)
  func silence(language: VirtualReceiver.Language) {
    for fault in [VirtualReceiver.Fault.silent, .unplugged] {
      let fixes = fixes(VirtualReceiver(language: language), seconds: 200) {
        $0.plan(.fault(0, fault), after: .seconds(50))
        $0.plan(.fault(0, nil), after: .seconds(100))
      }
      let times = fixes.map(\.second)
      #expect(times.contains { $0 < 50 })
      #expect(!times.contains { $0 > 52 && $0 < 100 }, "\(fault)")
      #expect(times.contains { $0 > 150 }, "\(fault)")
    }
  }

  @Test("keeps its own time when the device's clock is set")
  func clockStep() {
    let fixes = fixes(VirtualReceiver(), seconds: 60) { world in
      world.plan(.date(Scenario.standardDate + .seconds(3600)), after: .seconds(30))
    }
    let dates = fixes.map(\.fix.time)
    #expect(dates == dates.sorted())
    #expect(fixes.count > 25)
  }

  @Test("says no more than a hundred fixes a second, however often it is asked to")
  func fastest() {
    #expect(fixes(VirtualReceiver(interval: .zero), seconds: 3).count < 300)
  }

  @Test(
    "SIM-28: has no fix without a place, and sends no number that is none",
    arguments: VirtualReceiver.Language.allCases)
  func noNumbers(_ language: VirtualReceiver.Language) {
    func sent(_ truth: Truth, _ noise: ReceiverNoise) -> String {
      var receiver = VirtualReceiver(language: language)
      receiver.noise = noise
      _ = receiver.open(at: .start)
      let now = Moment(uptime: .start + .seconds(1), unixTime: Scenario.standardDate)
      return String(decoding: receiver.wake(at: now, truth: truth), as: UTF8.self)
    }
    let nowhere = Truth(Coordinate(latitude: .nan, longitude: 500))
    let noFix = sent(nowhere, .exact)
    #expect(noFix.contains(language == .nmea ? ",V," : #""mode":1"#))
    for number in [Double.nan, .infinity, 1e300] {
      let truth = Truth(Self.berlin, altitude: number, speed: 1, course: 90)
      let line = sent(truth, .simulator(accuracy: number, speed: number, course: number))
      #expect(line.contains(language == .nmea ? ",A,5231.200000,N" : #""lat":52.5"#))
      #expect(!line.contains("nan") && !line.contains("inf"))
    }
  }
}
