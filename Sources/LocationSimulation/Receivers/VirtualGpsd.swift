import LocationModel

/// Simulates gpsd with one receiver: the lines of its protocol, version 3.
enum VirtualGpsd {
  /// Sent to each client that connects.
  static let greeting = line(
    #"{"class":"VERSION","release":"3.25","rev":"virtual","proto_major":3,"proto_minor":15}"#)

  /// The answer to a command: to `?WATCH`, the devices and the watch; to `?VERSION`, the greeting.
  static func answer(to bytes: [UInt8]) -> [UInt8] {
    let command = String(decoding: bytes, as: UTF8.self)
    if command.contains("?VERSION") { return greeting }
    guard command.contains("?WATCH") else { return [] }
    return line(
      #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/virtual","#
        + #""driver":"NMEA0183","activated":"2026-01-01T00:00:00.000Z"}]}"#)
      + line(#"{"class":"WATCH","enable":true,"json":true}"#)
  }

  /// One solution, marked as simulated (SIM-6); the deviation is that of one axis, in meters.
  ///
  /// gpsd's errors are those of 95 %: 1.960 deviations of one axis.
  static func report(_ seen: Truth, deviation: Double, at date: UnixTime) -> [UInt8] {
    var text = opening(date, mode: 3) + #","status":8"#
    text += #","lat":\#(seen.coordinate.latitude),"lon":\#(seen.coordinate.longitude)"#
    text += field("altMSL", seen.altitude)
    for axis in ["epx", "epy"] { text += field(axis, 1.960 * deviation) }
    text += field("epv", 1.960 * 1.5 * deviation) + field("speed", seen.speed) + #","eps":0.5"#
    if seen.speed > 0 { text += field("track", seen.course) }
    return line(text + "}")
  }

  static func noFix(at date: UnixTime) -> [UInt8] { line(opening(date, mode: 1) + "}") }

  private static func opening(_ date: UnixTime, mode: Int) -> String {
    #"{"class":"TPV","device":"/dev/virtual","mode":\#(mode),"time":"\#(date.iso8601)""#
  }

  /// A member with a number in thousandths; empty for one that JSON does not have.
  private static func field(_ name: String, _ value: Double) -> String {
    let number = (value * 1000).rounded() / 1000
    return number.isFinite ? #","\#(name)":\#(number)"# : ""
  }

  private static func line(_ text: String) -> [UInt8] { Array((text + "\r\n").utf8) }
}
