import LocationModel

/// Converts a receiver's error estimates into the 68 % figures of a fix (LOC-5).
///
/// The rule and its reasons: docs/decisions/0002-horizontal-accuracy-from-receivers.md.
package enum NMEAAccuracy {
  /// Meters, greater than zero.
  package static func horizontal(
    errors: NMEAErrors?, hdop: Double?, quality: NMEAQuality
  ) -> Double {
    let deviation =
      distanceDeviation(errors) ?? (hdop ?? unknownDilution) * rangeError(quality)
    return max(ConfidenceRadius.fromDistanceDeviation(deviation), smallest)
  }

  /// Meters, greater than zero.
  package static func vertical(
    errors: NMEAErrors?, vdop: Double?, horizontal: Double, quality: NMEAQuality
  ) -> Double {
    if let altitude = errors?.altitude, altitude > 0 { return max(altitude, smallest) }
    if let vdop { return max(vdop * rangeError(quality), smallest) }
    return horizontal * verticalPerHorizontal
  }

  /// Meters per second, greater than zero.
  package static func speed(hdop: Double?) -> Double {
    (hdop ?? unknownDilution) * rangeRateError
  }

  /// Degrees, at most 180: the angle that a sideways error of that size causes.
  package static func course(speed: Double, speedAccuracy: Double) -> Double {
    arctangent(speedAccuracy, speed).degrees
  }

  /// Returns the root of the summed squares of both standard deviations; `nil` where GST is empty,
  /// or zero, which receivers write before they know.
  private static func distanceDeviation(_ errors: NMEAErrors?) -> Double? {
    guard let latitude = errors?.latitude, let longitude = errors?.longitude else { return nil }
    let deviation = hypotenuse(latitude, longitude)
    return deviation > 0 ? deviation : nil
  }

  /// One standard deviation of the error of one range, in meters. Chosen.
  private static func rangeError(_ quality: NMEAQuality) -> Double {
    switch quality {
    case .deadReckoning: 20
    case .autonomous: 4
    case .precise: 3
    case .differential: 2
    case .floatRTK: 0.3
    case .fixedRTK: 0.02
    }
  }

  /// Used for a dilution that the receiver does not send. Chosen: a poor open sky.
  private static let unknownDilution = 2.5
  /// Meters per second: the error of one range rate. Chosen.
  private static let rangeRateError = 0.2
  /// Heights are about this many times less exact than places. Chosen.
  private static let verticalPerHorizontal = 1.5
  /// Meters. Chosen: no receiver without its own base station is better.
  private static let smallest = 0.01
}

/// Converts radii of other confidence into the 68 % radius of LOC-5, for a round normal error.
package enum ConfidenceRadius {
  /// The radius that holds 68 %, in standard deviations of one axis: √(-2 ln 0.32).
  private static let sixtyEightPercent = 1.5096
  /// The radius that holds 95 %: √(-2 ln 0.05).
  private static let ninetyFivePercent = 2.4477

  /// Converts the root of the summed squares of both axes' standard deviations, √2 of one of them.
  package static func fromDistanceDeviation(_ meters: Double) -> Double {
    meters * (sixtyEightPercent / 1.41421)
  }

  /// Converts a radius that holds 95 %, such as gpsd's `eph`.
  package static func fromNinetyFivePercent(_ meters: Double) -> Double {
    meters * (sixtyEightPercent / ninetyFivePercent)
  }

  /// Converts a figure on one axis that holds 95 %, such as gpsd's `epv`, `eps`, and `epd`.
  package static func axisFromNinetyFivePercent(_ value: Double) -> Double {
    value / 1.96
  }
}
