/// What a sensor of the device reports that is neither a position, a heading, nor a signal.
///
/// One more sensor is one more case here, one in its JSON, and one in the engine; drivers, the
/// core, and recordings pass samples on as they are.
package enum SensorSample: Hashable, Sendable {
  /// How the device moves.
  case motion(MotionActivity)
  /// The pressure of the air.
  case pressure(PressureSample)
}
