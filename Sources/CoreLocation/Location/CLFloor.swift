/// A floor of a building (LOC-15).
open class CLFloor: NSObject, NSCopying, NSSecureCoding {
  private let storedLevel: Int

  init(level: Int) {
    storedLevel = level
  }

  /// Makes the floor at ground level.
  public override init() {
    storedLevel = 0
  }

  /// Reads a floor from an archive.
  ///
  /// - Parameter coder: The archive to read from.
  public required init?(coder: NSCoder) {
    storedLevel = coder.decodeInteger(forKey: "level")
  }

  /// Writes the level to an archive.
  ///
  /// - Parameter coder: The archive to write to.
  open func encode(with coder: NSCoder) {
    coder.encode(storedLevel, forKey: "level")
  }

  /// Whether archives are read safely: always.
  open class var supportsSecureCoding: Bool { true }

  /// Returns the floor itself, since it never changes.
  ///
  /// - Parameter zone: Not used.
  /// - Returns: This very object.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// 0 at ground level, negative below (LOC-15).
  open var level: Int { storedLevel }
}
