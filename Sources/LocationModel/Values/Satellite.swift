/// One satellite, as a receiver sees it.
package struct Satellite: Hashable, Sendable {
  /// The system that it belongs to.
  package enum System: String, CaseIterable, Sendable {
    case gps, sbas, galileo, beidou, imes, qzss, glonass, navic

    /// The system by the number that u-blox and gpsd use; `nil` for others.
    package init?(gnssid: Int) {
      guard Self.allCases.indices.contains(gnssid) else { return nil }
      self = Self.allCases[gnssid]
    }

    /// The number that u-blox and gpsd use.
    package var gnssid: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  package var system: System
  /// Its number within the system; of SBAS the PRN, in `120...158`.
  package var number: Int
  /// Degrees above the horizon, in `-90...90`; `nil` where the receiver does not know it.
  package var elevation: Double?
  /// Degrees clockwise from true north, in `0...360`; `nil` where the receiver does not know it.
  package var azimuth: Double?
  /// dB-Hz, in `0...99`; `nil` while it is not received.
  package var signal: Double?
  /// Whether the solution rests on it.
  package var isUsed: Bool

  package init(system: System, number: Int, isUsed: Bool = false) {
    (self.system, self.number, self.isUsed) = (system, number, isUsed)
  }

  /// Sets where it is and how strong; numbers out of range count as unknown.
  package mutating func set(elevation: Double?, azimuth: Double?, signal: Double?) {
    func known(_ value: Double?, _ range: ClosedRange<Double>) -> Double? {
      value.flatMap { range.contains($0) ? $0 : nil }
    }
    self.elevation = known(elevation, -90...90)
    self.azimuth = known(azimuth, 0...360)
    self.signal = known(signal, 0...99)
  }

  /// How many of one sky are kept. Chosen: more than all systems have above one horizon.
  package static let most = 120
}
