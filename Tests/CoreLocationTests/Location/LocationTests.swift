import CoreLocation
import Foundation
import Testing

@Suite("A location")
struct LocationTests {
  private let place = CLLocationCoordinate2D(latitude: 18.51109633, longitude: 73.92337569)
  private let time = Date(timeIntervalSinceReferenceDate: 700_000_000)

  @Test("LOC-1: of latitude and longitude only has no height, speed, or course, and is of now")
  func shortest() {
    let before = Date()
    let location = CLLocation(latitude: 1, longitude: 2)
    #expect(location.coordinate.latitude == 1)
    #expect(location.coordinate.longitude == 2)
    #expect(location.altitude == 0)
    #expect(location.horizontalAccuracy == 0)
    #expect(location.verticalAccuracy == -1)
    #expect(location.speed == -1)
    #expect(location.course == -1)
    #expect(location.floor == nil)
    #expect(location.sourceInformation == nil)
    #expect((before...Date()).contains(location.timestamp))
  }

  @Test("LOC-2: reads -1 for what its initializer does not take")
  func missingValues() {
    let still = CLLocation(
      coordinate: place, altitude: 3, horizontalAccuracy: 4, verticalAccuracy: 5, timestamp: time)
    #expect(still.course == -1)
    #expect(still.speed == -1)
    let moving = CLLocation(
      coordinate: place, altitude: 3, horizontalAccuracy: 4, verticalAccuracy: 5, course: 6,
      speed: 7, timestamp: time)
    #expect(moving.course == 6)
    #expect(moving.courseAccuracy == -1)
    #expect(moving.speed == 7)
    #expect(moving.speedAccuracy == -1)
  }

  @Test("LOC-4: has ellipsoidal altitude 0 unless its vertical accuracy is positive")
  func invalidHeight() {
    for accuracy in [-1.0, 0] {
      let location = CLLocation(
        coordinate: place, altitude: 30, horizontalAccuracy: 4, verticalAccuracy: accuracy,
        timestamp: time)
      #expect(location.ellipsoidalAltitude == 0)
      #expect(location.altitude == 30)
    }
  }

  @Test("LOC-8: made without ellipsoidal altitude gives its altitude plus the geoid's height")
  func derivedHeight() {
    func height(at place: CLLocationCoordinate2D) -> Double {
      CLLocation(
        coordinate: place, altitude: 30, horizontalAccuracy: 4, verticalAccuracy: 5,
        timestamp: time
      ).ellipsoidalAltitude
    }
    // Sri Lanka lies in the deepest hollow of the geoid, Iceland on one of its hills.
    #expect(abs(height(at: CLLocationCoordinate2D(latitude: 6.9, longitude: 79.9)) + 66) < 5)
    #expect(abs(height(at: CLLocationCoordinate2D(latitude: 64.1, longitude: -21.9)) - 96) < 5)
    #expect(height(at: kCLLocationCoordinate2DInvalid) == 30)
  }

  @Test("LOC-8: made with source information has none, as a test on Apple's devices has shown")
  func sourceHeight() {
    let location = CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: 10, longitude: 20), altitude: 300,
      horizontalAccuracy: 4, verticalAccuracy: 5, course: 6, courseAccuracy: 7, speed: 8,
      speedAccuracy: 9, timestamp: time,
      sourceInfo: CLLocationSourceInformation(
        softwareSimulationState: true, andExternalAccessoryState: false))
    #expect(location.ellipsoidalAltitude == 0)
  }

  @Test("LOC-9, LOC-10: measures on the ellipsoid, symmetrically, whatever the altitude")
  func distance() {
    let west = CLLocation(latitude: 41, longitude: -113)
    let middle = CLLocation(latitude: 41, longitude: -112)
    let east = CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: 41, longitude: -111), altitude: 9_000,
      horizontalAccuracy: 1, verticalAccuracy: 1, timestamp: time)
    let sum = east.distance(from: middle) + middle.distance(from: west)
    #expect(abs(sum - 168_269.5) < 0.1)
    #expect(east.distance(from: middle) == middle.distance(from: east))
    #expect(east.distance(from: east) == 0)
  }

  @Test("LOC-11: equals only itself, and compares values when asked to")
  func identity() {
    let one = CLLocation(
      coordinate: place, altitude: 3, horizontalAccuracy: 4, verticalAccuracy: 5, timestamp: time)
    let same = CLLocation(
      coordinate: place, altitude: 3, horizontalAccuracy: 4, verticalAccuracy: 5, timestamp: time)
    #expect(one == one)
    #expect(one != same)
    #expect(one.hasSameValues(as: same))
    #expect(!one.hasSameValues(as: CLLocation(latitude: 1, longitude: 2)))
    #expect((one.copy() as? CLLocation) === one)
  }

  @Test("LOC-12: describes itself in one line")
  func description() {
    let location = CLLocation(
      coordinate: place, altitude: 3, horizontalAccuracy: 10, verticalAccuracy: 5, course: -1,
      speed: 0, timestamp: time)
    let start = "<+18.51109633,+73.92337569> +/- 10.00m (speed 0.00 mps / course -1.00) @ "
    #expect(location.description.hasPrefix(start))
    #expect(location.description.count > start.count + 10)
    #expect(location.debugDescription == location.description)
  }

  @Test("LOC-14: knows whether software or an accessory made it")
  func source() throws {
    let location = CLLocation(
      coordinate: place, altitude: 0, horizontalAccuracy: 1, verticalAccuracy: 0, course: 2,
      courseAccuracy: 3, speed: 4, speedAccuracy: 5, timestamp: time,
      sourceInfo: CLLocationSourceInformation(
        softwareSimulationState: true, andExternalAccessoryState: false))
    let source = try #require(location.sourceInformation)
    #expect(source.isSimulatedBySoftware)
    #expect(!source.isProducedByAccessory)
    #expect(location.ellipsoidalAltitude == 0)
    #expect(location.floor == nil)
  }

  @Test(
    "LOC-16: is valid on the Earth, edges included, and nowhere else",
    arguments: [
      (90, 180, true), (-90, -180, true), (0, 0, true), (90.001, 0, false), (0, -180.001, false),
      (Double.nan, 0, false), (0, Double.infinity, false),
    ])
  func validity(latitude: Double, longitude: Double, isValid: Bool) {
    let coordinate = CLLocationCoordinate2DMake(latitude, longitude)
    #expect(CLLocationCoordinate2DIsValid(coordinate) == isValid)
  }

  @Test("LOC-16: has a coordinate that is invalid by name")
  func invalidCoordinate() {
    #expect(!CLLocationCoordinate2DIsValid(kCLLocationCoordinate2DInvalid))
  }
}
