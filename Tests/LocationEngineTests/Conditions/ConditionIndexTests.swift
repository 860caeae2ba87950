import LocationModel
import Testing

@testable import LocationEngine

@Suite("The condition index")
struct ConditionIndexTests {
  struct Entry {
    var circle: Circle
    var slot: ConditionIndex.Slot
  }

  private func randomCircle(_ random: inout SeededRandom) -> Circle {
    let latitude =
      switch Int.random(in: 0..<4, using: &random) {
      case 0: Double.random(in: 88...90, using: &random)
      case 1: Double.random(in: -90...(-88), using: &random)
      default: Double.random(in: -60...60, using: &random)
      }
    let longitude =
      Bool.random(using: &random)
      ? Double.random(in: 179...180, using: &random)
      : Double.random(in: -180...(-178), using: &random)
    let exponent = Double.random(in: 1...5.9, using: &random)
    return Circle(
      center: Coordinate(latitude: latitude, longitude: longitude),
      radius: power(10, exponent))
  }

  @Test(
    "misses no circle that holds a place, at poles and the date line too, few or many",
    arguments: zip(1...5 as ClosedRange<UInt64>, [600, 600, 600, 30, 50]))
  func finds(seed: UInt64, steps: Int) {
    var random = SeededRandom(seed: seed)
    var index = ConditionIndex()
    var entries: [Entry] = []
    for step in 0..<steps {
      if step % 5 == 4 {
        let removed = entries.remove(at: Int.random(in: entries.indices, using: &random))
        index.remove(removed.slot)
      } else {
        let circle = randomCircle(&random)
        let slot = index.insert(center: circle.center, radius: circle.radius)
        entries.append(Entry(circle: circle, slot: slot))
      }
    }
    #expect(index.count == entries.count)
    var hits = 0
    for _ in 0..<2000 {
      let probe = randomCircle(&random).center
      let point = GeocentricPoint(probe)
      var found: [ConditionIndex.Slot] = []
      index.collect(at: probe, into: &found)
      #expect(Set(found).count == found.count)
      for entry in entries {
        let distance = point.distance(to: GeocentricPoint(entry.circle.center))
        guard distance <= entry.circle.radius else { continue }
        hits += 1
        #expect(found.contains(entry.slot))
      }
    }
    #expect(hits > 2 * steps)
  }

  @Test("finds boxes that are low and wide, which lie in few cells")
  func wideBoxes() {
    var index = ConditionIndex()
    for number in 0..<60 {
      let south = Double(number) - 30
      _ = index.insert(
        GeodeticBox(BoundingBox(south: south, north: south + 1e-5, west: 100, east: -100)))
    }
    for number in 0..<60 {
      let south = Double(number) - 30
      _ = index.insert(
        GeodeticBox(BoundingBox(south: south, north: south + 1e-5, west: 6, east: 6.5)))
    }
    for (longitude, slot) in [(180.0, 5), (-180, 5), (101, 5), (6.25, 65)] {
      var found: [ConditionIndex.Slot] = []
      index.collect(at: Coordinate(latitude: -25 + 5e-6, longitude: longitude), into: &found)
      #expect(found == [ConditionIndex.Slot(slot)])
    }
    #expect(index.footprint < 30_000)
  }

  @Test("finds nothing after everything was removed, and takes the same room again")
  func removal() {
    var index = ConditionIndex()
    for _ in 0..<3 {
      let slots = (0..<200).map { index.insert(center: place(east: Double($0)), radius: 100) }
      #expect(Set(slots) == Set(0..<200))
      var found: [ConditionIndex.Slot] = []
      index.collect(at: place(east: 50), into: &found)
      #expect(found.count > 100)
      for slot in slots { index.remove(slot) }
      found = []
      index.collect(at: place(east: 50), into: &found)
      #expect(found.isEmpty)
      #expect(index.count == 0)
    }
  }

  @Test("holds 100,000 circles in 120 bytes each")
  func footprint() {
    var random = SeededRandom(seed: 4)
    var index = ConditionIndex()
    for _ in 0..<100_000 {
      let center = Coordinate(
        latitude: .random(in: 30...50, using: &random),
        longitude: .random(in: -120...(-80), using: &random))
      _ = index.insert(center: center, radius: 100)
    }
    #expect(index.footprint <= 120 * 100_000)
  }

  @Test("holds an app's 20 circles in 60 bytes each, all at one place too")
  func smallFootprint() {
    var index = ConditionIndex()
    for _ in 0..<20 { _ = index.insert(center: place(), radius: 100) }
    #expect(index.footprint <= 60 * 20)
  }

  @Test("gives up a search around a place once it has seen enough")
  func limitedSearch() {
    var index = ConditionIndex()
    for _ in 0..<100 { _ = index.insert(center: place(), radius: 50) }
    var found: [ConditionIndex.Slot] = []
    #expect(index.collect(within: 400, of: place(east: 300), limit: 1000, into: &found))
    #expect(Set(found).count == 100)
    found = []
    #expect(!index.collect(within: 400, of: place(east: 300), limit: 50, into: &found))
  }

  @Test("takes circles around the poles that reach around the earth", arguments: [90.0, -90])
  func widestCircle(latitude: Double) {
    var index = ConditionIndex()
    let pole = Coordinate(latitude: latitude, longitude: 0)
    for radius in [19_902_600, 2e7, 1e300] {
      let slot = index.insert(center: pole, radius: radius)
      for probe in [pole, place(), Coordinate(latitude: -latitude, longitude: 180)] {
        var found: [ConditionIndex.Slot] = []
        index.collect(at: probe, into: &found)
        #expect(found.contains(slot))
      }
    }
  }
}
