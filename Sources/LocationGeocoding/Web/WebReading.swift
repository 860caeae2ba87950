import FoundationEssentials
package import LocationModel

/// Parses the answer of a web geocoder.
package struct WebReading {
  private let dialect: WebService.Dialect

  package init(_ dialect: WebService.Dialect) {
    self.dialect = dialect
  }

  package func outcome(of answer: WebAnswer) -> GeocodeOutcome {
    switch answer {
    case .unreachable(let reason):
      return .failure(.service(reason))
    case .refused(let reason):
      return .failure(.service(reason))
    case .response(429, _, let retryAfter):
      return .failure(.budgetSpent(retryAfter: retryAfter ?? .seconds(60)))
    case .response(404, _, _):
      return .failure(.nothingFound)
    case .response(200, let body, _):
      return places(in: Data(body))
    case .response(let status, _, _):
      return .failure(.service("the server answered with HTTP status \(status)"))
    }
  }

  private func places(in body: Data) -> GeocodeOutcome {
    let places: [Place]?
    switch dialect {
    case .nominatim:
      let found =
        decoded([NominatimPlace].self, body) ?? decoded(NominatimPlace.self, body).map { [$0] }
      if found == nil, decoded(NominatimRefusal.self, body) != nil {
        return .failure(.nothingFound)
      }
      places = found?.compactMap(\.place)
    case .photon:
      places = decoded(PhotonCollection.self, body)?.features.compactMap(\.place)
    }
    guard let places else { return .failure(.service("the server's answer cannot be read")) }
    return places.isEmpty ? .failure(.nothingFound) : .success(places)
  }

  private func decoded<Value: Decodable>(_ type: Value.Type, _ body: Data) -> Value? {
    try? JSONDecoder().decode(type, from: body)
  }
}

/// The answer of Nominatim without a result: `{"error":"Unable to geocode"}`.
private struct NominatimRefusal: Decodable {
  var error: String
}

/// One result of Nominatim in the format `jsonv2`.
private struct NominatimPlace: Decodable {
  var lat: String
  var lon: String
  var category: String?
  var name: String?
  var display_name: String
  var address: [String: String]?
  /// South, north, west, east.
  var boundingbox: [String]?

  var place: Place? {
    guard let latitude = Double(lat), let longitude = Double(lon) else { return nil }
    let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    guard coordinate.isValid else { return nil }
    var place = Place(coordinate: coordinate, source: .nominatim)
    let parts = address ?? [:]
    let first = { (keys: [String]) in keys.lazy.compactMap { parts[$0] }.first }
    place.thoroughfare = first(["road", "pedestrian", "footway", "square"])
    place.subThoroughfare = parts["house_number"]
    // A village within a town is a part of it.
    let settlements = ["city", "town", "municipality", "village", "hamlet"].compactMap { parts[$0] }
    place.locality = settlements.first
    place.subLocality =
      first(["suburb", "neighbourhood", "quarter", "city_district", "borough"])
      ?? settlements.dropFirst().first
    place.administrativeArea = first(["state", "region", "province"])
    place.subAdministrativeArea = first(["county", "state_district", "district"])
    place.postalCode = parts["postcode"]
    place.country = parts["country"]
    place.isoCountryCode = parts["country_code"]?.uppercased()
    place.name = name.flatMap { $0.isEmpty ? nil : $0 } ?? display_name
    if let name, !name.isEmpty, isInterest { place.areasOfInterest = [name] }
    place.radius = radius(around: coordinate)
    return place
  }

  private var isInterest: Bool {
    !["boundary", "place", "highway", "building"].contains(category ?? "place")
  }

  private func radius(around center: Coordinate) -> Double? {
    let edges = boundingbox?.compactMap(Double.init) ?? []
    guard edges.count == 4 else { return nil }
    return sphericalDistance(center, Coordinate(latitude: edges[1], longitude: edges[3]))
  }
}

/// The answer of Photon: GeoJSON.
private struct PhotonCollection: Decodable {
  var features: [Feature]

  struct Feature: Decodable {
    var geometry: Geometry
    var properties: Properties
  }

  struct Geometry: Decodable {
    /// Longitude, latitude.
    var coordinates: [Double]
  }

  struct Properties: Decodable {
    var name: String?
    var housenumber: String?
    var street: String?
    var locality: String?
    var district: String?
    var city: String?
    var county: String?
    var state: String?
    var postcode: String?
    var country: String?
    var countrycode: String?
    var type: String?
    var osm_key: String?
    /// West, north, east, south.
    var extent: [Double]?
  }
}

extension PhotonCollection.Feature {
  fileprivate var place: Place? {
    guard geometry.coordinates.count >= 2 else { return nil }
    let coordinate = Coordinate(
      latitude: geometry.coordinates[1], longitude: geometry.coordinates[0])
    guard coordinate.isValid else { return nil }
    let known = properties
    var place = Place(coordinate: coordinate, source: .photon)
    place.thoroughfare = known.street ?? (known.type == "street" ? known.name : nil)
    place.subThoroughfare = known.housenumber
    place.locality = known.city ?? (known.type == "city" ? known.name : nil)
    place.subLocality = known.district ?? known.locality
    place.subAdministrativeArea = known.county ?? (known.type == "county" ? known.name : nil)
    place.administrativeArea = known.state ?? (known.type == "state" ? known.name : nil)
    place.postalCode = known.postcode
    place.country = known.country ?? (known.type == "country" ? known.name : nil)
    place.isoCountryCode = known.countrycode?.uppercased()
    let address = [known.street, known.housenumber].compactMap { $0 }.joined(separator: " ")
    place.name = known.name ?? (address.isEmpty ? place.locality ?? place.country : address)
    if known.type == "house", let name = known.name { place.areasOfInterest = [name] }
    if let extent = known.extent, extent.count == 4 {
      place.radius = sphericalDistance(
        coordinate, Coordinate(latitude: extent[1], longitude: extent[2]))
    }
    return place
  }
}
