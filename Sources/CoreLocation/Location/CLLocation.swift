import LocationModel

/// A position, its accuracy, and when the device was there.
///
/// A location never changes (LOC-18). Unknown values are negative numbers or `nil`.
///
/// Every initializer is a designated one, as on Apple's systems: a test double of an app may call
/// any of them.
open class CLLocation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// All values of a location in one struct, so that a location costs one allocation.
  struct Values: Equatable, Sendable {
    var latitude: CLLocationDegrees = 0
    var longitude: CLLocationDegrees = 0
    var altitude: CLLocationDistance = 0
    /// `nil` when not given.
    var ellipsoidalAltitude: CLLocationDistance?
    var horizontalAccuracy: CLLocationAccuracy = 0
    var verticalAccuracy: CLLocationAccuracy = -1
    var course: CLLocationDirection = -1
    var courseAccuracy: CLLocationDirectionAccuracy = -1
    var speed: CLLocationSpeed = -1
    var speedAccuracy: CLLocationSpeedAccuracy = -1
    var timestamp: Date
    /// `nil` when unknown.
    var floor: Int?
    /// `nil` when unknown.
    var origin: Fix.Origin?

    var derivedEllipsoidalAltitude: CLLocationDistance {
      let place = Coordinate(latitude: latitude, longitude: longitude)
      return place.isValid ? altitude + Geoid.undulation(at: place) : altitude
    }
  }

  let values: Values

  init(_ values: Values) {
    self.values = values
  }

  /// Makes a location at latitude 0, longitude 0, with the current time.
  public override init() {
    values = Values(timestamp: Date())
  }

  /// Makes a location without altitude, course, and speed, now, with horizontal accuracy 0 (LOC-1).
  ///
  /// - Parameters:
  ///   - latitude: Degrees in -90...90, positive north of the equator.
  ///   - longitude: Degrees in -180...180, positive east of Greenwich.
  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    values = Values(latitude: latitude, longitude: longitude, timestamp: Date())
  }

  /// Makes a location without course and speed (LOC-2).
  ///
  /// - Parameters:
  ///   - coordinate: The place.
  ///   - altitude: Meters above mean sea level.
  ///   - hAccuracy: The radius of the circle that holds the place at 68 %, in meters; negative when
  ///     the coordinate is invalid.
  ///   - vAccuracy: The error of the altitude at 68 %, in meters; negative when the altitude is
  ///     invalid.
  ///   - timestamp: When the device was there.
  public init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy,
    verticalAccuracy vAccuracy: CLLocationAccuracy, timestamp: Date
  ) {
    values = Values(
      latitude: coordinate.latitude, longitude: coordinate.longitude, altitude: altitude,
      horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy, timestamp: timestamp)
  }

  /// Makes a location whose course and speed are of unknown accuracy (LOC-2).
  ///
  /// - Parameters:
  ///   - coordinate: The place.
  ///   - altitude: Meters above mean sea level.
  ///   - hAccuracy: The radius of the circle that holds the place at 68 %, in meters; negative when
  ///     the coordinate is invalid.
  ///   - vAccuracy: The error of the altitude at 68 %, in meters; negative when the altitude is
  ///     invalid.
  ///   - course: Degrees clockwise from true north; negative when unknown.
  ///   - speed: Meters per second; negative when unknown.
  ///   - timestamp: When the device was there.
  public init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy,
    verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection,
    speed: CLLocationSpeed, timestamp: Date
  ) {
    values = Values(
      latitude: coordinate.latitude, longitude: coordinate.longitude, altitude: altitude,
      horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy, course: course, speed: speed,
      timestamp: timestamp)
  }

  /// Makes a location of unknown origin.
  ///
  /// - Parameters:
  ///   - coordinate: The place.
  ///   - altitude: Meters above mean sea level.
  ///   - hAccuracy: The radius of the circle that holds the place at 68 %, in meters; negative when
  ///     the coordinate is invalid.
  ///   - vAccuracy: The error of the altitude at 68 %, in meters; negative when the altitude is
  ///     invalid.
  ///   - course: Degrees clockwise from true north; negative when unknown.
  ///   - courseAccuracy: The error of the course, in degrees; negative when unknown.
  ///   - speed: Meters per second; negative when unknown.
  ///   - speedAccuracy: The error of the speed, in meters per second; negative when unknown.
  ///   - timestamp: When the device was there.
  public init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy,
    verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection,
    courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed,
    speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date
  ) {
    values = Values(
      latitude: coordinate.latitude, longitude: coordinate.longitude, altitude: altitude,
      horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy, course: course,
      courseAccuracy: courseAccuracy, speed: speed, speedAccuracy: speedAccuracy,
      timestamp: timestamp)
  }

  /// Makes a location of known origin, whose ellipsoidal altitude is 0 as on Apple's devices
  /// (docs/decisions/0057).
  ///
  /// - Parameters:
  ///   - coordinate: The place.
  ///   - altitude: Meters above mean sea level.
  ///   - hAccuracy: The radius of the circle that holds the place at 68 %, in meters; negative when
  ///     the coordinate is invalid.
  ///   - vAccuracy: The error of the altitude at 68 %, in meters; negative when the altitude is
  ///     invalid.
  ///   - course: Degrees clockwise from true north; negative when unknown.
  ///   - courseAccuracy: The error of the course, in degrees; negative when unknown.
  ///   - speed: Meters per second; negative when unknown.
  ///   - speedAccuracy: The error of the speed, in meters per second; negative when unknown.
  ///   - timestamp: When the device was there.
  ///   - sourceInfo: Where the location comes from.
  public init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy,
    verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection,
    courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed,
    speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date,
    sourceInfo: CLLocationSourceInformation
  ) {
    values = Values(
      latitude: coordinate.latitude, longitude: coordinate.longitude, altitude: altitude,
      ellipsoidalAltitude: 0, horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy,
      course: course, courseAccuracy: courseAccuracy, speed: speed, speedAccuracy: speedAccuracy,
      timestamp: timestamp, origin: Fix.Origin(sourceInfo))
  }

  /// Reads a location from an archive; `nil` unless the archive has a coordinate and a time
  /// (LOC-13).
  ///
  /// - Parameter coder: The archive to read from.
  public required init?(coder: NSCoder) {
    guard let values = Values(coder) else { return nil }
    self.values = values
  }

  /// Writes every field to an archive (LOC-13).
  ///
  /// - Parameter coder: The archive to write to.
  open func encode(with coder: NSCoder) {
    values.encode(with: coder)
  }

  /// Whether archives are read safely: always.
  open class var supportsSecureCoding: Bool { true }

  /// Returns the location itself, since it never changes.
  ///
  /// - Parameter zone: Not used.
  /// - Returns: This very object.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Where the device is; invalid while `horizontalAccuracy` is negative (LOC-3).
  open var coordinate: CLLocationCoordinate2D {
    CLLocationCoordinate2D(latitude: values.latitude, longitude: values.longitude)
  }

  /// Meters above mean sea level; invalid unless `verticalAccuracy` is positive (LOC-4, LOC-7).
  open var altitude: CLLocationDistance { values.altitude }

  /// Meters above the WGS 84 ellipsoid; 0 unless `verticalAccuracy` is positive (LOC-4, LOC-7).
  ///
  /// A location without this value returns its altitude plus the height of the geoid (LOC-8).
  open var ellipsoidalAltitude: CLLocationDistance {
    guard values.verticalAccuracy > 0 else { return 0 }
    return values.ellipsoidalAltitude ?? values.derivedEllipsoidalAltitude
  }

  /// The radius in meters of the circle that holds the true position at 68 % confidence (LOC-5);
  /// negative while the coordinate is invalid.
  open var horizontalAccuracy: CLLocationAccuracy { values.horizontalAccuracy }

  /// The error of the altitude in meters at 68 % confidence (LOC-5); zero or negative while the
  /// altitudes are invalid.
  open var verticalAccuracy: CLLocationAccuracy { values.verticalAccuracy }

  /// Degrees clockwise from true north, in `0..<360`; negative while unknown (LOC-6).
  open var course: CLLocationDirection { values.course }

  /// The error of the course in degrees; negative while the course is invalid (LOC-6).
  open var courseAccuracy: CLLocationDirectionAccuracy { values.courseAccuracy }

  /// Meters per second; negative while unknown (LOC-6).
  open var speed: CLLocationSpeed { values.speed }

  /// The error of the speed in meters per second; negative while the speed is invalid (LOC-6).
  open var speedAccuracy: CLLocationSpeedAccuracy { values.speedAccuracy }

  /// When the device was there, not when the location was delivered (LOC-17).
  open var timestamp: Date { values.timestamp }

  /// The floor of the building; `nil` when unknown (LOC-15).
  open var floor: CLFloor? { values.floor.map(CLFloor.init(level:)) }

  /// The kind of source of the location; `nil` when unknown (LOC-14).
  open var sourceInformation: CLLocationSourceInformation? {
    values.origin.map(CLLocationSourceInformation.init)
  }

  /// Measures the geodesic to another location on the WGS 84 ellipsoid, ignoring altitudes (LOC-9,
  /// LOC-10).
  ///
  /// - Parameter location: The other location.
  /// - Returns: Meters.
  open func distance(from location: CLLocation) -> CLLocationDistance {
    coordinate.distance(to: location.coordinate)
  }

  /// The position, its accuracy, speed, course, and time, in one line (LOC-12).
  open override var description: String {
    let place = coordinate.text + String(format: " +/- %.2fm", horizontalAccuracy)
    let motion = String(format: "(speed %.2f mps / course %.2f)", speed, course)
    return "\(place) \(motion) @ \(Self.localTime(timestamp))"
  }

  /// The same line as `description`.
  open override var debugDescription: String { description }

  private static func localTime(_ date: Date) -> String {
    let formatter = DateFormatter()
    formatter.dateStyle = .short
    formatter.timeStyle = .full
    return formatter.string(from: date)
  }
}

extension CLLocation {
  /// Compares the values of two locations.
  ///
  /// Two locations are equal (`==`) only when they are one object, as on Apple's systems (LOC-11).
  ///
  /// - Parameter other: The other location.
  /// - Returns: Whether all values are the same.
  public func hasSameValues(as other: CLLocation) -> Bool {
    values == other.values
  }
}
