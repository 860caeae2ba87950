/// The address of a place. Unknown values are `nil` (GEO-14).
open class CLPlacemark: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The texts of an address, by kind.
  enum Part: String, CaseIterable, Sendable {
    case name, thoroughfare, subThoroughfare, locality, subLocality
    case administrativeArea, subAdministrativeArea, postalCode
    case isoCountryCode = "ISOcountryCode"
    case country, inlandWater, ocean
  }

  private let parts: [Part: String]
  private let storedLocation: CLLocation?
  /// Never returned itself, only as a copy: regions can be changed.
  private let storedRegion: CLRegion?
  private let storedTimeZone: TimeZone?
  private let storedAreasOfInterest: [String]?

  init(
    parts: [Part: String], location: CLLocation?, region: CLRegion? = nil,
    timeZone: TimeZone? = nil, areasOfInterest: [String]? = nil
  ) {
    self.parts = parts
    storedLocation = location
    storedRegion = region?.copy() as? CLRegion
    storedTimeZone = timeZone
    storedAreasOfInterest = areasOfInterest
  }

  /// Makes a placemark with what another one answers, overridden properties included.
  ///
  /// - Parameter placemark: The placemark to copy.
  public init(placemark: CLPlacemark) {
    parts = Part.allCases.reduce(into: [:]) { $0[$1] = placemark.text(of: $1) }
    storedLocation = placemark.location
    storedRegion = placemark.region?.copy() as? CLRegion
    storedTimeZone = placemark.timeZone
    storedAreasOfInterest = placemark.areasOfInterest
  }

  /// Makes a placemark for a module that stands in for MapKit, whose own class descends from this
  /// one. An app reads placemarks and makes none.
  ///
  /// - Parameters:
  ///   - location: The position of the place; `nil` when unknown.
  ///   - region: The extent of the place; `nil` when unknown.
  ///   - timeZone: The time zone of the place; `nil` when unknown.
  @_spi(MapKit)
  public init(
    location: CLLocation?, region: CLRegion? = nil, timeZone: TimeZone? = nil
  ) {
    parts = [:]
    storedLocation = location
    storedRegion = region?.copy() as? CLRegion
    storedTimeZone = timeZone
    storedAreasOfInterest = nil
  }

  /// Reads a placemark from an archive.
  ///
  /// - Parameter coder: The archive to read from.
  public required init?(coder: NSCoder) {
    parts = Part.allCases.reduce(into: [:]) { $0[$1] = coder.text($1.rawValue) }
    storedLocation = coder.object("location", of: [CLLocation.self]) as? CLLocation
    storedRegion =
      coder.object("region", of: [CLRegion.self, CLCircularRegion.self, CLBeaconRegion.self])
      as? CLRegion
    storedTimeZone = coder.text("timeZone").flatMap(TimeZone.init(identifier:))
    storedAreasOfInterest =
      coder.object("areasOfInterest", of: [NSArray.self, NSString.self]) as? [String]
  }

  /// Writes every field to an archive.
  ///
  /// - Parameter coder: The archive to write to.
  open func encode(with coder: NSCoder) {
    for part in Part.allCases {
      if let text = parts[part] { coder.encode(text as NSString, forKey: part.rawValue) }
    }
    if let storedLocation { coder.encode(storedLocation, forKey: "location") }
    if let storedRegion { coder.encode(storedRegion, forKey: "region") }
    if let storedTimeZone {
      coder.encode(storedTimeZone.identifier as NSString, forKey: "timeZone")
    }
    if let storedAreasOfInterest {
      let areas = NSArray(array: storedAreasOfInterest.map { $0 as NSString })
      coder.encode(areas, forKey: "areasOfInterest")
    }
  }

  /// Whether archives are read safely: always.
  open class var supportsSecureCoding: Bool { true }

  /// Returns the placemark itself, since it never changes.
  ///
  /// - Parameter zone: Not used.
  /// - Returns: This very object.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The position of the place.
  open var location: CLLocation? { storedLocation }

  /// The extent of the place.
  open var region: CLRegion? { storedRegion?.copy() as? CLRegion }

  /// The time zone of the place.
  open var timeZone: TimeZone? { storedTimeZone }

  /// The most specific name of the place.
  open var name: String? { parts[.name] }

  /// The street.
  open var thoroughfare: String? { parts[.thoroughfare] }

  /// The number in the street.
  open var subThoroughfare: String? { parts[.subThoroughfare] }

  /// The city.
  open var locality: String? { parts[.locality] }

  /// The part of the city.
  open var subLocality: String? { parts[.subLocality] }

  /// The state or province.
  open var administrativeArea: String? { parts[.administrativeArea] }

  /// The county.
  open var subAdministrativeArea: String? { parts[.subAdministrativeArea] }

  /// The postal code.
  open var postalCode: String? { parts[.postalCode] }

  /// The country, in two letters.
  open var isoCountryCode: String? { parts[.isoCountryCode] }

  /// The name of the country.
  open var country: String? { parts[.country] }

  /// The lake or river (GEO-15).
  open var inlandWater: String? { parts[.inlandWater] }

  /// The sea (GEO-15).
  open var ocean: String? { parts[.ocean] }

  /// What the place is known for.
  open var areasOfInterest: [String]? { storedAreasOfInterest }

  /// The address by the keys of the address book.
  @available(*, deprecated, message: "Use the properties")
  open var addressDictionary: [AnyHashable: Any]? {
    let fields: [(String, String?)] = [
      ("Name", name), ("Street", street), ("Thoroughfare", thoroughfare),
      ("SubThoroughfare", subThoroughfare), ("City", locality), ("SubLocality", subLocality),
      ("State", administrativeArea), ("SubAdministrativeArea", subAdministrativeArea),
      ("ZIP", postalCode), ("Country", country), ("CountryCode", isoCountryCode),
    ]
    let known = fields.compactMap { key, text in text.map { (AnyHashable(key), $0 as Any) } }
    return known.isEmpty ? nil : Dictionary(uniqueKeysWithValues: known)
  }

  private func text(of part: Part) -> String? {
    switch part {
    case .name: name
    case .thoroughfare: thoroughfare
    case .subThoroughfare: subThoroughfare
    case .locality: locality
    case .subLocality: subLocality
    case .administrativeArea: administrativeArea
    case .subAdministrativeArea: subAdministrativeArea
    case .postalCode: postalCode
    case .isoCountryCode: isoCountryCode
    case .country: country
    case .inlandWater: inlandWater
    case .ocean: ocean
    }
  }

  /// The number and the street.
  private var street: String? {
    let parts = [subThoroughfare, thoroughfare].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  /// The address in one line, the position, and the extent.
  open override var description: String {
    let address = [name, street, locality, administrativeArea, postalCode, country]
      .compactMap { $0 }.joined(separator: ", ")
    guard let location else { return address }
    let place = location.coordinate.text + String(format: " +/- %.2fm", location.horizontalAccuracy)
    return "\(address) @ \(place)" + (region.map { ", region \($0)" } ?? "")
  }
}
