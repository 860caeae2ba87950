import LocationModel
import LocationProviders
import LocationService

extension GeoIPLack {
  /// What is missing for a region by the address; `nil` for another source, or when nothing is.
  init?(_ report: SourceReport) {
    guard case .geoip = report.source, case .unavailable(let reason) = report.lastStatus,
      let lack = GeoIPLack(rawValue: reason.text)
    else { return nil }
    self = lack
  }

  var code: String { "geoip_\(self)" }

  /// What a person can do about it.
  var next: String {
    switch self {
    case .address: "behind a router, name the address that it has: geoip:/PATH?address=ADDRESS"
    case .entry, .place: "a newer database, or one of another maker, may have it"
    case .coordinates: Self.database
    }
  }

  /// Which databases are of use.
  static let database =
    "name a database of cities: GeoLite2-City.mmdb (geoipupdate), or DB-IP City Lite"
}
