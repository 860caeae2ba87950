import LocationModel
import LocationProviders

/// A fix as its line says it.
enum FleetLineFix {
  static func read(_ line: String) throws -> Fix? { try FleetLine(Array(line.utf8))?.fix }
}
