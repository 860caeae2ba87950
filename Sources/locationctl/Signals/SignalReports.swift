import LocationCoding
import LocationModel

/// What came of the compass and of beacons.
enum Signal: Sendable {
  case heading(HeadingReport)
  case beacons([BeaconReport])
  case failed

  /// What a delivery reports of them; `nil` for any other.
  init?(_ delivery: Delivery) {
    switch delivery {
    case .heading(_, .heading(let heading)): self = .heading(HeadingReport(heading))
    case .ranging(_, .ranged(_, let beacons)): self = .beacons(beacons.map { BeaconReport($0) })
    case .heading(_, .failed), .ranging(_, .failed): self = .failed
    default: return nil
    }
  }
}

extension PersonLink.Subscription {
  /// What comes of the compass and of beacons. Whether the person should be asked to calibrate is answered
  /// with no.
  var signals: some AsyncSequence<Signal, Never> {
    deliveries.compactMap { delivery in
      if case .heading(_, .askCalibration) = delivery {
        self.send { .heading($0, .calibrationAnswer(false)) }
      }
      return Signal(delivery)
    }
  }
}

/// A heading, ready to print; what is unknown is `nil`.
struct HeadingReport: Sendable {
  var date: UnixTime
  var magnetic: Double
  var geographic: Double?
  var accuracy: Double?
  /// Microtesla along the device's axes.
  var field: (x: Double, y: Double, z: Double)

  init(_ heading: Heading) {
    date = heading.time
    magnetic = heading.magneticHeading
    geographic = heading.trueHeading
    accuracy = heading.accuracy
    field = (heading.field?.x ?? 0, heading.field?.y ?? 0, heading.field?.z ?? 0)
  }

  /// All but the field.
  var object: JSONLine {
    var line = JSONLine(type: "heading")
    line.add("date", date)
    line.add("magnetic_heading", magnetic)
    line.add("true_heading", geographic)
    line.add("heading_accuracy", accuracy)
    return line
  }

  var json: String {
    var line = object
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
      Horizon.point(of: facing).padded(to: 2, behind: true),
      "magnetic \(magnetic.digits(1, width: 5))°",
      geographic.map { "true \($0.digits(1, width: 5))°" } ?? "true     –",
      accuracy.map { "± \($0.digits(0))°" } ?? "not calibrated",
    ]
    let parts = [Horizon.text(facing: facing), numbers.joined(separator: "  ")]
    return isTerminal ? parts : [parts.joined(separator: "  ")]
  }
}

/// A beacon, ready to print; what is unknown is `nil`.
struct BeaconReport: Sendable {
  var date: UnixTime
  var identity: BeaconIdentity
  var proximity: String
  /// Meters.
  var distance: Double?
  /// dBm.
  var rssi: Int?

  init(_ beacon: RangedBeacon) {
    date = beacon.time
    identity = beacon.identity
    distance = beacon.accuracy
    rssi = beacon.rssi == 0 ? nil : beacon.rssi
    proximity =
      switch beacon.proximity {
      case .immediate: "immediate"
      case .near: "near"
      case .far: "far"
      case .unknown: "unknown"
      }
  }

  var json: JSONLine {
    var line = JSONLine(type: "beacon")
    line.add("date", date)
    line.add("uuid", "\(identity.uuid)")
    line.add("major", Int(identity.major))
    line.add("minor", Int(identity.minor))
    line.add("proximity", proximity)
    line.add("distance", distance)
    line.add("rssi", rssi)
    return line
  }

  static let heading = "major  minor  proximity  distance      rssi  heard (UTC)"

  var text: String {
    let distance = distance.map { "\($0.digits(2, width: 6)) m" } ?? "       –"
    let rssi = rssi.map { "\("\($0)".padded(to: 4)) dBm" } ?? "       –"
    let near = proximity.padded(to: 9, behind: true)
    let clock = String(date.iso8601.dropFirst(11).prefix(8))
    let numbers = [identity.major, identity.minor].map { "\($0)".padded(to: 5) + "  " }.joined()
    return numbers + "\(near)  \(distance)  \(rssi)  \(clock)"
  }
}
