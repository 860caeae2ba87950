/// A beacon that was detected.
open class CLBeacon: NSObject, NSCopying, NSSecureCoding {
  /// All values of a beacon.
  struct Values: Equatable, Sendable {
    /// All zeros while unknown.
    var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    var major: CLBeaconMajorValue = 0
    var minor: CLBeaconMinorValue = 0
    var proximity = CLProximity.unknown
    /// The distance in meters; -1 while unknown.
    var accuracy: CLLocationAccuracy = -1
    /// The signal strength in dBm; 0 while unknown.
    var rssi = 0
    var timestamp = Date.distantPast
  }

  private let values: Values

  init(_ values: Values) {
    self.values = values
  }

  /// Makes a beacon that was never detected.
  public override init() {
    values = Values()
  }

  /// Reads a beacon from an archive; one without values, as in a subclass's archive, was never
  /// detected.
  ///
  /// - Parameter coder: The archive to read from.
  public required init?(coder: NSCoder) {
    guard let uuid = coder.text("CLBeacon.uuid").flatMap(UUID.init(uuidString:)) else {
      values = Values()
      return
    }
    values = Values(
      uuid: uuid,
      major: coder.number("CLBeacon.major").flatMap(CLBeaconMajorValue.init(exactly:)) ?? 0,
      minor: coder.number("CLBeacon.minor").flatMap(CLBeaconMinorValue.init(exactly:)) ?? 0,
      proximity: CLProximity(rawValue: coder.decodeInteger(forKey: "CLBeacon.proximity"))
        ?? .unknown,
      accuracy: coder.number("CLBeacon.accuracy") ?? -1,
      rssi: coder.decodeInteger(forKey: "CLBeacon.rssi"),
      timestamp: coder.date("CLBeacon.timestamp") ?? .distantPast)
  }

  /// Writes the beacon to an archive.
  ///
  /// - Parameter coder: The archive to write to.
  open func encode(with coder: NSCoder) {
    coder.encode(values.uuid.uuidString as NSString, forKey: "CLBeacon.uuid")
    coder.encode(Double(values.major), forKey: "CLBeacon.major")
    coder.encode(Double(values.minor), forKey: "CLBeacon.minor")
    coder.encode(values.proximity.rawValue, forKey: "CLBeacon.proximity")
    coder.encode(values.accuracy, forKey: "CLBeacon.accuracy")
    coder.encode(values.rssi, forKey: "CLBeacon.rssi")
    coder.encode(values.timestamp, forKey: "CLBeacon.timestamp")
  }

  /// Whether archives are read safely: always.
  open class var supportsSecureCoding: Bool { true }

  /// Returns the beacon itself, since it never changes.
  ///
  /// - Parameter zone: Not used.
  /// - Returns: This very object.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// When the beacon was detected (BEACON-20).
  open var timestamp: Date { values.timestamp }

  /// The proximity UUID that all beacons of one deployment share.
  open var uuid: UUID { values.uuid }

  /// The older name of `uuid`.
  @available(*, deprecated, renamed: "uuid")
  open var proximityUUID: UUID { uuid }

  /// The number of a group of beacons within the deployment.
  open var major: NSNumber { NSNumber(value: values.major) }

  /// The number of the beacon within its group.
  open var minor: NSNumber { NSNumber(value: values.minor) }

  /// How near the beacon is (BEACON-13).
  open var proximity: CLProximity { values.proximity }

  /// The distance in meters, one sigma, to compare beacons of one proximity (BEACON-12); negative
  /// while unknown.
  open var accuracy: CLLocationAccuracy { values.accuracy }

  /// The signal strength in dBm, averaged since the last delivery (BEACON-9); 0 while unknown
  /// (BEACON-10).
  open var rssi: Int { values.rssi }

  /// The identity, proximity, and signal strength.
  open override var description: String {
    let distance = String(format: "%d +/- %.2fm", proximity.rawValue, accuracy)
    return "CLBeacon (uuid:\(uuid), major:\(major), minor:\(minor), proximity:\(distance), "
      + "rssi:\(rssi), timestamp:\(timestamp))"
  }
}
