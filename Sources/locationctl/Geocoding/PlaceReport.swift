import LocationCoding
import LocationGeocoding
import LocationModel

/// One answer of a geocoder, as it is printed.
struct PlaceReport {
  var place: Place
  /// The attribution that the licenses of the data require.
  var attribution: String

  /// One line; what is not known is left out.
  var json: String {
    var line = JSONLine(type: "place")
    line.add("latitude", place.coordinate.latitude)
    line.add("longitude", place.coordinate.longitude)
    line.add("radius", place.radius)
    let texts: [(String, String?)] = [
      ("name", place.name), ("thoroughfare", place.thoroughfare),
      ("sub_thoroughfare", place.subThoroughfare), ("locality", place.locality),
      ("sub_locality", place.subLocality), ("administrative_area", place.administrativeArea),
      ("sub_administrative_area", place.subAdministrativeArea), ("postal_code", place.postalCode),
      ("iso_country_code", place.isoCountryCode), ("country", place.country),
      ("ocean", place.ocean), ("inland_water", place.inlandWater), ("time_zone", place.timeZone),
    ]
    for (key, text) in texts { line.add(key, text) }
    if !place.areasOfInterest.isEmpty {
      line.add("areas_of_interest", texts: place.areasOfInterest)
    }
    line.add("partial", flag: place.isPartial)
    line.add("source", place.source.rawValue)
    line.add("attribution", attribution)
    return line.text
  }

  /// The address, and below it its coordinate and source.
  var text: String {
    let center = place.coordinate
    let notes =
      [
        "\(center.latitude.digits(6)), \(center.longitude.digits(6))",
        place.radius.map { "± \($0.digits(0)) m" }, place.timeZone,
        "source: \(place.source.title)", place.isPartial ? "only a part matched" : nil,
      ].compactMap { $0 }
    return address + "\n    " + notes.joined(separator: "  ")
  }

  /// From the name to the country, nothing twice.
  private var address: String {
    let name = place.name ?? ""
    let isStreetSaid = place.thoroughfare.map { name.contains($0) } ?? true
    let street = isStreetSaid ? [] : [place.thoroughfare, place.subThoroughfare]
    let town = [place.postalCode, place.locality == name ? nil : place.locality]
    let areas = [place.subAdministrativeArea, place.administrativeArea].filter {
      $0 != place.locality
    }
    let parts =
      [name, Self.joined(street), place.subLocality, Self.joined(town)] + areas
      + [place.country, place.inlandWater, place.ocean]
    var words: [String] = []
    for part in parts.compactMap({ $0 }) where !part.isEmpty && !words.contains(part) {
      words.append(part)
    }
    return words.isEmpty ? "a place without a name" : words.joined(separator: ", ")
  }

  private static func joined(_ words: [String?]) -> String {
    words.compactMap { $0 }.joined(separator: " ")
  }
}

extension PlaceSource {
  fileprivate var title: String {
    switch self {
    case .places: "place index"
    case .streets: "address index"
    case .nominatim: "Nominatim"
    case .photon: "Photon"
    case .simulated: "simulated device"
    }
  }
}
