/// The pressure of the air, as a barometer measures it.
package struct PressureSample: Hashable, Sendable {
  /// Hectopascals, in `300 ... 1200`.
  package var pressure: Double

  package init(hectopascals: Double) {
    pressure = hectopascals
  }
}
