import LocationModel

/// The kind of source of a location (LOC-14).
open class CLLocationSourceInformation: NSObject, NSCopying, NSSecureCoding {
  private let origin: Fix.Origin

  init(_ origin: Fix.Origin) {
    self.origin = origin
  }

  /// Makes the information from two flags.
  ///
  /// - Parameters:
  ///   - isSoftware: Whether a simulator produced the location.
  ///   - isAccessory: Whether an external accessory produced it.
  public init(
    softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool
  ) {
    origin = Fix.Origin(isSimulated: isSoftware, isAccessory: isAccessory)
  }

  /// Reads the information from an archive.
  ///
  /// - Parameter coder: The archive to read from.
  public required init?(coder: NSCoder) {
    origin = Fix.Origin(
      isSimulated: coder.decodeBool(forKey: "isSimulatedBySoftware"),
      isAccessory: coder.decodeBool(forKey: "isProducedByAccessory"))
  }

  /// Writes both flags to an archive.
  ///
  /// - Parameter coder: The archive to write to.
  open func encode(with coder: NSCoder) {
    coder.encode(origin.isSimulated, forKey: "isSimulatedBySoftware")
    coder.encode(origin.isAccessory, forKey: "isProducedByAccessory")
  }

  /// Whether archives are read safely: always.
  open class var supportsSecureCoding: Bool { true }

  /// Returns the information itself, since it never changes.
  ///
  /// - Parameter zone: Not used.
  /// - Returns: This very object.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether software produced the location: a simulation or a replay (LOC-14).
  open var isSimulatedBySoftware: Bool { origin.isSimulated }

  /// Whether an external receiver produced the location (LOC-14).
  open var isProducedByAccessory: Bool { origin.isAccessory }
}

extension Fix.Origin {
  init(_ information: CLLocationSourceInformation) {
    self.init(
      isSimulated: information.isSimulatedBySoftware,
      isAccessory: information.isProducedByAccessory)
  }
}
