import LocationModel

/// The lines of gpsd's protocol, 3.14.
enum GpsdWord {
  static let version = line(
    "{\"class\":\"VERSION\",\"release\":\"3.22\",\"rev\":\"Meridian \(Release.version)\","
      + "\"proto_major\":3,\"proto_minor\":14}")

  static func error(_ text: String) -> [UInt8] {
    line("{\"class\":\"ERROR\",\"message\":\(quoted(text))}")
  }

  static func devices(_ receivers: [GpsdServedReceiver]) -> [UInt8] {
    line(
      "{\"class\":\"DEVICES\",\"devices\":["
        + receivers.map(deviceObject).joined(separator: ",") + "]}")
  }

  static func device(_ receiver: GpsdServedReceiver) -> [UInt8] { line(deviceObject(receiver)) }

  private static func deviceObject(_ receiver: GpsdServedReceiver) -> String {
    let path = "{\"class\":\"DEVICE\",\"path\":\(quoted(receiver.path))"
    guard let since = receiver.openSince else { return path + ",\"activated\":0}" }
    return path + ",\"driver\":\"NMEA0183\",\"activated\":\"\(since.iso8601)\",\"flags\":1}"
  }

  static func watch(_ policy: GpsdServer.Policy) -> [UInt8] {
    let device = policy.device.map { ",\"device\":\(quoted($0))" } ?? ""
    return line(
      "{\"class\":\"WATCH\",\"enable\":\(policy.isOn),\"json\":\(policy.json),"
        + "\"nmea\":\(policy.nmea),\"raw\":\(policy.raw),\"scaled\":false,\"timing\":false,"
        + "\"split24\":false,\"pps\":false\(device)}")
  }

  static func line(_ text: String) -> [UInt8] { Array(text.utf8) + [13, 10] }

  /// A number with at most so many digits after the point.
  static func number(_ value: Double, _ digits: Int) -> String {
    let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    let units = (abs(value) * scale).rounded()
    guard units < 9e15 else { return "0" }
    let whole = Int64(units) / Int64(scale)
    let fraction = String(Int64(units) % Int64(scale))
    let sign = value < 0 && units > 0 ? "-" : ""
    return sign + "\(whole)."
      + String(repeating: "0", count: max(0, digits - fraction.count)) + fraction
  }

  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      // What a terminal could take for a command, too.
      case "\u{0}"..<" ", "\u{7F}"..<"\u{A0}": quoted += "?"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
