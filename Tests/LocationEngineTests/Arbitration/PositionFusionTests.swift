import LocationEngine
import LocationModel
import Testing

@Suite("The fusion of sources")
struct PositionFusionTests {
  private var arbiter = ProviderArbiter()
  private let frame = LocalFrame(center: Coordinate(latitude: 49.4, longitude: 11.1))

  /// Hands in a fix of a second, so many meters east; returns the fused position, if there is one.
  private mutating func receive(
    _ provider: Int, east: Double, radius: Double, at second: Double,
    by method: PositionMethod = .receiver, speed: Double? = nil, course: Double? = nil
  ) -> Fix? {
    let time = ArbitrationWorld.begin + .seconds(second)
    var fix = Fix(
      coordinate: frame.place(east: east, north: 0), horizontalAccuracy: radius, time: time,
      origin: Fix.Origin(method: method))
    (fix.speed, fix.course) = (speed, course)
    let now = ArbitrationWorld.moment(second)
    return arbiter.handle(.fix(fix, ProviderID(provider)), at: now).first.flatMap {
      arbiter.fuse($0, at: now)
    }
  }

  private func east(_ fix: Fix) -> Double { frame.offset(of: fix.coordinate).east }

  @Test("RADIO-50: two sources that agree give one position between them, nearer the better one")
  mutating func between() throws {
    _ = receive(0, east: 0, radius: 20, at: 0, speed: 0)
    let first = receive(1, east: 15, radius: 12, at: 0.5, by: .accessPoints)
    let fix = try #require(first)
    #expect(east(fix) > 7.5 && east(fix) < 15)
    #expect(fix.horizontalAccuracy < 12 && fix.horizontalAccuracy > 9)
    #expect(fix.origin.method == .accessPoints)
    #expect(fix.origin.fused == [.accessPoints, .receiver])
    #expect(arbiter.current == fix)
    let next = receive(0, east: 0, radius: 20, at: 1, speed: 0)
    #expect(next?.time == ArbitrationWorld.begin + .seconds(1))
  }

  @Test("ADMIN-1: a less accurate fix on which the position rests too is called fused")
  mutating func use() {
    _ = receive(0, east: 0, radius: 10, at: 0, speed: 0)
    #expect(receive(1, east: 5, radius: 20, at: 0.5, by: .accessPoints) != nil)
    #expect(arbiter.ownFix(of: ProviderID(1))?.use == .fused)
    #expect(arbiter.ownFix(of: ProviderID(0))?.use == .current)
  }

  @Test("RADIO-50: an older fix is moved with the device, and counts less")
  mutating func moves() throws {
    _ = receive(1, east: 0, radius: 10, at: 0, by: .accessPoints)
    var fixes: [Fix] = []
    for second in 1...8 {
      let way = 1.5 * Double(second)
      let fix = receive(0, east: way, radius: 15, at: Double(second), speed: 1.5, course: 90)
      fixes.append(try #require(fix))
    }
    for (index, fix) in fixes.enumerated() {
      #expect(abs(east(fix) - Double(index + 1) * 1.5) < 0.1)
    }
    let radii = fixes.map(\.horizontalAccuracy)
    #expect(radii == radii.sorted() && radii[7] > radii[0])
  }

  @Test("RADIO-51: what one source repeats is not averaged as if it were news")
  mutating func repeats() throws {
    _ = receive(0, east: 0, radius: 10, at: 0, speed: 0)
    var radii: [Double] = []
    for second in 1...200 {
      let joint =
        second.isMultiple(of: 2)
        ? receive(0, east: 0, radius: 10, at: Double(second), speed: 0)
        : receive(1, east: 8, radius: 10, at: Double(second), by: .accessPoints)
      let fix = try #require(joint)
      radii.append(fix.horizontalAccuracy)
      #expect(abs(east(fix) - 4) < 1)
    }
    #expect(abs((radii.last ?? 0) - radii[3]) < 0.2)
  }

  @Test(
    "RADIO-51: sources of one kind err together: their radius shrinks less",
    arguments: [PositionMethod.accessPoints, .beacons])
  mutating func together(method: PositionMethod) throws {
    var other = self
    _ = receive(0, east: 0, radius: 10, at: 0, speed: 0)
    _ = other.receive(0, east: 0, radius: 10, at: 0, by: method)
    let joint = receive(1, east: 5, radius: 10, at: 0.1, by: .accessPoints)
    let alike = other.receive(1, east: 5, radius: 10, at: 0.1, by: .accessPoints)
    let radii = (
      mixed: try #require(joint).horizontalAccuracy, alike: try #require(alike).horizontalAccuracy
    )
    #expect(radii.mixed < 7.6)
    #expect(radii.alike > 9.3 && radii.alike < 10)
  }

  /// The mean of the squared distances in squared radii is 0.878 if both radii are honest.
  @Test(
    "RADIO-54: the common radius grows by what the distance says about both radii",
    arguments: [(0.0, 1.0), (8, 1), (13, 1), (16, 1.208), (19, 1.434)])
  mutating func scatter(east: Double, growth: Double) throws {
    _ = receive(1, east: 0, radius: 10, at: 0, by: .accessPoints, speed: 0)
    let joint = try #require(receive(0, east: east, radius: 10, at: 0.1, speed: 0))
    // Two radii of 10 m, of which a tenth is one error.
    let honest = (99.0 / 1.8).squareRoot()
    #expect(abs(joint.horizontalAccuracy / honest - growth) < 0.02, "\(joint.horizontalAccuracy)")
  }

  @Test("RADIO-51: a receiver that two sources read counts once")
  mutating func copies() {
    for number in 0..<5 {
      let first = receive(0, east: 0, radius: 10, at: Double(number))
      let second = receive(1, east: 0, radius: 10, at: Double(number))
      #expect(first == nil && second == nil)
    }
  }

  @Test(
    "RADIO-52: what is coarser, older, or elsewhere does not change the position",
    arguments: [(0.0, 26.0, 1.0), (0, 10, 40), (40, 10, 1), (400, 10, 1)])
  mutating func alone(east: Double, radius: Double, later: Double) {
    _ = receive(1, east: east, radius: radius, at: 0, by: .accessPoints)
    let fix = receive(0, east: 0, radius: 10, at: later, speed: 0)
    #expect(fix == nil)
  }

  @Test("RADIO-52: one source alone is delivered as it is")
  mutating func single() {
    for second in 0..<100 {
      let fix = receive(0, east: Double(second), radius: 10, at: Double(second))
      #expect(fix == nil)
      #expect(arbiter.current?.horizontalAccuracy == 10)
    }
  }
}
