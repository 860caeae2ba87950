import CoreLocation
import Foundation
import Testing

private final class StillLocation: CLLocation, @unchecked Sendable {
  private let name: String

  init(name: String) {
    self.name = name
    super.init()
  }

  required init?(coder: NSCoder) { nil }

  override var speed: CLLocationSpeed { 0 }
  override var coordinate: CLLocationCoordinate2D { .init(latitude: 41, longitude: -111) }
  override var description: String { name }
}

private final class TopFloor: CLFloor {
  override var level: Int { 9 }
}

private final class Shop: CLBeaconRegion {
  init(uuid: UUID) { super.init(uuid: uuid, major: 1, identifier: "shop") }
  required init?(coder: NSCoder) { nil }
}

@Suite("A double")
struct SubclassTests {
  @Test("of a location is measured by what it overrides")
  func location() {
    let double: CLLocation = StillLocation(name: "still")
    let other = CLLocation(latitude: 41, longitude: -112)
    #expect(double.speed == 0)
    #expect(double.description == "still")
    #expect(other.distance(from: double) > 84_000)
    #expect(double.distance(from: other) == other.distance(from: double))
  }

  @Test("may call any initializer of its superclass")
  func initializers() {
    let uuid = UUID()
    #expect(Shop(uuid: uuid).uuid == uuid)
    #expect(Shop(uuid: uuid).major == 1)
    #expect(TopFloor().level == 9)
  }
}
