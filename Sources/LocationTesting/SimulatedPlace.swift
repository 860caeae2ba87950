public import CoreLocation
import LocationGeocoding
import LocationModel

/// A place that the geocoders of a simulated device find, with its address; what is `nil` is unknown.
public struct SimulatedPlace: Hashable, Sendable {
  /// Where it is, in degrees.
  public var latitude: CLLocationDegrees
  /// Where it is, in degrees.
  public var longitude: CLLocationDegrees
  /// The meters around it in which reverse geocoding finds it.
  public var radius: CLLocationDistance
  /// The most specific name.
  public var name: String?
  /// The street.
  public var thoroughfare: String?
  /// The number in the street.
  public var subThoroughfare: String?
  /// The city.
  public var locality: String?
  /// The part of the city.
  public var subLocality: String?
  /// The state or province.
  public var administrativeArea: String?
  /// The county.
  public var subAdministrativeArea: String?
  /// The postal code.
  public var postalCode: String?
  /// The country, in two letters.
  public var isoCountryCode: String?
  /// The name of the country.
  public var country: String?
  /// The lake or river.
  public var inlandWater: String?
  /// The sea.
  public var ocean: String?
  /// What the place is known for.
  public var areasOfInterest: [String] = []
  /// The identifier of its time zone.
  public var timeZone: String?

  /// Makes a place; the rest of its address is set afterwards.
  ///
  /// - Parameters:
  ///   - place: Where it is.
  ///   - name: The most specific name.
  ///   - locality: The city.
  ///   - radius: The meters around it in which reverse geocoding finds it.
  public init(
    at place: CLLocationCoordinate2D, name: String? = nil, locality: String? = nil,
    radius: CLLocationDistance = 100
  ) {
    (latitude, longitude, self.radius) = (place.latitude, place.longitude, radius)
    (self.name, self.locality) = (name, locality)
  }

  var coordinate: CLLocationCoordinate2D {
    CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
  }

  var place: Place {
    var place = Place(coordinate: Coordinate(coordinate), source: .simulated)
    place.radius = radius
    (place.name, place.thoroughfare) = (name, thoroughfare)
    (place.subThoroughfare, place.locality) = (subThoroughfare, locality)
    (place.subLocality, place.administrativeArea) = (subLocality, administrativeArea)
    (place.subAdministrativeArea, place.postalCode) = (subAdministrativeArea, postalCode)
    (place.isoCountryCode, place.country) = (isoCountryCode, country)
    (place.inlandWater, place.ocean) = (inlandWater, ocean)
    (place.areasOfInterest, place.timeZone) = (areasOfInterest, timeZone)
    return place
  }
}

/// The places that a simulated device knows, and its network.
struct Gazetteer: Sendable {
  /// In the order in which they are found; `nil` before the test has named any.
  var places: [Place]?
  var isOnline = true
  /// The time from a question to its answer.
  var latency = Duration.zero

  /// Answers a question of a geocoder (SIM-32, SIM-33).
  ///
  /// - Complexity: Linear in the places.
  func answer(to question: GeocodeQuestion) -> GeocodeOutcome {
    guard isOnline else { return .failure(.service("the device has no network")) }
    let found =
      switch question {
      case .reverse(let point, _, _): around(point)
      case .forward(let text, let region, _): named(text, near: region)
      }
    return found.isEmpty ? .failure(.nothingFound) : .success(found)
  }

  /// Returns the nearest place around a point.
  private func around(_ point: Coordinate) -> [Place] {
    let near = (places ?? []).map { ($0, $0.coordinate.distance(to: point)) }
      .filter { place, meters in meters <= place.radius ?? 0 }
    return near.min { $0.1 < $1.1 }.map { [$0.0] } ?? []
  }

  /// Returns the places whose names and address have every word of a text, those in the region first
  /// (GEO-10).
  private func named(_ text: String, near region: RegionHint?) -> [Place] {
    let words = Set(Self.words(of: text))
    guard !words.isEmpty else { return [] }
    let found = (places ?? []).filter { words.isSubset(of: Self.words(of: $0)) }
    guard let region else { return found }
    let near = { (place: Place) in place.coordinate.distance(to: region.center) <= region.radius }
    return found.filter { near($0) } + found.filter { !near($0) }
  }

  private static func words(of place: Place) -> [String] {
    let texts = [
      place.name, place.thoroughfare, place.subThoroughfare, place.locality, place.subLocality,
      place.administrativeArea, place.subAdministrativeArea, place.postalCode,
      place.isoCountryCode, place.country, place.inlandWater, place.ocean,
    ]
    return (texts.compactMap { $0 } + place.areasOfInterest).flatMap(words(of:))
  }

  /// The words of a text, without regard to case and accents.
  private static func words(of text: String) -> [String] {
    text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
      .split { !$0.isLetter && !$0.isNumber }.map(String.init)
  }
}
