import LocationEngine
import LocationModel
import LocationSecrets
import TestSupport
import Testing

@Suite("The coarse place")
struct CoarseLocatorTests {
  static func fix(_ coordinate: Coordinate, at now: Moment) -> Fix {
    Fix(coordinate: coordinate, horizontalAccuracy: 10, time: now.unixTime)
  }

  static let town = Coordinate(latitude: 47.37, longitude: 8.54)

  /// Fixes every `step` seconds from wherever `position` says.
  static func watch(
    secret: UInt64, seconds: Double, step: Double = 60, _ position: (Double) -> Coordinate
  ) -> Bench<CoarseLocator> {
    var bench = Bench(CoarseLocator(secret: SecretKey(seed: secret))) { output in
      if case .place = output { "place" } else { nil }
    }
    for time in stride(from: 0, to: seconds, by: step) {
      bench.send(.fix(fix(position(time), at: bench.now)))
      bench.run(for: .seconds(step))
    }
    return bench
  }

  /// The places one app receives, and when.
  static func places(_ bench: Bench<CoarseLocator>) -> [(at: Instant, fix: Fix)] {
    var points = bench.machine.points(of: AppIdentity("org.example.app"))
    return bench.outputs.compactMap { entry in
      guard case .place(let place) = entry.output else { return nil }
      return (entry.at, points.fix(of: place))
    }
  }

  @Test("AUTH-41: a person who stays gets one place, kilometers wide, however long it is watched")
  func standing() throws {
    for secret in 1...20 as ClosedRange<UInt64> {
      let bench = Self.watch(secret: secret, seconds: 86_400) { time in
        var noise = SeededRandom(seed: UInt64(time))
        return Self.town.moved(
          east: .random(in: -50...50, using: &noise), north: .random(in: -50...50, using: &noise))
      }
      let places = Self.places(bench)
      #expect(places.count == 1)
      let place = try #require(places.first).fix
      #expect(place.horizontalAccuracy == 5_000)
      #expect(place.speed == nil && place.course == nil && place.altitude == nil)
      #expect(place.coordinate.planeDistance(to: Self.town) < 8_600)
    }
  }

  @Test("AUTH-46: noise at the very border of a cell changes nothing, however long it is watched")
  func border() throws {
    for secret in 1...10 as ClosedRange<UInt64> {
      // Halving the way between two cells leads to their border.
      let grid = CoarseGrid(secret: SecretKey(seed: secret))
      var (inner, outer) = (Self.town, Self.town.moved(east: 9_000, north: 0))
      guard grid.cell(at: inner) != grid.cell(at: outer) else { continue }
      for _ in 0..<20 {
        let middle = Coordinate(
          latitude: inner.latitude, longitude: (inner.longitude + outer.longitude) / 2)
        if grid.cell(at: middle) == grid.cell(at: inner) { inner = middle } else { outer = middle }
      }
      var snapped: Set<CoarseGrid.Cell> = []
      let bench = Self.watch(secret: secret, seconds: 86_400) { time in
        var noise = SeededRandom(seed: UInt64(time))
        let place = inner.moved(east: .random(in: -50...50, using: &noise), north: 0)
        snapped.insert(grid.cell(at: place))
        return place
      }
      #expect(snapped.count == 2, "the person is not at a border")
      #expect(Self.places(bench).count == 1)
    }
  }

  @Test("AUTH-41, POW-7: a traveler is placed about four times an hour, never faster")
  func traveling() {
    let bench = Self.watch(secret: 3, seconds: 86_400) { time in
      Self.town.moved(east: 30 * time, north: 0)
    }
    let times = Self.places(bench).map(\.at)
    #expect((90...97).contains(times.count))
    for (earlier, later) in zip(times, times.dropFirst()) {
      #expect((600...1200).contains(later.seconds(since: earlier)))
    }
  }

  @Test("AUTH-42: the time of a place is at most twenty minutes old, and never ahead")
  func times() throws {
    var bench = Bench(CoarseLocator(secret: SecretKey(seed: 9)))
    for _ in 0..<500 {
      bench.send(.fix(Self.fix(Self.town, at: bench.now)))
      bench.run(for: .seconds(37))
      let age = bench.now.unixTime.seconds(since: try #require(bench.machine.place).time)
      #expect((0...1237).contains(age))
      #expect(bench.machine.place?.time.seconds.truncatingRemainder(dividingBy: 60) == 0)
    }
  }

  @Test("the times of deliveries tell nothing of when a cell was crossed")
  func crossingTimes() throws {
    for secret in 1...10 as ClosedRange<UInt64> {
      let reference = Self.watch(secret: secret, seconds: 7200, step: 10) { time in
        time < 3000 ? Self.town : Self.town.moved(east: 40_000, north: 0)
      }
      let delivery = try #require(Self.places(reference).last).at.seconds(since: .start)
      // Whenever it happens between two turns, the word comes at the same turn.
      for lead in [10.0, 100, 300, 590] {
        let other = Self.watch(secret: secret, seconds: 7200, step: 10) { time in
          time <= delivery - lead ? Self.town : Self.town.moved(east: 40_000, north: 0)
        }
        #expect(other.outputs.map(\.output) == reference.outputs.map(\.output))
        #expect(other.transcript == reference.transcript)
      }
    }
  }

  @Test("AUTH-46: what is known of the past stays known after a restart")
  func restart() throws {
    // Just beyond the border of a cell that was entered before.
    var bench = Bench(CoarseLocator(secret: SecretKey(seed: 5)))
    bench.send(.fix(Self.fix(Self.town, at: bench.now)))
    let first = try #require(bench.machine.place).cell
    var entries: [StateEntry] = []
    for case .persist(.set(let key, let value)) in bench.outputs.map(\.output) {
      entries = [StateEntry(key: key, value: value)]
    }
    let beyond = bench.machine.grid.center(of: first).moved(east: 7_000, north: 0)
    var restored = CoarseLocator(secret: SecretKey(seed: 5))
    restored.restore(from: entries)
    _ = restored.handle(.fix(Self.fix(beyond, at: bench.now)), at: bench.now)
    #expect(restored.place?.cell == first)
    var fresh = CoarseLocator(secret: SecretKey(seed: 5))
    _ = fresh.handle(.fix(Self.fix(beyond, at: bench.now)), at: bench.now)
    #expect(fresh.place?.cell != first)
  }

  @Test("covers the whole earth: poles, antimeridian, and every cell holds its own center")
  func earth() {
    for secret in 1...5 as ClosedRange<UInt64> {
      let grid = CoarseGrid(secret: SecretKey(seed: secret))
      for latitude in Array(stride(from: -90.0, through: 90, by: 3.7)) + [90.0] {
        for longitude in Array(stride(from: -180.0, through: 180, by: 7.3)) + [180.0] {
          let place = Coordinate(latitude: latitude, longitude: longitude)
          let cell = grid.cell(at: place)
          let center = grid.center(of: cell)
          #expect(center.isValid)
          #expect(grid.distance(from: place, to: cell) < 100)
          #expect(latitude.magnitude > 89.8 || grid.cell(at: center) == cell)
        }
      }
    }
  }
}
