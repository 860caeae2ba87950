package import LocationModel

/// What the map keeps of one transmitter: nothing that leads back to its address.
package struct RadioStation: Hashable, Sendable {
  /// Where it was heard when it was last placed.
  package var place: Coordinate
  /// Days since 1970 of the first and the last teaching.
  package var firstDay: Int32
  package var lastDay: Int32
  /// How often it was heard too far from its place.
  package var moves: Int32 = 0
  /// Until this day it is not used; `Int32.max` for good.
  package var blockedUntil: Int32 = 0
  /// Whether it was heard with locally administered addresses only.
  package var isLocal: Bool

  package init(place: Coordinate, day: Int32, isLocal: Bool) {
    self.place = place
    firstDay = day
    lastDay = day
    self.isLocal = isLocal
  }

  /// Whether it may take part in finding a position.
  ///
  /// An address that its owner has chosen counts once it was heard on two days: a phone that shares
  /// its connection changes it, an access point keeps it.
  package func isUsable(on day: Int32) -> Bool {
    blockedUntil <= day && (!isLocal || lastDay > firstDay)
  }

  /// Notes that it was heard far from its place: blocked for two days, and for good when that
  /// happened more often than its age in months.
  mutating func move(to place: Coordinate, on day: Int32) {
    if moves < .max { moves += 1 }
    self.place = place
    let months = (Int64(day) - Int64(firstDay)) / 30
    let isOften = Int64(moves) > months + 2
    blockedUntil = isOften ? .max : Int32(clamping: Int64(day) + Self.blockedDays)
  }

  private static let blockedDays: Int64 = 2
}

/// Names a transmitter in the map: a keyed hash, the same for all networks of one box.
package struct RadioStationID: Hashable, Comparable, Sendable {
  package var hash: UInt64

  package init(_ hash: UInt64) {
    self.hash = hash
  }

  package static func < (left: RadioStationID, right: RadioStationID) -> Bool {
    left.hash < right.hash
  }
}
