import Foundation
import LocationModel
import Testing

@testable import CoreLocation

@Suite("A location made from a fix")
struct FixTests {
  private let place = Coordinate(latitude: 48.8584, longitude: 2.2945)
  private let time = UnixTime(seconds: 1_700_000_000.25)

  @Test("LOC-3 to LOC-6: turns absence into Apple's sentinels")
  func absence() {
    let location = CLLocation(Fix(coordinate: place, horizontalAccuracy: 12, time: time))
    #expect(location.coordinate.latitude == 48.8584)
    #expect(location.coordinate.longitude == 2.2945)
    #expect(location.horizontalAccuracy == 12)
    #expect(location.altitude == 0)
    #expect(location.ellipsoidalAltitude == 0)
    #expect(location.verticalAccuracy == -1)
    #expect(location.speed == -1)
    #expect(location.speedAccuracy == -1)
    #expect(location.course == -1)
    #expect(location.courseAccuracy == -1)
    #expect(location.floor == nil)
  }

  @Test("LOC-7, LOC-14, LOC-15, LOC-17: keeps all that is known")
  func presence() throws {
    var fix = Fix(
      coordinate: place, horizontalAccuracy: 12, time: time,
      origin: Fix.Origin(isSimulated: false, isAccessory: true))
    fix.altitude = 35
    fix.ellipsoidalAltitude = 79
    fix.verticalAccuracy = 3
    fix.speed = 1.5
    fix.speedAccuracy = 0.5
    fix.course = 270
    fix.courseAccuracy = 10
    fix.floor = -2
    let location = CLLocation(fix)
    #expect(location.altitude == 35)
    #expect(location.ellipsoidalAltitude == 79)
    #expect(location.verticalAccuracy == 3)
    #expect(location.speed == 1.5)
    #expect(location.speedAccuracy == 0.5)
    #expect(location.course == 270)
    #expect(location.courseAccuracy == 10)
    #expect(location.floor?.level == -2)
    #expect(location.timestamp == Date(timeIntervalSince1970: 1_700_000_000.25))
    let source = try #require(location.sourceInformation)
    #expect(source.isProducedByAccessory)
    #expect(!source.isSimulatedBySoftware)
  }

  @Test("LOC-6: has no accuracy of a speed or course it has not")
  func accuracyWithoutValue() {
    var fix = Fix(coordinate: place, horizontalAccuracy: 12, time: time)
    fix.speedAccuracy = 1
    fix.courseAccuracy = 1
    let location = CLLocation(fix)
    #expect(location.speedAccuracy == -1)
    #expect(location.courseAccuracy == -1)
  }

  @Test("LOC-20: is valid at the place where the equator meets Greenwich")
  func origin() {
    let zero = Coordinate(latitude: 0, longitude: 0)
    let location = CLLocation(Fix(coordinate: zero, horizontalAccuracy: 5, time: time))
    #expect(CLLocationCoordinate2DIsValid(location.coordinate))
    #expect(location.horizontalAccuracy == 5)
  }
}
