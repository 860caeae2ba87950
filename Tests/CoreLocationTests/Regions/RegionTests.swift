import CoreLocation
import Foundation
import Testing

@Suite("A region")
struct RegionTests {
  private let center = CLLocationCoordinate2D(latitude: 48.8584, longitude: 2.2945)

  @Test("REG-11: equals another with the same identifier")
  func equality() {
    let here = CLCircularRegion(center: center, radius: 100, identifier: "home")
    let elsewhere = CLCircularRegion(center: .init(), radius: 5, identifier: "home")
    let other = CLCircularRegion(center: center, radius: 100, identifier: "work")
    #expect(here == elsewhere)
    #expect(here.hash == elsewhere.hash)
    #expect(here != other)
    #expect(Set<CLRegion>([here, elsewhere, other]).count == 2)
  }

  @Test("REG-38: contains its edge, and nothing beyond")
  func contains() {
    let edge = CLLocation(latitude: 48.86, longitude: 2.2945)
    let middle = CLLocation(latitude: center.latitude, longitude: center.longitude)
    let radius = edge.distance(from: middle)
    let exact = CLCircularRegion(center: center, radius: radius, identifier: "exact")
    let smaller = CLCircularRegion(center: center, radius: radius - 0.001, identifier: "smaller")
    #expect(exact.contains(edge.coordinate))
    #expect(!smaller.contains(edge.coordinate))
    #expect(!exact.contains(kCLLocationCoordinate2DInvalid))
  }

  @Test("is copied with what it notifies, and then changes alone")
  func copy() throws {
    let region = CLCircularRegion(center: center, radius: 100, identifier: "home")
    region.notifyOnEntry = false
    let copy = try #require(region.copy() as? CLCircularRegion)
    #expect(copy !== region)
    #expect(copy.radius == 100)
    #expect(!copy.notifyOnEntry)
    copy.notifyOnEntry = true
    #expect(!region.notifyOnEntry)
  }

  @Test("BEACON-1, BEACON-2: says what its beacon must advertise")
  func peripheralData() throws {
    let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
    let region = CLBeaconRegion(uuid: uuid, major: 0x0102, minor: 0xFFFE, identifier: "shop")
    let identity: [UInt8] = [
      0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE,
      0xFF, 0x01, 0x02, 0xFF, 0xFE,
    ]
    for (power, byte) in [(nil, 0xC5), (NSNumber(value: -70), 0xBA)] as [(NSNumber?, UInt8)] {
      let advertisement = region.peripheralData(withMeasuredPower: power)
      let data = try #require(
        advertisement.object(forKey: "kCBAdvDataAppleBeaconKey" as NSString) as? NSData)
      #expect(Array(data as Data) == identity + [byte])
    }
  }

  @Test("names in its description what it is for")
  func description() throws {
    let circle = CLCircularRegion(center: center, radius: 70.75, identifier: "tower")
    #expect(
      "\(circle)" == "CLCircularRegion (identifier:'tower', "
        + "center:<+48.85840000,+2.29450000>, radius:70.75m)")
    let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
    let region = CLBeaconRegion(uuid: uuid, major: 1, minor: 2, identifier: "shop")
    #expect(
      "\(region)" == "CLBeaconRegion (identifier:'shop', "
        + "uuid:00112233-4455-6677-8899-AABBCCDDEEFF, major:1, minor:2)")
    let house = CLBeaconRegion(uuid: uuid, identifier: "house")
    #expect("\(house)".hasSuffix("major:(null), minor:(null))"))
  }

  @Test("BEACON-5: has a constraint that equals another with the same parts")
  func constraints() {
    let uuid = UUID()
    let one = CLBeaconIdentityConstraint(uuid: uuid, major: 1)
    #expect(one == CLBeaconIdentityConstraint(uuid: uuid, major: 1))
    #expect(one.hash == CLBeaconIdentityConstraint(uuid: uuid, major: 1).hash)
    #expect(one != CLBeaconIdentityConstraint(uuid: uuid))
    #expect(one != CLBeaconIdentityConstraint(uuid: uuid, major: 1, minor: 2))
  }

  @Test("as a monitor's condition survives coding")
  func conditions() throws {
    let circle = CLMonitor.CircularGeographicCondition(center: center, radius: 75)
    let circleBack = try JSONDecoder().decode(
      CLMonitor.CircularGeographicCondition.self, from: JSONEncoder().encode(circle))
    #expect(circleBack.center.latitude == center.latitude)
    #expect(circleBack.center.longitude == center.longitude)
    #expect(circleBack.radius == 75)
    let beacon = CLMonitor.BeaconIdentityCondition(uuid: UUID(), major: 3)
    let beaconBack = try JSONDecoder().decode(
      CLMonitor.BeaconIdentityCondition.self, from: JSONEncoder().encode(beacon))
    #expect(beaconBack.uuid == beacon.uuid)
    #expect(beaconBack.major == 3)
    #expect(beaconBack.minor == nil)
  }
}
