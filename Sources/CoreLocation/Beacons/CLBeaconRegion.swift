import LocationModel

/// A region around the beacons of one identity.
open class CLBeaconRegion: CLRegion {
  private let storedConstraint: CLBeaconIdentityConstraint

  /// Whether the app is notified that it is inside whenever the display is turned on; false unless
  /// changed (BEACON-24).
  open var notifyEntryStateOnDisplay = false

  /// Makes a region around all beacons that match a constraint.
  ///
  /// - Parameters:
  ///   - beaconIdentityConstraint: The identity of the region's beacons.
  ///   - identifier: The name of the region within the app.
  public init(beaconIdentityConstraint: CLBeaconIdentityConstraint, identifier: String) {
    storedConstraint = beaconIdentityConstraint
    super.init(identifier: identifier)
  }

  /// Makes a region around every beacon of a deployment.
  ///
  /// - Parameters:
  ///   - uuid: The proximity UUID that all beacons of one deployment share.
  ///   - identifier: The name of the region within the app.
  public init(uuid: UUID, identifier: String) {
    storedConstraint = CLBeaconIdentityConstraint(uuid: uuid)
    super.init(identifier: identifier)
  }

  /// Makes a region around every beacon of a group.
  ///
  /// - Parameters:
  ///   - uuid: The proximity UUID that all beacons of one deployment share.
  ///   - major: The number of a group of beacons within the deployment.
  ///   - identifier: The name of the region within the app.
  public init(uuid: UUID, major: CLBeaconMajorValue, identifier: String) {
    storedConstraint = CLBeaconIdentityConstraint(uuid: uuid, major: major)
    super.init(identifier: identifier)
  }

  /// Makes a region around one beacon.
  ///
  /// - Parameters:
  ///   - uuid: The proximity UUID that all beacons of one deployment share.
  ///   - major: The number of a group of beacons within the deployment.
  ///   - minor: The number of one beacon within its group.
  ///   - identifier: The name of the region within the app.
  public init(
    uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String
  ) {
    storedConstraint = CLBeaconIdentityConstraint(uuid: uuid, major: major, minor: minor)
    super.init(identifier: identifier)
  }

  /// The older name of `init(uuid:identifier:)`.
  ///
  /// - Parameters:
  ///   - proximityUUID: The proximity UUID that all beacons of one deployment share.
  ///   - identifier: The name of the region within the app.
  @available(*, deprecated, renamed: "init(uuid:identifier:)")
  public init(proximityUUID: UUID, identifier: String) {
    storedConstraint = CLBeaconIdentityConstraint(uuid: proximityUUID)
    super.init(identifier: identifier)
  }

  /// The older name of `init(uuid:major:identifier:)`.
  ///
  /// - Parameters:
  ///   - proximityUUID: The proximity UUID that all beacons of one deployment share.
  ///   - major: The number of a group of beacons within the deployment.
  ///   - identifier: The name of the region within the app.
  @available(*, deprecated, renamed: "init(uuid:major:identifier:)")
  public init(proximityUUID: UUID, major: CLBeaconMajorValue, identifier: String) {
    storedConstraint = CLBeaconIdentityConstraint(uuid: proximityUUID, major: major)
    super.init(identifier: identifier)
  }

  /// The older name of `init(uuid:major:minor:identifier:)`.
  ///
  /// - Parameters:
  ///   - proximityUUID: The proximity UUID that all beacons of one deployment share.
  ///   - major: The number of a group of beacons within the deployment.
  ///   - minor: The number of one beacon within its group.
  ///   - identifier: The name of the region within the app.
  @available(*, deprecated, renamed: "init(uuid:major:minor:identifier:)")
  public init(
    proximityUUID: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String
  ) {
    storedConstraint = CLBeaconIdentityConstraint(
      uuid: proximityUUID, major: major, minor: minor)
    super.init(identifier: identifier)
  }

  /// Reads a region from an archive; `nil` without identifier or identity.
  ///
  /// - Parameter coder: The archive to read from.
  public required init?(coder: NSCoder) {
    guard let constraint = CLBeaconIdentityConstraint(coder: coder) else { return nil }
    storedConstraint = constraint
    notifyEntryStateOnDisplay = coder.decodeBool(forKey: "notifyEntryStateOnDisplay")
    super.init(coder: coder)
  }

  /// Writes the region to an archive.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    storedConstraint.encode(with: coder)
    coder.encode(notifyEntryStateOnDisplay, forKey: "notifyEntryStateOnDisplay")
  }

  /// Copies the region with its flags.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = CLBeaconRegion(
      beaconIdentityConstraint: beaconIdentityConstraint, identifier: identifier)
    copy.takeNotifications(of: self)
    copy.notifyEntryStateOnDisplay = notifyEntryStateOnDisplay
    return copy
  }

  /// The identity of the region's beacons.
  open var beaconIdentityConstraint: CLBeaconIdentityConstraint { storedConstraint }

  /// The proximity UUID that all beacons of one deployment share.
  open var uuid: UUID { storedConstraint.uuid }

  /// The older name of `uuid`.
  @available(*, deprecated, renamed: "uuid")
  open var proximityUUID: UUID { uuid }

  /// The number of a group of beacons; `nil` matches any.
  open var major: NSNumber? { storedConstraint.major.map(NSNumber.init(value:)) }

  /// The number of a beacon within its group; `nil` matches any.
  open var minor: NSNumber? { storedConstraint.minor.map(NSNumber.init(value:)) }

  /// The identifier and the identity of the beacons; `(null)` matches any.
  open override var description: String {
    let parts = [major, minor].map { $0.map { "\($0)" } ?? "(null)" }
    return "\(type(of: self)) (identifier:'\(identifier)', uuid:\(uuid), "
      + "major:\(parts[0]), minor:\(parts[1]))"
  }

  /// Returns the advertisement data with which a peripheral becomes this beacon.
  ///
  /// - Parameter measuredPower: The signal strength at one meter, in dBm; `nil` means -59
  ///   (BEACON-2).
  /// - Returns: One entry, which `BeaconAdvertiser.startAdvertising(_:)` takes. A major or minor
  ///   that the region leaves open is 0.
  open func peripheralData(withMeasuredPower measuredPower: NSNumber?) -> NSMutableDictionary {
    let constraint = BeaconConstraint(storedConstraint)
    let advert = IBeaconAdvert(
      identity: BeaconIdentity(
        uuid: constraint.uuid, major: constraint.major ?? 0, minor: constraint.minor ?? 0),
      measuredPower: measuredPower?.int8Value ?? IBeaconAdvert.defaultMeasuredPower)
    return NSMutableDictionary(
      object: NSData(data: Data(advert.bytes)), forKey: "kCBAdvDataAppleBeaconKey" as NSString)
  }
}
