import LocationModel
import LocationSQLite

/// Answers "which house, which street?" from an address index.
struct StreetReverseSearch {
  let index: StreetIndex

  /// What was found at or beside a point.
  struct Answer {
    var name: String?
    var number: String?
    var street: String?
    var locality: String?
    var postalCode: String?
    var coordinate: Coordinate
  }

  /// Meters: how far to look, step by step. Beyond the last, nothing has the point's address.
  private static let radii = [40.0, 150, 600]
  /// Meters from a point on a street within which a house of that street gives the number. Chosen;
  /// Nominatim uses a thousandth of a degree.
  private static let houseBesideStreet = 100.0
  /// Meters from a house within which its street is looked for.
  private static let streetBesideHouse = 300.0

  private struct Near {
    var entry: StreetIndex.Entry
    var distance: Double
  }

  /// Looks at what is beside the point only, or also farther off.
  func answer(
    at point: Coordinate, onlyBeside: Bool = false
  ) throws(DatabaseError) -> Answer? {
    let neighborhood = Neighborhood(around: point)
    for radius in Self.radii.prefix(onlyBeside ? 1 : Self.radii.count) {
      let near = try near(neighborhood, radius: radius)
      guard let closest = near.first(where: { $0.entry.kind != .interpolation }) else { continue }
      return try answer(for: closest, near: near, neighborhood)
    }
    return nil
  }

  /// Closest first; of those that hold the point, a house before a thing, a point before an area.
  private func near(
    _ neighborhood: Neighborhood, radius: Double
  ) throws(DatabaseError) -> [Near] {
    try index.entries(within: radius, of: neighborhood).map {
      Near(entry: $0, distance: $0.shape.distance(from: neighborhood))
    }.filter { $0.distance <= radius }.sorted {
      ($0.distance, $0.entry.kind == .address ? 0 : 1, $0.entry.identifier)
        < ($1.distance, $1.entry.kind == .address ? 0 : 1, $1.entry.identifier)
    }
  }

  private func answer(
    for closest: Near, near: [Near], _ neighborhood: Neighborhood
  ) throws(DatabaseError) -> Answer {
    switch closest.entry.kind {
    case .address:
      return try house(closest.entry, near: near)
    case .interest:
      return try interest(closest.entry)
    case .street, .interpolation, .other:
      return try street(closest.entry, neighborhood)
    }
  }

  private func house(_ house: StreetIndex.Entry, near: [Near]) throws(DatabaseError) -> Answer {
    var answer = Answer(
      name: house.name, number: house.number, locality: house.locality,
      postalCode: house.postalCode, coordinate: house.shape.center)
    answer.street =
      if let street = house.street { try index.streetName(street) } else {
        try nearestStreet(to: house.shape.center)
      }
    return answer
  }

  /// A named thing has the address of the building it lies in, else the street it lies at.
  private func interest(_ interest: StreetIndex.Entry) throws(DatabaseError) -> Answer {
    let around = Neighborhood(around: interest.shape.center)
    let building = try near(around, radius: 1).first {
      guard case .polygon = $0.entry.shape, $0.entry.kind == .address else { return false }
      return $0.distance == 0
    }
    var answer = Answer(
      name: interest.name, number: interest.number ?? building?.entry.number,
      locality: interest.locality ?? building?.entry.locality,
      postalCode: interest.postalCode ?? building?.entry.postalCode,
      coordinate: interest.shape.center)
    answer.street =
      if let street = interest.street ?? building?.entry.street {
        try index.streetName(street)
      } else {
        try nearestStreet(to: interest.shape.center)
      }
    return answer
  }

  /// A point on a street has the number of the nearest house in that street.
  private func street(
    _ street: StreetIndex.Entry, _ neighborhood: Neighborhood
  ) throws(DatabaseError) -> Answer {
    var answer = Answer(
      name: street.name, street: street.name, coordinate: street.shape.center)
    let key = StreetFeature.key(index.folding.words(street.name ?? ""))
    guard let number = try index.street(key: key) else { return answer }
    let houses = try near(neighborhood, radius: Self.houseBesideStreet)
      .filter { $0.entry.street == number && $0.entry.number != nil }
    if let house = houses.first(where: { $0.entry.kind == .address }) {
      return try self.house(house.entry, near: [])
    }
    if let line = houses.first(where: { $0.entry.kind == .interpolation }),
      let between = HouseNumberLine(line.entry)
    {
      answer.number = String(between.number(closestTo: neighborhood))
    }
    return answer
  }

  private func nearestStreet(to point: Coordinate) throws(DatabaseError) -> String? {
    try near(Neighborhood(around: point), radius: Self.streetBesideHouse)
      .first { $0.entry.kind == .street }?.entry.name
  }
}

/// House numbers that rise evenly along a line.
struct HouseNumberLine {
  private let points: [OsmPoint]
  private let first: Int
  private let last: Int
  /// Numbers of one side of a street are two apart.
  private let step: Int

  init?(_ entry: StreetIndex.Entry) {
    guard case .line(let points) = entry.shape, let ends = entry.number?.split(separator: "-"),
      ends.count == 2, let first = Int(ends[0]), let last = Int(ends[1])
    else { return nil }
    (self.points, self.first, self.last) = (points, first, last)
    step = (last - first) % 2 == 0 ? 2 : 1
  }

  func number(closestTo neighborhood: Neighborhood) -> Int {
    let share = StreetShape.closest(on: points, to: neighborhood).share
    return first + Int((share * Double(last - first) / Double(step)).rounded()) * step
  }

  /// Where a number lies; `nil` when it is not one of the line's.
  func position(of number: Int) -> Coordinate? {
    guard first != last, min(first, last)...max(first, last) ~= number,
      (number - first) % step == 0
    else { return nil }
    return StreetShape.position(
      along: points, share: Double(number - first) / Double(last - first))
  }
}
