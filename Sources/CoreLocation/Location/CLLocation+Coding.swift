import LocationModel

/// The names of a location's fields in an archive.
private enum Key {
  static let latitude = "kCLLocationCodingKeyCoordinateLatitude"
  static let longitude = "kCLLocationCodingKeyCoordinateLongitude"
  static let altitude = "kCLLocationCodingKeyAltitude"
  static let ellipsoidalAltitude = "kCLLocationCodingKeyEllipsoidalAltitude"
  static let horizontalAccuracy = "kCLLocationCodingKeyHorizontalAccuracy"
  static let verticalAccuracy = "kCLLocationCodingKeyVerticalAccuracy"
  static let course = "kCLLocationCodingKeyCourse"
  static let courseAccuracy = "kCLLocationCodingKeyCourseAccuracy"
  static let speed = "kCLLocationCodingKeySpeed"
  static let speedAccuracy = "kCLLocationCodingKeySpeedAccuracy"
  static let timestamp = "kCLLocationCodingKeyTimestamp"
  static let floor = "kCLLocationCodingKeyFloor"
  static let isSimulated = "kCLLocationCodingKeySimulatedBySoftware"
  static let isAccessory = "kCLLocationCodingKeyProducedByAccessory"
}

extension CLLocation.Values {
  /// Reads the values; `nil` without coordinate or time: such an archive holds no location.
  init?(_ coder: NSCoder) {
    guard let latitude = coder.number(Key.latitude), let longitude = coder.number(Key.longitude),
      let seconds = coder.number(Key.timestamp)
    else { return nil }
    self.init(
      latitude: latitude, longitude: longitude,
      altitude: coder.number(Key.altitude) ?? 0,
      ellipsoidalAltitude: coder.number(Key.ellipsoidalAltitude),
      horizontalAccuracy: coder.number(Key.horizontalAccuracy) ?? -1,
      verticalAccuracy: coder.number(Key.verticalAccuracy) ?? -1,
      course: coder.number(Key.course) ?? -1,
      courseAccuracy: coder.number(Key.courseAccuracy) ?? -1,
      speed: coder.number(Key.speed) ?? -1,
      speedAccuracy: coder.number(Key.speedAccuracy) ?? -1,
      timestamp: Date(timeIntervalSinceReferenceDate: seconds))
    if coder.containsValue(forKey: Key.floor) { floor = coder.decodeInteger(forKey: Key.floor) }
    guard coder.containsValue(forKey: Key.isSimulated) else { return }
    origin = Fix.Origin(
      isSimulated: coder.decodeBool(forKey: Key.isSimulated),
      isAccessory: coder.decodeBool(forKey: Key.isAccessory))
  }

  func encode(with coder: NSCoder) {
    coder.encode(latitude, forKey: Key.latitude)
    coder.encode(longitude, forKey: Key.longitude)
    coder.encode(altitude, forKey: Key.altitude)
    if let ellipsoidalAltitude {
      coder.encode(ellipsoidalAltitude, forKey: Key.ellipsoidalAltitude)
    }
    coder.encode(horizontalAccuracy, forKey: Key.horizontalAccuracy)
    coder.encode(verticalAccuracy, forKey: Key.verticalAccuracy)
    coder.encode(course, forKey: Key.course)
    coder.encode(courseAccuracy, forKey: Key.courseAccuracy)
    coder.encode(speed, forKey: Key.speed)
    coder.encode(speedAccuracy, forKey: Key.speedAccuracy)
    coder.encode(timestamp.timeIntervalSinceReferenceDate, forKey: Key.timestamp)
    if let floor { coder.encode(floor, forKey: Key.floor) }
    guard let origin else { return }
    coder.encode(origin.isSimulated, forKey: Key.isSimulated)
    coder.encode(origin.isAccessory, forKey: Key.isAccessory)
  }
}

extension NSCoder {
  /// Returns the number under a key; `nil` when there is none.
  func number(_ key: String) -> Double? {
    containsValue(forKey: key) ? decodeDouble(forKey: key) : nil
  }

  /// Returns the text under a key; `nil` when there is none.
  func text(_ key: String) -> String? { object(key, of: [NSString.self]) as? String }

  /// Returns the object under a key; `nil` when there is none. To ask for one that is not there ends
  /// the process.
  func object(_ key: String, of classes: [AnyClass]) -> Any? {
    containsValue(forKey: key) ? decodeObject(of: classes, forKey: key) : nil
  }

  /// Returns the date under a key; `nil` when there is none.
  func date(_ key: String) -> Date? {
    number(key).map(Date.init(timeIntervalSinceReferenceDate:))
  }

  /// Writes a date as seconds since the reference date.
  func encode(_ date: Date, forKey key: String) {
    encode(date.timeIntervalSinceReferenceDate, forKey: key)
  }
}
