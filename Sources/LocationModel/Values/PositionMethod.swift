/// How a position was found. Recordings number the cases in their order, so a new one comes last.
package enum PositionMethod: String, CaseIterable, Sendable {
  /// By a satellite receiver, a recording of one, or a position that the owner has entered.
  case receiver
  /// By the access points that were received, with the map that this computer has learned.
  case accessPoints
  /// By the cells that were received, with the map that this computer has learned.
  case cells
  /// By a location service on the network that the owner has named.
  case service
  /// By the address of the network (GeoIP), the area of a cell, the country, or the time zone: for requests that
  /// accept any position, and never for conditions, visits, or significant changes.
  case region
  /// By the beacons that were received, with the map that this computer has learned.
  case beacons

  /// The number in recordings, from 0.
  package var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
