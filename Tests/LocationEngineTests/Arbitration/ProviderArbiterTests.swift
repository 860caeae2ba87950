import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("The arbiter")
struct ProviderArbiterTests {
  private var bench = Bench(ProviderArbiter(), startingAt: ArbitrationWorld.begin)
  private let home = ArbitrationWorld.home

  /// Hands in a fix of now; returns why it was ignored, or `nil` when it became the current one.
  private mutating func receive(
    _ provider: Int, at place: Coordinate? = nil, radius: Double = 10, lag: Double = 0,
    speed: Double? = nil, by method: PositionMethod = .receiver
  ) throws -> IgnoreReason? {
    var fix = Fix(
      coordinate: place ?? home, horizontalAccuracy: radius,
      time: bench.now.unixTime - .seconds(lag), origin: Fix.Origin(method: method))
    fix.speed = speed
    bench.send(.fix(fix, ProviderID(provider)))
    switch try #require(bench.outputs.last).output {
    case .current(let current, let from):
      #expect(current == fix && from == ProviderID(provider))
      #expect(bench.machine.current == fix)
      return nil
    case .ignored(let ignored, let from, let reason):
      #expect(ignored.time == fix.time && from == ProviderID(provider))
      return reason
    }
  }

  @Test("ignores what is no position", arguments: [0, -1, Double.infinity, .nan])
  mutating func noPosition(radius: Double) throws {
    #expect(try receive(0, radius: radius) == .notAPosition)
    #expect(try receive(0, at: Coordinate(latitude: 91, longitude: 0)) == .notAPosition)
    #expect(bench.machine.current == nil)
  }

  private func use(_ provider: Int) -> OwnFix.Use? {
    bench.machine.ownFix(of: ProviderID(provider))?.use
  }

  @Test("ADMIN-1: says what has become of the newest fix of each provider")
  mutating func ownFixes() throws {
    #expect(use(0) == nil)
    _ = try receive(0)
    #expect(use(0) == .current)
    bench.run(for: .seconds(1))
    #expect(try receive(1, radius: 40) == .lessAccurate)
    #expect(use(1) == .refused(.lessAccurate) && use(0) == .current)
    bench.run(for: .seconds(1))
    #expect(try receive(1, radius: 3) == nil)
    #expect(use(1) == .current && use(0) == .earlier)
    bench.run(for: .seconds(1))
    let far = Coordinate(latitude: 10, longitude: 10)
    #expect(try receive(1, at: far) == .unconfirmedJump)
    #expect(use(1) == .refused(.unconfirmedJump))
    #expect(bench.machine.ownFix(of: ProviderID(1))?.fix.coordinate == far)
    // One that is only late says nothing of the newest.
    #expect(try receive(0, lag: 3) == .olderThanCurrent)
    #expect(use(0) == .earlier)
  }

  @Test("keeps to the better of two receivers that agree")
  mutating func better() throws {
    #expect(try receive(0, radius: 10) == nil)
    bench.run(for: .seconds(1))
    #expect(try receive(1, radius: 8) == .lessAccurate)
    #expect(try receive(1, radius: 5, lag: -0.1) == nil)
    bench.run(for: .seconds(1))
    #expect(try receive(0, radius: 10) == .lessAccurate)
  }

  @Test("takes the worse one when the better one is overdue")
  mutating func overdue() throws {
    #expect(try receive(0, radius: 5) == nil)
    bench.run(for: .seconds(2))
    #expect(try receive(1, radius: 30) == .lessAccurate)
    bench.run(for: .seconds(3))
    #expect(try receive(1, radius: 30) == nil)
  }

  @Test("ignores a fix older than the current one")
  mutating func older() throws {
    #expect(try receive(0) == nil)
    bench.run(for: .seconds(1))
    #expect(try receive(0, lag: 1.5) == .olderThanCurrent)
    #expect(try receive(1, radius: 1, lag: 2) == .olderThanCurrent)
  }

  @Test("waits for a second fix before it follows a jump")
  mutating func jump() throws {
    let there = home.moved(by: 500_000, towards: 90)
    #expect(try receive(0) == nil)
    bench.run(for: .seconds(1))
    #expect(try receive(0, at: there, radius: 1) == .unconfirmedJump)
    bench.run(for: .seconds(1))
    #expect(try receive(0) == nil)
    bench.run(for: .seconds(1))
    #expect(try receive(0, at: there, radius: 1) == .unconfirmedJump)
    bench.run(for: .seconds(1))
    #expect(try receive(0, at: there, radius: 1) == nil)
  }

  @Test("waits for a second fix before it follows a clock that stepped, back or ahead")
  mutating func clockStep() throws {
    #expect(try receive(0) == nil)
    bench.run(for: .seconds(1))
    #expect(try receive(0, lag: 3600) == .unconfirmedClock)
    bench.run(for: .seconds(1))
    #expect(try receive(0, lag: 3600) == nil)
    bench.run(for: .seconds(1))
    #expect(try receive(0, lag: -7 * 86_400) == .unconfirmedClock)
    bench.run(for: .seconds(1))
    #expect(try receive(0, lag: -7 * 86_400) == nil)
  }

  @Test("does not believe a small radius against what another says")
  mutating func overconfident() throws {
    let aside = home.moved(by: 400, towards: 0)
    for _ in 0..<3 {
      _ = try receive(1, at: aside, radius: 1)
      bench.run(for: .seconds(0.5))
      _ = try receive(0, radius: 12)
      bench.run(for: .seconds(0.5))
    }
    #expect(try receive(1, at: aside, radius: 1) == .contradicted)
    #expect(bench.machine.current?.coordinate == home)
  }

  @Test("RADIO-42: believes what this computer has found against a service, whatever their radii")
  mutating func service() throws {
    let far = Coordinate(latitude: 10, longitude: 10)
    for _ in 0..<4 {
      _ = try receive(0, radius: 30, by: .accessPoints)
      bench.run(for: .seconds(0.5))
      _ = try receive(1, at: far, radius: 2000, by: .service)
      bench.run(for: .seconds(0.5))
    }
    #expect(try receive(1, at: far, radius: 2000, by: .service) == .contradicted)
    #expect(bench.machine.current?.coordinate == home)
  }

  @Test("believes a receiver that measures motion against a coarse guess")
  mutating func coarseGuess() throws {
    let hub = home.moved(by: 300_000, towards: 180)
    for _ in 0..<3 {
      _ = try receive(0, at: hub, radius: 20_000)
      bench.run(for: .seconds(0.5))
      _ = try receive(1, radius: 5, speed: 0)
      bench.run(for: .seconds(0.5))
    }
    #expect(bench.machine.current?.coordinate == home)
    #expect(try receive(0, at: hub, radius: 20_000) == .contradicted)
  }

  @Test("lets go of a provider that repeats an old fix, however sure it is")
  mutating func stale() throws {
    for second in 0..<5 {
      _ = try receive(0, radius: 1, lag: 60)
      bench.run(for: .seconds(0.5))
      let reason = try receive(1, at: home.moved(by: Double(second), towards: 0), radius: 15)
      #expect(reason == nil)
      bench.run(for: .seconds(0.5))
    }
    #expect(try receive(0, radius: 1, lag: 60) == .olderThanCurrent)
  }

  @Test("lets honest dates follow one from the future")
  mutating func dateFromFuture() throws {
    #expect(try receive(0, radius: 50, lag: -86_400 * 7168) == nil)
    bench.run(for: .seconds(1))
    #expect(try receive(1, radius: 5) == nil)
    bench.run(for: .seconds(1))
    #expect(try receive(1, radius: 5) == nil)
  }

  @Test("takes two receivers aboard a fast plane for one place though one seldom reports")
  mutating func fastPlane() throws {
    for second in 0..<60 {
      let place = home.moved(by: 250 * Double(second), towards: 90)
      if second % 8 == 0 { _ = try receive(1, at: place, radius: 40) }
      #expect(try receive(0, at: place, radius: 10, lag: -0.001) == nil, "second \(second)")
      bench.run(for: .seconds(1))
    }
  }

  @Test("does not hold an error of the start against a receiver")
  mutating func wrongStart() throws {
    let away = home.moved(by: 800_000, towards: 45)
    #expect(try receive(0, at: home.moved(by: 90_000, towards: 200)) == nil)
    for _ in 0..<3 {
      bench.run(for: .seconds(0.5))
      _ = try receive(1, at: away, radius: 1)
      bench.run(for: .seconds(0.5))
      _ = try receive(0)
    }
    #expect(bench.machine.current?.coordinate == home)
  }

  @Test("follows the others when the leader falls silent")
  mutating func silence() throws {
    #expect(try receive(0, radius: 3) == nil)
    bench.run(for: .seconds(11))
    #expect(try receive(1, radius: 900) == nil)
  }
}
