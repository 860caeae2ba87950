package import LocationModel
import LocationSQLite

/// An answer of a geocoder: the names of one place.
///
/// Statement GEO-14. Every name may be absent; none is ever empty.
package struct Place: Hashable, Sendable {
  /// The most specific name.
  package var name: String?
  package var coordinate: Coordinate
  /// Meters around the coordinate that the answer covers; `nil` when not known.
  package var radius: Double?
  /// The street.
  package var thoroughfare: String?
  /// The house number.
  package var subThoroughfare: String?
  /// The city, town, or village.
  package var locality: String?
  /// The neighbourhood.
  package var subLocality: String?
  /// The state, the first-level division of the country.
  package var administrativeArea: String?
  /// The county, the second-level division.
  package var subAdministrativeArea: String?
  package var postalCode: String?
  /// Two capital letters, ISO 3166-1.
  package var isoCountryCode: String?
  package var country: String?
  package var ocean: String?
  package var inlandWater: String?
  package var areasOfInterest: [String] = []
  /// An identifier of the IANA time zone database.
  package var timeZone: String?
  /// Whether only a part of the request could be matched (GEO-7).
  package var isPartial = false
  package var source: PlaceSource

  package init(coordinate: Coordinate, source: PlaceSource) {
    self.coordinate = coordinate
    self.source = source
  }
}

/// Where an answer comes from.
package enum PlaceSource: String, Hashable, Sendable {
  /// The place index that ships with the package.
  case places
  /// An address index imported from OpenStreetMap.
  case streets
  /// A Nominatim server.
  case nominatim
  /// A Photon server.
  case photon
  /// The places of a simulated device.
  case simulated
}

/// Why a geocoder has no answer; the face turns each into a `CLError`.
package enum GeocodeFailure: Error, Hashable, Sendable {
  /// No place index, or a damaged one; the text has the paths that were tried and how to build it.
  case indexMissing(String)
  /// Nothing is known there or by that name (GEO-7, GEO-16).
  case nothingFound
  /// The request was taken back, or another one was running (GEO-3, GEO-4).
  case cancelled
  /// Too many requests; allowed again after the time given (GEO-5).
  case budgetSpent(retryAfter: Duration)
  /// A web service could not be reached or did not answer sensibly (GEO-6).
  case service(String)
}

/// The language and country in which names are wanted (GEO-12).
package struct PlaceLocale: Hashable, Sendable {
  /// A language code, two or three small letters.
  package var language: String
  /// Two capital letters, ISO 3166-1, or `nil`.
  package var country: String?

  /// Whether Chinese is wanted in traditional characters.
  private var isTraditional: Bool

  package static let english = PlaceLocale("en")

  /// Reads an identifier such as `de`, `de_AT`, `zh-Hant-TW`, or `en_US.UTF-8`.
  package init(_ identifier: String) {
    let tag = identifier.prefix { $0 != "." && $0 != "@" }
    let parts = tag.split { $0 == "_" || $0 == "-" }
    language = parts.first.map { $0.lowercased() } ?? "en"
    country = parts.dropFirst().first { $0.count == 2 }.map { $0.uppercased() }
    isTraditional = parts.contains { ["Hant", "TW", "HK", "MO"].contains($0) }
    if language == "no" { language = "nb" }
    if language.count > 3 || language == "c" { language = "en" }
  }

  /// The scripts in which this language writes names, preferred first; none for Latin.
  var scripts: [String] {
    switch language {
    case "ru", "uk", "be", "bg", "sr", "mk", "kk", "ky", "mn": ["Cyrl"]
    case "el": ["Grek"]
    case "he": ["Hebr"]
    case "ar", "fa", "ur": ["Arab"]
    case "hi", "mr", "ne": ["Deva"]
    case "bn": ["Beng"]
    case "th": ["Thai"]
    case "ka": ["Geor"]
    case "hy": ["Armn"]
    case "ja": ["Jpan"]
    case "ko": ["Kore"]
    case "zh": isTraditional ? ["Hant", "Hans"] : ["Hans", "Hant"]
    default: []
    }
  }
}

/// A circle in which answers are more likely (GEO-10): it reorders and never excludes.
package struct RegionHint: Hashable, Sendable {
  package var center: Coordinate
  /// Meters.
  package var radius: Double

  package init(center: Coordinate, radius: Double) {
    self.center = center
    self.radius = radius
  }
}
