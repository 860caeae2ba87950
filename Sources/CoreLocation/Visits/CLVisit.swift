/// A stay at one place.
open class CLVisit: NSObject, NSCopying, NSSecureCoding {
  /// All values of a visit.
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

  /// Makes a visit with all values unknown.
  public override init() {
    values = Values()
  }

  /// Reads a visit from an archive; values missing there, as in a subclass's archive, are unknown.
  ///
  /// - Parameter coder: The archive to read from.
  public required init?(coder: NSCoder) {
    var values = Values()
    if let arrival = coder.date("CLVisit.arrivalDate") { values.arrivalDate = arrival }
    if let departure = coder.date("CLVisit.departureDate") { values.departureDate = departure }
    if let latitude = coder.number("CLVisit.latitude"),
      let longitude = coder.number("CLVisit.longitude")
    {
      values.coordinate = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
      values.horizontalAccuracy = coder.number("CLVisit.horizontalAccuracy") ?? -1
    }
    self.values = values
  }

  /// Writes the visit to an archive.
  ///
  /// - Parameter coder: The archive to write to.
  open func encode(with coder: NSCoder) {
    coder.encode(values.arrivalDate, forKey: "CLVisit.arrivalDate")
    coder.encode(values.departureDate, forKey: "CLVisit.departureDate")
    coder.encode(values.coordinate.latitude, forKey: "CLVisit.latitude")
    coder.encode(values.coordinate.longitude, forKey: "CLVisit.longitude")
    coder.encode(values.horizontalAccuracy, forKey: "CLVisit.horizontalAccuracy")
  }

  /// Whether archives are read safely: always.
  open class var supportsSecureCoding: Bool { true }

  /// Returns the visit itself, since it never changes.
  ///
  /// - Parameter zone: Not used.
  /// - Returns: This very object.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// When the stay began; `distantPast` when the arrival was not observed (VISIT-4).
  open var arrivalDate: Date { values.arrivalDate }

  /// When the stay ended; `distantFuture` while it lasts (VISIT-2).
  open var departureDate: Date { values.departureDate }

  /// The center of the place.
  open var coordinate: CLLocationCoordinate2D { values.coordinate }

  /// The radius of the place in meters (VISIT-6); negative while the coordinate is invalid.
  open var horizontalAccuracy: CLLocationAccuracy { values.horizontalAccuracy }

  /// The place and both dates.
  open override var description: String {
    let place = coordinate.text + String(format: " +/- %.2fm", horizontalAccuracy)
    return "\(place) (arrived: \(arrivalDate), departed: \(departureDate))"
  }
}
