/// The Earth's magnetic field at a place, as the World Magnetic Model has it.
package struct MagneticField: Hashable, Sendable {
  /// Nanotesla towards true north, true east, and downwards.
  package var north: Double
  package var east: Double
  package var down: Double

  /// Nanotesla in the horizontal plane, not negative.
  package var horizontalIntensity: Double { hypotenuse(north, east) }

  /// Nanotesla in all.
  package var intensity: Double { hypotenuse(horizontalIntensity, down) }

  /// Degrees from true to magnetic north, positive to the east, in `-180...180`.
  package var declination: Double { arctangent(east, north).degrees }

  /// Degrees below the horizon, in `-90...90`.
  package var inclination: Double { arctangent(down, horizontalIntensity).degrees }

  /// How far a compass can be trusted here.
  package var compassZone: CompassZone {
    switch horizontalIntensity {
    case ..<2000: .blackout
    case ..<6000: .caution
    default: .reliable
    }
  }

  /// NOAA's zones round the magnetic poles, by horizontal intensity.
  package enum CompassZone: Hashable, Sendable {
    /// 6000 nT or more.
    case reliable
    /// 2000 to 6000 nT: the compass may be inaccurate.
    case caution
    /// Below 2000 nT: the compass is of no use.
    case blackout
  }
}
