import LocationModel

/// A position, how exact it is, and when the device was there.
///
/// A location never changes (LOC-18). What is not known reads as a negative number or `nil`.
///
/// Every initializer is a designated one, as on Apple's systems: a double in an app's tests may
/// call any of them.
open class CLLocation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// All that a location knows, in one piece: a location costs one allocation.
  struct Values: Equatable, Sendable {
    var latitude: CLLocationDegrees = 0
    var longitude: CLLocationDegrees = 0
    var altitude: CLLocationDistance = 0
    /// `nil` when it was not measured.
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
  }

  let values: Values

  init(_ values: Values) {
    self.values = values
  }

  /// Makes a location at latitude 0, longitude 0, now.
  public override init() {
    values = Values(timestamp: Date())
  }

  /// Makes a location without height, course, and speed, now, with horizontal accuracy 0 (LOC-1).
  ///
  /// Latitude is degrees north of the equator, longitude degrees east of Greenwich.
  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    values = Values(latitude: latitude, longitude: longitude, timestamp: Date())
  }

  /// Makes a location without course and speed (LOC-2).
  ///
  /// Altitude and accuracies are meters; a negative accuracy means that its value is invalid.
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
  /// Altitude and accuracies are meters, course is degrees clockwise from true north, and speed is
  /// meters per second; negative means unknown.
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
  /// Altitude and accuracies are meters, course and its accuracy degrees, speed and its accuracy
  /// meters per second; negative means unknown.
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

  /// Makes a location of known origin.
  ///
  /// Altitude and accuracies are meters, course and its accuracy degrees, speed and its accuracy
  /// meters per second; negative means unknown.
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
      horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy, course: course,
      courseAccuracy: courseAccuracy, speed: speed, speedAccuracy: speedAccuracy,
      timestamp: timestamp, origin: Fix.Origin(sourceInfo))
  }

  /// Reads a location from an archive; `nil` unless the archive has a coordinate and a time
  /// (LOC-13).
  public required init?(coder: NSCoder) {
    guard let values = Values(coder) else { return nil }
    self.values = values
  }

  /// Writes every field to an archive (LOC-13).
  open func encode(with coder: NSCoder) {
    values.encode(with: coder)
  }

  /// Whether archives are read safely: always.
  open class var supportsSecureCoding: Bool { true }

  /// The location itself, since it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Where the device is; invalid while `horizontalAccuracy` is negative (LOC-3).
  open var coordinate: CLLocationCoordinate2D {
    CLLocationCoordinate2D(latitude: values.latitude, longitude: values.longitude)
  }

  /// Meters above mean sea level; invalid unless `verticalAccuracy` is positive (LOC-4, LOC-7).
  open var altitude: CLLocationDistance { values.altitude }

  /// Meters above the WGS 84 ellipsoid; 0 unless `verticalAccuracy` is positive (LOC-4, LOC-7).
  ///
  /// A location made without it gives its altitude (LOC-8).
  open var ellipsoidalAltitude: CLLocationDistance {
    values.verticalAccuracy > 0 ? values.ellipsoidalAltitude ?? values.altitude : 0
  }

  /// Meters: the radius of the circle that holds the true position at 68 % confidence (LOC-5);
  /// negative while the coordinate is invalid.
  open var horizontalAccuracy: CLLocationAccuracy { values.horizontalAccuracy }

  /// Meters at 68 % confidence (LOC-5); zero or negative while the altitudes are invalid.
  open var verticalAccuracy: CLLocationAccuracy { values.verticalAccuracy }

  /// Degrees clockwise from true north, in `0..<360`; negative while unknown (LOC-6).
  open var course: CLLocationDirection { values.course }

  /// Degrees; negative while the course is invalid (LOC-6).
  open var courseAccuracy: CLLocationDirectionAccuracy { values.courseAccuracy }

  /// Meters per second; negative while unknown (LOC-6).
  open var speed: CLLocationSpeed { values.speed }

  /// Meters per second; negative while the speed is invalid (LOC-6).
  open var speedAccuracy: CLLocationSpeedAccuracy { values.speedAccuracy }

  /// When the device was there, not when the app learned of it (LOC-17).
  open var timestamp: Date { values.timestamp }

  /// The floor of the building; `nil` when unknown (LOC-15).
  open var floor: CLFloor? { values.floor.map(CLFloor.init(level:)) }

  /// What kind of thing made the location; `nil` when unknown (LOC-14).
  open var sourceInformation: CLLocationSourceInformation? {
    values.origin.map(CLLocationSourceInformation.init)
  }

  /// Meters along the WGS 84 ellipsoid from the other location to this one (LOC-9, LOC-10).
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
  /// Whether both locations say the same.
  ///
  /// Two locations are equal (`==`) only when they are one object, as on Apple's systems (LOC-11).
  public func hasSameValues(as other: CLLocation) -> Bool {
    values == other.values
  }
}
