import LocationGeocoding
import LocationModel

extension CLPlacemark {
  /// Converts a geocoder's result of a date for the app (GEO-14).
  convenience init(_ place: Place, at date: Date = Date()) {
    let texts: [(Part, String?)] = [
      (.name, place.name), (.thoroughfare, place.thoroughfare),
      (.subThoroughfare, place.subThoroughfare), (.locality, place.locality),
      (.subLocality, place.subLocality), (.administrativeArea, place.administrativeArea),
      (.subAdministrativeArea, place.subAdministrativeArea), (.postalCode, place.postalCode),
      (.isoCountryCode, place.isoCountryCode), (.country, place.country), (.ocean, place.ocean),
      (.inlandWater, place.inlandWater),
    ]
    let center = CLLocationCoordinate2D(place.coordinate)
    let radius = place.radius ?? 100
    self.init(
      parts: texts.reduce(into: [:]) { $0[$1.0] = $1.1 },
      location: CLLocation(
        coordinate: center, altitude: 0, horizontalAccuracy: radius, verticalAccuracy: -1,
        timestamp: date),
      region: CLCircularRegion(
        center: center, radius: radius,
        identifier: center.text + String(format: " radius %.2f", radius)),
      timeZone: place.timeZone.flatMap { TimeZone(identifier: $0) },
      areasOfInterest: place.areasOfInterest.isEmpty ? nil : place.areasOfInterest)
  }
}
