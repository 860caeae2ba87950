/// The transmitters that one radio of this computer received, as one report.
///
/// Transmitters that must not be used to find a place (hidden, opted out, phones and vehicles) are
/// left out by the provider; a scan carries no name of a network.
package struct RadioScan: Hashable, Sendable {
  /// A transmitter, and how it was received.
  package struct Reading: Hashable, Sendable {
    package var transmitter: Transmitter
    /// dBm, in `-130 ... -10`; `nil` where the radio does not report it.
    package var level: Double?
    /// Megahertz, of an access point; `nil` where the radio does not report it.
    package var frequency: Int?
    /// Seconds from when it was received to the scan's time, not negative.
    package var age: Double
    /// Whether this is the cell that serves the modem.
    package var isServing: Bool

    package init(
      _ transmitter: Transmitter, level: Double?, frequency: Int? = nil, age: Double = 0,
      isServing: Bool = false
    ) {
      self.transmitter = transmitter
      self.level = level
      self.frequency = frequency
      self.age = age
      self.isServing = isServing
    }
  }

  /// Each transmitter once, in their order.
  package var readings: [Reading]
  /// When the report was made.
  package var time: UnixTime
  /// Which radio of its source made the report; empty where a source has only one.
  package var radio: String

  package init(_ readings: [Reading], time: UnixTime, radio: String = "") {
    self.readings = readings
    self.time = time
    self.radio = radio
  }
}
