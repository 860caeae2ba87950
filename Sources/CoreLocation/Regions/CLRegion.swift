/// An area that can be entered and left; see `CLCircularRegion` and `CLBeaconRegion`.
///
/// Two regions are equal when their identifiers are (REG-11).
open class CLRegion: NSObject, NSCopying, NSSecureCoding {
  private let storedIdentifier: String

  /// Whether the app is notified of entries; true unless changed.
  open var notifyOnEntry = true

  /// Whether the app is notified of exits; true unless changed.
  open var notifyOnExit = true

  init(identifier: String) {
    storedIdentifier = identifier
  }

  /// Makes a region without identifier, which cannot be monitored.
  public override init() {
    storedIdentifier = ""
  }

  /// Reads a region from an archive; `nil` without identifier.
  ///
  /// - Parameter coder: The archive to read from.
  public required init?(coder: NSCoder) {
    guard let identifier = coder.text("identifier") else { return nil }
    storedIdentifier = identifier
    notifyOnEntry = coder.decodeBool(forKey: "notifyOnEntry")
    notifyOnExit = coder.decodeBool(forKey: "notifyOnExit")
  }

  /// Writes the identifier and both flags to an archive.
  ///
  /// - Parameter coder: The archive to write to.
  open func encode(with coder: NSCoder) {
    coder.encode(storedIdentifier as NSString, forKey: "identifier")
    coder.encode(notifyOnEntry, forKey: "notifyOnEntry")
    coder.encode(notifyOnExit, forKey: "notifyOnExit")
  }

  /// Whether archives are read safely: always.
  open class var supportsSecureCoding: Bool { true }

  /// Copies the region with its flags.
  ///
  /// - Parameter zone: Not used.
  /// - Returns: A new region.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = CLRegion(identifier: storedIdentifier)
    copy.takeNotifications(of: self)
    return copy
  }

  func takeNotifications(of other: CLRegion) {
    notifyOnEntry = other.notifyOnEntry
    notifyOnExit = other.notifyOnExit
  }

  /// The name of the region within the app.
  open var identifier: String { storedIdentifier }

  /// Whether the other object is a region with the same identifier (REG-11).
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? CLRegion)?.identifier == identifier
  }

  /// Equal for regions with the same identifier (REG-11).
  open override var hash: Int { identifier.hashValue }

  /// The class and the identifier.
  open override var description: String { "\(type(of: self)) (identifier:'\(identifier)')" }
}
