#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

// The one file of the pure targets that knows the C mathematics library.

/// An angle, whatever unit it was given in.
package struct Angle: Hashable, Comparable, Sendable {
  package var radians: Double

  package init(radians: Double) {
    self.radians = radians
  }

  package init(degrees: Double) {
    radians = degrees * (.pi / 180)
  }

  package var degrees: Double { radians * (180 / .pi) }

  package static func < (left: Angle, right: Angle) -> Bool { left.radians < right.radians }
}

package func sin(_ angle: Angle) -> Double { sine(angle.radians) }
package func cos(_ angle: Angle) -> Double { cosine(angle.radians) }
package func tan(_ angle: Angle) -> Double { tangent(angle.radians) }

/// The angle of the vector (`x`, `y`), counted from the x axis, in `-pi...pi`.
package func arctangent(_ y: Double, _ x: Double) -> Angle { Angle(radians: atan2(y, x)) }

// The same functions on bare numbers, in radians, for arithmetic taken from papers.

package func sine(_ radians: Double) -> Double { sin(radians) }
package func cosine(_ radians: Double) -> Double { cos(radians) }
package func tangent(_ radians: Double) -> Double { tan(radians) }
package func arcsine(_ x: Double) -> Double { asin(x) }
package func arctangent(_ x: Double) -> Double { atan(x) }
package func exponential(_ x: Double) -> Double { exp(x) }
package func logarithm(_ x: Double) -> Double { log(x) }
package func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
package func hypotenuse(_ x: Double, _ y: Double) -> Double { hypot(x, y) }
package func cubeRoot(_ x: Double) -> Double { cbrt(x) }

/// Degrees turned into `0..<360`.
package func normalizedDegrees(_ degrees: Double) -> Double {
  let rest = degrees.truncatingRemainder(dividingBy: 360)
  let positive = rest < 0 ? rest + 360 : rest
  return positive >= 360 ? 0 : positive
}
