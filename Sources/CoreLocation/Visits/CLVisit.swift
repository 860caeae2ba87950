/// A stay at one place.
open class CLVisit: NSObject, NSCopying, NSSecureCoding {
  /// All that a visit knows.
  struct Values: Sendable {
    var arrivalDate = Date.distantPast
    var departureDate = Date.distantFuture
    var coordinate = kCLLocationCoordinate2DInvalid
    /// Meters; -1 while the coordinate is invalid.
    var horizontalAccuracy: CLLocationAccuracy = -1
  }

  private let values: Values

  init(_ values: Values) {
    self.values = values
  }

  /// Makes a visit of which nothing is known.
  public override init() {
    values = Values()
  }

  /// Reads a visit from an archive; `nil` without place or dates.
  public required init?(coder: NSCoder) {
    guard let arrival = coder.date("arrivalDate"), let departure = coder.date("departureDate"),
      let latitude = coder.number("latitude"), let longitude = coder.number("longitude")
    else { return nil }
    values = Values(
      arrivalDate: arrival, departureDate: departure,
      coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude),
      horizontalAccuracy: coder.number("horizontalAccuracy") ?? -1)
  }

  /// Writes the visit to an archive.
  open func encode(with coder: NSCoder) {
    coder.encode(values.arrivalDate, forKey: "arrivalDate")
    coder.encode(values.departureDate, forKey: "departureDate")
    coder.encode(values.coordinate.latitude, forKey: "latitude")
    coder.encode(values.coordinate.longitude, forKey: "longitude")
    coder.encode(values.horizontalAccuracy, forKey: "horizontalAccuracy")
  }

  /// Whether archives are read safely: always.
  open class var supportsSecureCoding: Bool { true }

  /// The visit itself, since it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// When the stay began; `distantPast` when that was not seen (VISIT-4).
  open var arrivalDate: Date { values.arrivalDate }

  /// When the stay ended; `distantFuture` while it lasts (VISIT-2).
  open var departureDate: Date { values.departureDate }

  /// The middle of the place.
  open var coordinate: CLLocationCoordinate2D { values.coordinate }

  /// Meters: the radius of the place (VISIT-6); negative while the coordinate is invalid.
  open var horizontalAccuracy: CLLocationAccuracy { values.horizontalAccuracy }

  /// The place and both dates.
  open override var description: String {
    let place = coordinate.text + String(format: " +/- %.2fm", horizontalAccuracy)
    return "\(place) (arrived: \(arrivalDate), departed: \(departureDate))"
  }
}
