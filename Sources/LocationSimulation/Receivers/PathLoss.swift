import LocationModel

/// How much of a signal is lost on its way, by the model with one exponent.
enum PathLoss {
  /// Returns the dB by which a signal falls from one meter to so many.
  ///
  /// - Parameters:
  ///   - distance: meters, more than 0.
  ///   - exponent: 2 in free space, more behind walls and houses.
  /// - Returns: dB, below 0 within a meter.
  static func decibels(over distance: Double, exponent: Double) -> Double {
    10 * exponent * logarithm(distance) / logarithm(10)
  }
}
