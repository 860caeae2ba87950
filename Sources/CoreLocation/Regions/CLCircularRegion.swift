/// A circle on the Earth.
open class CLCircularRegion: CLRegion {
  private let storedCenter: CLLocationCoordinate2D
  private let storedRadius: CLLocationDistance

  /// Makes a circle.
  ///
  /// - Parameters:
  ///   - center: The center of the circle.
  ///   - radius: Meters, greater than zero.
  ///   - identifier: The name of the region within the app.
  public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
    storedCenter = center
    storedRadius = radius
    super.init(identifier: identifier)
  }

  /// Reads a circle from an archive; `nil` without identifier, center, or radius.
  ///
  /// - Parameter coder: The archive to read from.
  public required init?(coder: NSCoder) {
    guard let latitude = coder.number("latitude"), let longitude = coder.number("longitude"),
      let radius = coder.number("radius")
    else { return nil }
    storedCenter = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
    storedRadius = radius
    super.init(coder: coder)
  }

  /// Writes the circle to an archive.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(storedCenter.latitude, forKey: "latitude")
    coder.encode(storedCenter.longitude, forKey: "longitude")
    coder.encode(storedRadius, forKey: "radius")
  }

  /// Copies the circle with its flags.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = CLCircularRegion(center: center, radius: radius, identifier: identifier)
    copy.takeNotifications(of: self)
    return copy
  }

  /// The center of the circle.
  open var center: CLLocationCoordinate2D { storedCenter }

  /// The radius of the circle in meters.
  open var radius: CLLocationDistance { storedRadius }

  /// Checks whether a place lies within the circle, on the WGS 84 ellipsoid (REG-38).
  ///
  /// - Parameter coordinate: The place.
  /// - Returns: Whether it lies within the circle or on its edge; false for a coordinate that is
  ///   not valid.
  open func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
    CLLocationCoordinate2DIsValid(coordinate) && center.distance(to: coordinate) <= radius
  }

  /// The identifier, center, and radius.
  open override var description: String {
    let circle = "center:\(center.text)" + String(format: ", radius:%.2fm", radius)
    return "\(type(of: self)) (identifier:'\(identifier)', \(circle))"
  }
}
