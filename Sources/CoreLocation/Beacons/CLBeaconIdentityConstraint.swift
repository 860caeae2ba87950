/// The identity of one or more beacons; missing parts match any beacon (BEACON-4).
///
/// Two constraints with the same parts are equal (BEACON-5).
open class CLBeaconIdentityConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  private let storedUUID: UUID
  private let storedMajor: CLBeaconMajorValue?
  private let storedMinor: CLBeaconMinorValue?

  /// Makes a constraint that matches every beacon of a deployment.
  ///
  /// - Parameter uuid: The proximity UUID that all beacons of one deployment share.
  public init(uuid: UUID) {
    storedUUID = uuid
    storedMajor = nil
    storedMinor = nil
  }

  /// Makes a constraint that matches every beacon of a group.
  ///
  /// - Parameters:
  ///   - uuid: The proximity UUID that all beacons of one deployment share.
  ///   - major: The number of a group of beacons within the deployment.
  public init(uuid: UUID, major: CLBeaconMajorValue) {
    storedUUID = uuid
    storedMajor = major
    storedMinor = nil
  }

  /// Makes a constraint that matches one beacon.
  ///
  /// - Parameters:
  ///   - uuid: The proximity UUID that all beacons of one deployment share.
  ///   - major: The number of a group of beacons within the deployment.
  ///   - minor: The number of one beacon within its group.
  public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
    storedUUID = uuid
    storedMajor = major
    storedMinor = minor
  }

  /// Reads a constraint from an archive; `nil` without proximity UUID.
  ///
  /// - Parameter coder: The archive to read from.
  public required init?(coder: NSCoder) {
    guard let text = coder.text("uuid"), let uuid = UUID(uuidString: text) else { return nil }
    storedUUID = uuid
    storedMajor = coder.number("major").flatMap(CLBeaconMajorValue.init(exactly:))
    storedMinor = coder.number("minor").flatMap(CLBeaconMinorValue.init(exactly:))
  }

  /// Writes the parts to an archive.
  ///
  /// - Parameter coder: The archive to write to.
  open func encode(with coder: NSCoder) {
    coder.encode(storedUUID.uuidString as NSString, forKey: "uuid")
    if let storedMajor { coder.encode(Double(storedMajor), forKey: "major") }
    if let storedMinor { coder.encode(Double(storedMinor), forKey: "minor") }
  }

  /// Whether archives are read safely: always.
  open class var supportsSecureCoding: Bool { true }

  /// Returns the constraint itself, since it never changes.
  ///
  /// - Parameter zone: Not used.
  /// - Returns: This very object.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The proximity UUID that all beacons of one deployment share.
  open var uuid: UUID { storedUUID }

  /// The number of a group of beacons; `nil` matches any.
  open var major: UInt16? { storedMajor }

  /// The number of a beacon within its group; `nil` matches any.
  open var minor: UInt16? { storedMinor }

  /// Whether the other object has the same parts (BEACON-5).
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CLBeaconIdentityConstraint else { return false }
    return other.uuid == uuid && other.major == major && other.minor == minor
  }

  /// Equal for constraints with the same parts (BEACON-5).
  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(uuid)
    hasher.combine(major)
    hasher.combine(minor)
    return hasher.finalize()
  }
}
