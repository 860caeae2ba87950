import LocationGeocoding
import LocationModel
import Testing

@_spi(MapKit) @testable import CoreLocation

@Suite("CLPlacemark")
struct CLPlacemarkTests {
  private func museum(latitude: Double) -> CLPlacemark {
    var place = Place(coordinate: Coordinate(latitude: latitude, longitude: -2.25), source: .places)
    (place.name, place.radius) = ("Museum", 40)
    (place.thoroughfare, place.subThoroughfare) = ("High Street", "7")
    (place.locality, place.country) = ("Town", "Country")
    return CLPlacemark(place)
  }

  @Test("says in its description the address, where it is, and how far it reaches")
  func description() {
    let circle = "<+48.50000000,-2.25000000>"
    #expect(
      "\(museum(latitude: 48.5))" == "Museum, 7 High Street, Town, Country @ \(circle) +/- 40.00m, "
        + "region CLCircularRegion (identifier:'\(circle) radius 40.00', center:\(circle), "
        + "radius:40.00m)")
  }

  @Test("REG-11: has a region that differs from that of a place of the same name elsewhere")
  func region() {
    #expect(museum(latitude: 48.5).region == museum(latitude: 48.5).region)
    #expect(museum(latitude: 48.5).region != museum(latitude: 12).region)
  }

  @Test("copies what a subclass answers, not what it stores")
  func overridden() {
    final class Pin: CLPlacemark, @unchecked Sendable {
      override var name: String? { "Pin" }
      override var country: String? { nil }
      override var areasOfInterest: [String]? { ["Harbor"] }
    }
    let copy = CLPlacemark(placemark: Pin(placemark: museum(latitude: 1)))
    #expect(copy.name == "Pin" && copy.country == nil && copy.areasOfInterest == ["Harbor"])
    #expect(copy.locality == "Town")
    let place = Pin(location: CLLocation(latitude: 3, longitude: 4))
    #expect(CLPlacemark(placemark: place).location?.coordinate.latitude == 3)
  }
}
