package import LocationCoding
package import LocationModel

/// What is known of one kind of transmitters: an element of `GetMap`.
package struct MapStatus: Hashable, Sendable {
  /// `wifi` or `cell`.
  package var kind: String
  /// Transmitters that this computer has received, each box once.
  package var transmitters: Int
  /// Of these, those that are not used because they move.
  package var blocked: Int
  /// Transmitters of imported lists.
  package var imported: Int
  /// Square meters of ground that is known.
  package var area: Double
  /// The days of the oldest and the newest lesson; `nil` without one.
  package var oldest: UnixTime?
  package var newest: UnixTime?
  /// What is stored of it.
  package var bytes: Int

  package init(kind: String) {
    self.kind = kind
    (transmitters, blocked, imported, area, bytes) = (0, 0, 0, 0, 0)
  }
}

extension MapStatus: JSONStructure {
  package static let fields = JSONFields(
    MapStatus(kind: ""), .get("kind", \.kind), .get("transmitters", \.transmitters),
    .get("blocked", \.blocked), .get("imported", \.imported), .get("area", \.area),
    .find("oldest", \.oldest), .find("newest", \.newest), .get("bytes", \.bytes))
}

/// How often parts of an import were not used: an element of the answer to `ImportMap`.
package struct MapRefusal: Hashable, Sendable {
  package var reason: String
  package var count: Int

  package init(reason: String, count: Int) {
    (self.reason, self.count) = (reason, count)
  }
}

extension MapRefusal: JSONStructure {
  package static let fields = JSONFields(
    MapRefusal(reason: "", count: 0), .get("reason", \.reason), .get("count", \.count))
}

/// How much of the map was forgotten around a place: the answer to `ForgetMapNear`.
package struct MapForgotten: Hashable, Sendable {
  package var places: Int
  package var transmitters: Int

  package init(places: Int, transmitters: Int) {
    (self.places, self.transmitters) = (places, transmitters)
  }
}

extension MapForgotten: JSONStructure {
  package static let fields = JSONFields(
    MapForgotten(places: 0, transmitters: 0), .get("places", \.places),
    .get("transmitters", \.transmitters))
}
