import CoreLocation
import LocationCoding

/// Turns the calls of a manager about headings and beacons into one stream.
final class SignalsListener: NSObject, CLLocationManagerDelegate {
  enum Word: Sendable {
    case heading(HeadingReport)
    case beacons([BeaconReport])
    case failed(CLError)
  }

  let words: AsyncStream<Word>
  private let continuation: AsyncStream<Word>.Continuation

  override init() {
    (words, continuation) = AsyncStream.makeStream(
      bufferingPolicy: .bufferingNewest(Output.unreadReports))
  }

  func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
    continuation.yield(.heading(HeadingReport(newHeading)))
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    guard let error = error as? CLError, error.code == .headingFailure else { return }
    continuation.yield(.failed(error))
  }

  func locationManager(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {
    continuation.yield(.beacons(beacons.map { BeaconReport($0) }))
  }

  func locationManager(
    _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
    error: any Error
  ) {
    if let error = error as? CLError { continuation.yield(.failed(error)) }
  }
}

/// A heading, ready to print; what is unknown is `nil`.
struct HeadingReport: Sendable {
  var date: Date
  var magnetic: Double
  var geographic: Double?
  var accuracy: Double?
  /// Microtesla along the device's axes.
  var field: (x: Double, y: Double, z: Double)

  init(_ heading: CLHeading) {
    date = heading.timestamp
    magnetic = heading.magneticHeading
    geographic = heading.trueHeading < 0 ? nil : heading.trueHeading
    accuracy = heading.headingAccuracy < 0 ? nil : heading.headingAccuracy
    field = (heading.x, heading.y, heading.z)
  }

  var json: String {
    var line = JSONLine(type: "heading")
    line.add("date", date.iso8601)
    line.add("magnetic_heading", magnetic)
    line.add("true_heading", geographic)
    line.add("heading_accuracy", accuracy)
    line.add("x", field.x)
    line.add("y", field.y)
    line.add("z", field.z)
    return line.text
  }

  /// The horizon towards true north where it is known, and the numbers: below it on a terminal,
  /// which may be no wider than 80 columns, else beside it.
  func lines(onTerminal isTerminal: Bool) -> [String] {
    let facing = geographic ?? magnetic
    let numbers = [
      Horizon.point(of: facing).padding(toLength: 2, withPad: " ", startingAt: 0),
      String(format: "magnetic %5.1f°", magnetic),
      geographic.map { String(format: "true %5.1f°", $0) } ?? "true     –",
      accuracy.map { String(format: "± %.0f°", $0) } ?? "not calibrated",
    ]
    let parts = [Horizon.text(facing: facing), numbers.joined(separator: "  ")]
    return isTerminal ? parts : [parts.joined(separator: "  ")]
  }
}

/// A beacon, ready to print; what is unknown is `nil`.
struct BeaconReport: Sendable {
  var date: Date
  var uuid: UUID
  var major: Int
  var minor: Int
  var proximity: String
  /// Meters.
  var distance: Double?
  /// dBm.
  var rssi: Int?

  init(_ beacon: CLBeacon) {
    date = beacon.timestamp
    uuid = beacon.uuid
    major = beacon.major.intValue
    minor = beacon.minor.intValue
    distance = beacon.accuracy < 0 ? nil : beacon.accuracy
    rssi = beacon.rssi == 0 ? nil : beacon.rssi
    proximity =
      switch beacon.proximity {
      case .immediate: "immediate"
      case .near: "near"
      case .far: "far"
      default: "unknown"
      }
  }

  var json: JSONLine {
    var line = JSONLine(type: "beacon")
    line.add("date", date.iso8601)
    line.add("uuid", uuid.uuidString)
    line.add("major", major)
    line.add("minor", minor)
    line.add("proximity", proximity)
    line.add("distance", distance)
    line.add("rssi", rssi)
    return line
  }

  static let heading = "major  minor  proximity  distance      rssi  heard (UTC)"

  var text: String {
    let distance = distance.map { String(format: "%6.2f m", $0) } ?? "       –"
    let rssi = rssi.map { String(format: "%4d dBm", $0) } ?? "       –"
    let near = proximity.padding(toLength: 9, withPad: " ", startingAt: 0)
    let clock = String(date.iso8601.dropFirst(11).prefix(8))
    return String(format: "%5d  %5d  ", major, minor) + "\(near)  \(distance)  \(rssi)  \(clock)"
  }
}
