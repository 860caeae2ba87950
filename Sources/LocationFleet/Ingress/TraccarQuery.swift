internal import LocationModel

/// The parameters of OsmAnd's live tracking, and of Traccar Client before version 9.
struct TraccarQuery {
  private var values: [String: String] = [:]
  private var isDoubled = false

  init(_ query: [(name: String, value: String)]) {
    for (name, value) in query {
      if values.updateValue(value, forKey: name) != nil { isDoubled = true }
    }
  }

  /// Returns the fix that this device has sent.
  func fix(of device: String) throws(DeviceReport.Reason) -> ReportedFix {
    guard !isDoubled else { throw .malformed }
    for name in ["id", "deviceid"] {
      if let claim = values[name], claim != device { throw .device }
    }
    if let valid = values["valid"], valid != "true", valid != "1" { throw .noPosition }
    guard let latitude = number("lat"), let longitude = number("lon") else { throw .coordinate }
    return try ReportedFix(
      time: time, latitude: latitude, longitude: longitude, accuracy: number("accuracy"),
      altitude: number("altitude"),
      // Knots.
      speed: number("speed").map { $0 * 1852 / 3600 },
      course: number("bearing") ?? number("heading"))
  }

  private var time: UnixTime? {
    guard let text = values["timestamp"] else { return nil }
    return Self.number(text).map { UnixTime(secondsOrMilliseconds: $0) }
      ?? UnixTime(iso8601: text)
  }

  private func number(_ name: String) -> Double? { values[name].flatMap { Self.number($0) } }

  /// A decimal number; not the other forms that Swift reads, such as `nan` and `0x1p3`.
  private static func number(_ text: String) -> Double? {
    guard text.utf8.count <= 32,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) })
    else { return nil }
    return Double(text).flatMap { $0.isFinite ? $0 : nil }
  }
}
