import LocationModel
import TestSupport
import Testing

@testable import LocationEngine

@Suite("The altitude by satellites and barometer")
struct AltitudeEstimatorTests {
  private var estimator = AltitudeEstimator()
  /// Seconds.
  private var now = 0.0

  /// The pressure at a height of the standard atmosphere.
  private static func pressure(_ height: Double) -> PressureSample {
    PressureSample(hectopascals: 1013.25 * power(1 - height / 44_330.77, 1 / 0.190_263))
  }

  private mutating func sample(_ height: Double) {
    now += 1
    estimator.take(Self.pressure(height), at: .start + .seconds(now))
  }

  private mutating func refined(
    _ altitude: Double?, accuracy: Double = 4, method: PositionMethod = .receiver,
    change: (inout Fix) -> Void = { _ in }
  ) -> Fix {
    var fix = Fix(
      coordinate: Coordinate(latitude: 49.45, longitude: 11.08), horizontalAccuracy: 5,
      time: UnixTime(seconds: 1_700_000_000 + now), origin: Fix.Origin(method: method))
    fix.altitude = altitude
    fix.verticalAccuracy = altitude.map { _ in accuracy }
    change(&fix)
    return estimator.refine(fix, at: .start + .seconds(now))
  }

  @Test("RADIO-30: is that of the satellites without a barometer")
  mutating func noBarometer() {
    let fix = refined(300)
    #expect(fix.altitude == 300 && fix.verticalAccuracy == 4)
    #expect(refined(nil).altitude == nil)
    #expect(!estimator.hasBarometer)
  }

  @Test("RADIO-30: follows the barometer after the satellites are lost, with both altitudes")
  mutating func lost() throws {
    for _ in 0..<300 {
      sample(120)
      _ = refined(300, accuracy: 3)
    }
    sample(123)
    let fix = refined(nil, method: .accessPoints)
    #expect(abs(try #require(fix.altitude) - 303) < 0.1)
    #expect(fix.ellipsoidalAltitude != nil)
    #expect(try #require(fix.verticalAccuracy) < 3)
  }

  @Test("RADIO-30: is steadier than the satellites, whose errors come and go")
  mutating func steady() throws {
    var altitudes: [Double] = []
    for step in 0..<1200 {
      sample(120)
      let error = 6.0 * (step / 60 % 2 == 0 ? 1 : -1)
      altitudes.append(try #require(refined(300 + error, accuracy: 4).altitude))
    }
    let last = altitudes.suffix(300)
    let spread = try #require(last.max()) - (try #require(last.min()))
    #expect(spread < 1.5, "the satellites jump by 12 m")
    #expect(abs(try #require(last.last) - 300) < 2)
  }

  @Test("RADIO-31: is less certain, the longer the satellites are gone, and the more was climbed")
  mutating func growth() throws {
    for _ in 0..<600 {
      sample(120)
      _ = refined(300, accuracy: 3)
    }
    let near = try #require(refined(nil).verticalAccuracy)
    now += 3600
    sample(120)
    let late = try #require(refined(nil).verticalAccuracy)
    #expect(late > near + 2)
    sample(320)
    #expect(try #require(refined(nil).verticalAccuracy) > late + 1)
    now += 86_400 * 10
    sample(120)
    #expect(refined(nil).altitude == nil, "too long ago")
  }

  @Test("RADIO-31: a sample that is old counts no more")
  mutating func old() {
    sample(120)
    _ = refined(300)
    now += 61
    #expect(refined(nil).altitude == nil)
  }

  @Test("RADIO-30: positions that no receiver found teach it no altitude")
  mutating func methods() {
    sample(120)
    _ = refined(900, method: .service)
    #expect(refined(nil).altitude == nil)
    _ = refined(300) { $0.origin.isSimulated = true }
    #expect(refined(nil).altitude == nil)
  }

  @Test("RADIO-30: in a cabin under pressure, believes the satellites after a minute")
  mutating func cabin() throws {
    for second in 0..<600 {
      sample(120)
      _ = refined(300 + Double(second) * 10)
    }
    let fix = refined(6300)
    #expect(abs(try #require(fix.altitude) - 6300) < 700)
  }

  @Test("RADIO-32: a floor that is known changes with the floors that are climbed")
  mutating func floors() {
    for _ in 0..<20 { sample(120) }
    _ = refined(nil, method: .accessPoints) { $0.floor = 2 }
    for step in 0..<20 { sample(120 - Double(step) * 0.31) }
    for _ in 0..<20 { sample(114) }
    #expect(refined(nil).floor == 0)
    #expect(refined(nil) { $0.coordinate.latitude += 0.01 }.floor == nil, "another building")
    now += 3601
    for _ in 0..<20 { sample(114) }
    #expect(refined(nil).floor == nil, "too long ago")
  }

  @Test("RADIO-32: samples that are missing during a climb make the floor unknown")
  mutating func gap() {
    for _ in 0..<20 { sample(120) }
    _ = refined(nil) { $0.floor = 2 }
    now += 20
    for _ in 0..<20 { sample(120.3) }
    #expect(refined(nil).floor == 2)
    now += 20
    for _ in 0..<20 { sample(117) }
    #expect(refined(nil).floor == nil)
  }
}

@Suite("Floors by the barometer")
struct FloorCounterTests {
  private var counter = FloorCounter()
  private var now = 0.0

  private mutating func changes(_ heights: [Double]) -> [Int] {
    heights.compactMap { height in
      now += 1
      guard case .changed(let floors) = counter.take(height, at: .start + .seconds(now)) else {
        return nil
      }
      return floors
    }
  }

  private func rest(_ height: Double) -> [Double] { Array(repeating: height, count: 15) }

  @Test("RADIO-32: counts a floor by stairs, and two by a lift")
  mutating func climbs() {
    let stairs = (0..<15).map { Double($0) * 0.2 }
    #expect(changes(rest(0) + stairs + rest(3)) == [1])
    #expect(changes([2, 0, -2] + rest(-3)) == [-2])
    #expect(counter.count == -1)
  }

  @Test("RADIO-32: a door, a train, and the weather change no floor")
  mutating func pulses() {
    #expect(changes(rest(0) + [2.5, 2.5, 2.5, 2.5] + rest(0)).isEmpty)
    #expect(changes((0..<3600).map { Double($0) * 0.005 }).isEmpty)
  }

  @Test("RADIO-32: learns how high the floors of a building are")
  mutating func heights() {
    var height = 0.0
    for _ in 0..<8 {
      #expect(changes(rest(height) + [height + 1, height + 3]) == [])
      height += 4.4
      #expect(changes(rest(height)) == [1])
    }
    #expect(changes([height + 4] + rest(height + 8.8)) == [2])
  }
}

@Suite("The engine with a barometer")
struct EngineAltitudeTests {
  private var bench = EngineBench()

  private mutating func fix(altitude: Double?) {
    var fix = UpdatesBench.fix(at: bench.now)
    fix.altitude = altitude
    fix.verticalAccuracy = altitude.map { _ in 4 }
    bench.send(.fix(fix, from: ProviderID(0)))
    bench.run(seconds: 1)
  }

  private var altitudes: [Double?] {
    bench.deliveries.flatMap { delivery -> [Double?] in
      guard case .updates(_, .fixes(let fixes)) = delivery else { return [] }
      return fixes.map(\.altitude)
    }
  }

  @Test("RADIO-33: samples are needed while positions are, and only where there is a barometer")
  mutating func demand() {
    bench.start()
    #expect(bench.demand.pressure == nil)
    bench.send(.sensor(.pressure(PressureSample(hectopascals: 1000))))
    #expect(bench.demand.pressure == .seconds(1))
    bench.request(.updates(EngineBench.manager, .stop))
    #expect(bench.demand.pressure == nil)
  }

  @Test("RADIO-30: apps receive the altitude that the barometer shows, without one of satellites")
  mutating func altitude() throws {
    bench.send(.sensor(.pressure(PressureSample(hectopascals: 1000))))
    bench.start()
    for _ in 0..<60 {
      bench.send(.sensor(.pressure(PressureSample(hectopascals: 1000))))
      fix(altitude: 300)
    }
    bench.send(.sensor(.pressure(PressureSample(hectopascals: 999))))
    fix(altitude: nil)
    let last = try #require(altitudes.last)
    #expect(abs(try #require(last) - 308.4) < 0.3)
  }
}
