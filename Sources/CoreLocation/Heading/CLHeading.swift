/// The direction in which the device points.
open class CLHeading: NSObject, NSCopying, NSSecureCoding {
  /// All values of a heading.
  struct Values: Equatable, Sendable {
    var magneticHeading: CLLocationDirection = 0
    /// -1 while unknown.
    var trueHeading: CLLocationDirection = -1
    /// -1 while the heading is invalid.
    var headingAccuracy: CLLocationDirection = -1
    var x: CLHeadingComponentValue = 0
    var y: CLHeadingComponentValue = 0
    var z: CLHeadingComponentValue = 0
    var timestamp: Date
  }

  private let values: Values

  init(_ values: Values) {
    self.values = values
  }

  /// Makes an invalid heading with the current time.
  public override init() {
    values = Values(timestamp: Date())
  }

  /// Reads a heading from an archive; values missing there, as in a subclass's, are those of a new
  /// heading.
  ///
  /// - Parameter coder: The archive to read from.
  public required init?(coder: NSCoder) {
    values = Values(
      magneticHeading: coder.number("CLHeading.magneticHeading") ?? 0,
      trueHeading: coder.number("CLHeading.trueHeading") ?? -1,
      headingAccuracy: coder.number("CLHeading.headingAccuracy") ?? -1,
      x: coder.number("CLHeading.x") ?? 0, y: coder.number("CLHeading.y") ?? 0,
      z: coder.number("CLHeading.z") ?? 0,
      timestamp: coder.date("CLHeading.timestamp") ?? Date())
  }

  /// Writes the heading to an archive.
  ///
  /// - Parameter coder: The archive to write to.
  open func encode(with coder: NSCoder) {
    coder.encode(values.magneticHeading, forKey: "CLHeading.magneticHeading")
    coder.encode(values.trueHeading, forKey: "CLHeading.trueHeading")
    coder.encode(values.headingAccuracy, forKey: "CLHeading.headingAccuracy")
    coder.encode(values.x, forKey: "CLHeading.x")
    coder.encode(values.y, forKey: "CLHeading.y")
    coder.encode(values.z, forKey: "CLHeading.z")
    coder.encode(values.timestamp, forKey: "CLHeading.timestamp")
  }

  /// Whether archives are read safely: always.
  open class var supportsSecureCoding: Bool { true }

  /// Returns the heading itself, since it never changes.
  ///
  /// - Parameter zone: Not used.
  /// - Returns: This very object.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Degrees clockwise from magnetic north, in `0..<360` (HEAD-5).
  open var magneticHeading: CLLocationDirection { values.magneticHeading }

  /// Degrees clockwise from true north, in `0..<360`; negative while the place is unknown (HEAD-4).
  open var trueHeading: CLLocationDirection { values.trueHeading }

  /// The possible error of the magnetic heading in degrees; negative while it is invalid (HEAD-6).
  open var headingAccuracy: CLLocationDirection { values.headingAccuracy }

  /// The magnetic field along the device's x axis, in microteslas (HEAD-7).
  open var x: CLHeadingComponentValue { values.x }

  /// The magnetic field along the device's y axis, in microteslas (HEAD-7).
  open var y: CLHeadingComponentValue { values.y }

  /// The magnetic field along the device's z axis, in microteslas (HEAD-7).
  open var z: CLHeadingComponentValue { values.z }

  /// When the heading was determined (HEAD-14a).
  open var timestamp: Date { values.timestamp }

  /// The headings, their accuracy, the field, and the time.
  open override var description: String {
    let angles = String(
      format: "magneticHeading %.2f trueHeading %.2f accuracy %.2f",
      magneticHeading, trueHeading, headingAccuracy)
    let field = String(format: "x %+.3f y %+.3f z %+.3f", x, y, z)
    return "\(angles) \(field) @ \(timestamp)"
  }
}
