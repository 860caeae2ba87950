package import LocationModel

/// Why a report of gpsd resulted in no fix.
package enum GpsdRejection: Hashable, Sendable {
  /// The line is not JSON.
  case malformed(JSONFault)
  /// The line has no `class`.
  case unclassified
  /// The line is longer than ``GpsdClient/longestLine``.
  case lineTooLong
  /// A solution without time: it cannot be distinguished from an old one.
  case noTime
  /// A solution without latitude or longitude.
  case noPosition
  /// Latitude or longitude out of range.
  case invalidPosition
  /// Neither an error estimate nor a dilution of precision has been seen.
  case noAccuracy
  /// The epoch has been emitted already.
  case repeatedEpoch
  /// The epoch is older than one that has been emitted.
  case olderEpoch
}

/// Other reports of a receiver that are needed to make a fix of a solution.
struct GpsdContext: Hashable, Sendable {
  /// The last GST: standard deviations in meters.
  var deviations: GpsdReport?
  /// The last dilutions of precision, from SKY.
  var horizontalDilution, verticalDilution: Double?
  /// The last count of satellites, from SKY.
  var satellites: SatelliteSummary?
  /// The last SKY that named satellites, as it was received: it is read for a person who asks.
  var sky: [UInt8] = []

  /// Seconds. A GST belongs to a solution that is at most this much older or newer.
  static let deviationsLife = 5.0

  /// Keeps the values of a GST or SKY, which is this line.
  mutating func note(_ report: GpsdReport, _ line: [UInt8] = []) {
    switch report.kind {
    case "GST": deviations = report
    case "SKY":
      if report.namesSatellites { sky = line }
      horizontalDilution = report.horizontalDilution ?? horizontalDilution
      verticalDilution = report.verticalDilution ?? verticalDilution
      if let inView = report.satellitesInView.flatMap({ Int(exactly: $0) }) {
        let used = report.satellitesUsed.flatMap { Int(exactly: $0) }
        satellites = SatelliteSummary(inView: inView, used: used)
      }
    default: break
    }
  }

  /// Returns the GST that belongs to the solution at `time`.
  fileprivate func deviations(at time: UnixTime) -> GpsdReport? {
    guard let deviations, let delivered = deviations.time,
      time.seconds(since: delivered).magnitude <= Self.deviationsLife
    else { return nil }
    return deviations
  }
}

/// Turns gpsd's error figures into those of a fix (LOC-5).
///
/// gpsd calls the certainty of `eph`, `epx`, … unknown; its sources aim at 95 %. A fix states
/// 68 %. For normally distributed errors the radius that holds a share *p* is
/// `sqrt(-2 ln(1 - p))` deviations in two dimensions (2.4477 at 95 %, 1.5096 at 68 %), and 1.960
/// and 0.994 in one. So:
///
/// 1. GST, when sent, holds standard deviations: 1.5096 times the quadratic mean of north and
///    east; the height's deviation as it is.
/// 2. `eph` over 1.6214 (= 2.4477 / 1.5096).
/// 3. `epx` and `epy`, each 1.960 deviations of one axis, joined as in 1.
/// 4. `sep`, in three dimensions (2.7955 deviations at 95 %), as if the error had no preferred
///    direction: over 1.8518. Too large rather than too small, since height is the worst axis.
/// 5. The dilution of precision times gpsd's own range errors, 19 m horizontally and 23 m
///    vertically at 95 %, scaled as in 2 and 6.
/// 6. `epv`, `eps`, `epd` over 1.960; without the last two, as for a receiver that speaks NMEA.
///
/// Without any of these there is no fix (``GpsdRejection/noAccuracy``).
enum GpsdAccuracy {
  static let circle95To68 = 2.4477 / 1.5096
  static let sphere95ToCircle68 = 2.7955 / 1.5096
  static let line95ToDeviation = 1.960
  /// The radius that holds 68 % in two dimensions, in standard deviations.
  static let circle68 = 1.5096
  /// Meters at 95 %: gpsd's factors for `hdop` and `vdop`, determined from its reports.
  static let horizontalRangeError = 19.0
  static let verticalRangeError = 23.0

  static func horizontal(_ report: GpsdReport, _ deviations: GpsdReport?, _ context: GpsdContext)
    -> Double?
  {
    let candidates = [
      circle(deviations?.latitude, deviations?.longitude),
      report.eph.map { $0 / circle95To68 },
      circle(report.epy, report.epx).map { $0 / line95ToDeviation },
      report.sep.map { $0 / sphere95ToCircle68 },
      context.horizontalDilution.map { $0 * horizontalRangeError / circle95To68 },
    ]
    return candidates.lazy.compactMap { positive($0) }.first
  }

  static func vertical(_ report: GpsdReport, _ deviations: GpsdReport?, _ context: GpsdContext)
    -> Double?
  {
    positive(deviations?.altitude) ?? linear(report.epv)
      ?? positive(context.verticalDilution.map { $0 * verticalRangeError / line95ToDeviation })
  }

  static func linear(_ error: Double?) -> Double? {
    positive(error.map { $0 / line95ToDeviation })
  }

  private static func circle(_ north: Double?, _ east: Double?) -> Double? {
    guard let north, let east else { return nil }
    return circle68 * ((north * north + east * east) / 2).squareRoot()
  }

  private static func positive(_ number: Double?) -> Double? {
    number.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
  }
}

extension Fix {
  /// Meters per second. Chosen: below it a receiver's course is noise.
  private static let minimumSpeedForCourse = 0.5

  /// Makes a fix of a TPV that has a solution (`mode` 2 or 3).
  init(_ report: GpsdReport, _ context: GpsdContext) throws(GpsdFault) {
    guard let latitude = report.latitude, let longitude = report.longitude else {
      throw GpsdFault(.noPosition)
    }
    let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    guard coordinate.isValid else { throw GpsdFault(.invalidPosition) }
    guard let time = report.time else { throw GpsdFault(.noTime) }
    let deviations = context.deviations(at: time)
    guard let accuracy = GpsdAccuracy.horizontal(report, deviations, context) else {
      throw GpsdFault(.noAccuracy)
    }
    self.init(coordinate: coordinate, horizontalAccuracy: accuracy, time: time)
    origin.isSimulated = report.status == 8
    if report.mode == 3 { takeHeight(report) }
    if altitude != nil || ellipsoidalAltitude != nil {
      verticalAccuracy = GpsdAccuracy.vertical(report, deviations, context)
    }
    takeMotion(report, context)
  }

  private mutating func takeHeight(_ report: GpsdReport) {
    altitude = report.meanSeaLevelAltitude ?? report.altitude
    ellipsoidalAltitude = report.ellipsoidalAltitude
    completeHeights(undulation: report.undulation)
  }

  /// Takes speed and course. Without its accuracy, either would count as invalid (LOC-6).
  private mutating func takeMotion(_ report: GpsdReport, _ context: GpsdContext) {
    guard let speed = report.speed, speed >= 0 else { return }
    let accuracy =
      GpsdAccuracy.linear(report.eps) ?? NMEAAccuracy.speed(hdop: context.horizontalDilution)
    (self.speed, speedAccuracy) = (speed, accuracy)
    guard speed >= Self.minimumSpeedForCourse, let course = report.course else { return }
    self.course = normalizedDegrees(course)
    courseAccuracy =
      GpsdAccuracy.linear(report.epd).map { min($0, 180) }
      ?? NMEAAccuracy.course(speed: speed, speedAccuracy: accuracy)
  }
}

/// Carries a rejection out of an initializer.
struct GpsdFault: Error {
  let rejection: GpsdRejection

  init(_ rejection: GpsdRejection) {
    self.rejection = rejection
  }
}

extension GpsdReport {
  /// The fix of this TPV alone, without what other reports say of its errors; `nil` without one of
  /// its own.
  package var solution: Fix? {
    do throws(GpsdFault) { return try Fix(self, GpsdContext()) } catch { return nil }
  }
}
