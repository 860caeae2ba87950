import LocationModel
import LocationSQLite

/// Answers "what is here?" from the place index.
struct ReverseSearch {
  let index: PlaceIndex
  let locale: PlaceLocale

  /// Meters. A point outside every polygon still lies on land when a settlement is this near: the
  /// polygons are generalised, and 0.3 % of urban points fall just outside their coast. Chosen.
  private static let coast = 4000.0
  /// Meters. Beyond this the nearest settlement gives no locality. Chosen.
  private static let farthestLocality = 25_000.0
  /// Meters. Beyond this the nearest center of a postal code is no evidence. Chosen.
  private static let farthestPostalCode = 10_000.0
  /// Meters: how far to look for settlements, step by step.
  private static let searchRadii = [3500.0, 12_000, 40_000, 100_000, 250_000, 600_000]

  /// The place around a point. Every point of the Earth has one: land, or an ocean.
  func place(at point: Coordinate) throws(DatabaseError) -> Place {
    let neighborhood = Neighborhood(around: point)
    let area = try index.area(around: point)
    if let area {
      let near = try nearest(to: neighborhood, in: area)
      return try land(at: neighborhood, near: near, in: area)
    }
    let coastal = try index.settlements(within: Self.coast, of: neighborhood)
    guard !coastal.isEmpty else { return sea(at: point) }
    return try land(at: neighborhood, near: coastal, in: nil)
  }

  private func sea(at point: Coordinate) -> Place {
    var place = Place(coordinate: point, source: .places)
    switch Sea.around(point) {
    case .ocean(let name): place.ocean = name
    case .inland(let name): place.inlandWater = name
    }
    place.name = place.ocean ?? place.inlandWater
    place.timeZone = nauticalZone(at: point.longitude)
    return place
  }

  /// The settlements of the same division around a point, from as small a circle as holds one; of
  /// the same country where the division has none.
  private func nearest(
    to neighborhood: Neighborhood, in area: Area
  ) throws(DatabaseError) -> [NearbySettlement] {
    for radius in Self.searchRadii {
      let near = try index.settlements(within: radius, of: neighborhood)
      let found =
        area.isSettled
        ? near.filter { $0.area == area.number } : try compatriots(near, of: area)
      if found.contains(where: { !$0.isQuarter }) { return found }
    }
    return []
  }

  private func compatriots(
    _ near: [NearbySettlement], of area: Area
  ) throws(DatabaseError) -> [NearbySettlement] {
    guard let country = area.country else { return near }
    var found: [NearbySettlement] = []
    for settlement in near.sorted(by: { $0.distance < $1.distance }).prefix(64) {
      if try index.lineage(of: settlement.rank).last?.rank == country { found.append(settlement) }
    }
    return found
  }

  private func land(
    at neighborhood: Neighborhood, near: [NearbySettlement], in area: Area?
  ) throws(DatabaseError) -> Place {
    let point = neighborhood.center
    var place = Place(coordinate: point, source: .places)
    let closest = near.min { $0.distance < $1.distance }
    let town = try locality(at: neighborhood, near: near, in: area)
    let closestLineage = try closest.map { (c) throws(DatabaseError) in
      try index.lineage(of: c.rank)
    }
    let townLineage = try town.map { (t) throws(DatabaseError) in try index.lineage(of: t.rank) }

    place.timeZone =
      try closestLineage.map { (l) throws(DatabaseError) in
        try index.zone(of: l)
      } ?? nauticalZone(at: point.longitude)
    try fillWholes(of: &place, from: townLineage ?? closestLineage ?? [], in: area)
    if let town, let row = townLineage?.first, town.distance <= Self.farthestLocality {
      place.locality = try index.name(of: row, in: locale)
    }
    if let quarter = near.filter({ $0.isQuarter && $0.distance <= 2 * $0.reach })
      .min(by: { $0.distance < $1.distance }), let row = try index.row(quarter.rank)
    {
      place.subLocality = try index.name(of: row, in: locale)
    }
    if let country = area?.country ?? townLineage?.last?.rank {
      place.postalCode = try index.postalCode(
        near: neighborhood, in: country, within: Self.farthestPostalCode)?.code
    }
    place.name =
      place.subLocality ?? place.locality ?? place.subAdministrativeArea
      ?? place.administrativeArea ?? place.country
    place.radius = place.locality == nil ? nil : town.map { max($0.reach, $0.distance) }
    return place
  }

  /// The town a point belongs to: the one within whose reach it lies, relative to that reach;
  /// else the nearest.
  private func locality(
    at neighborhood: Neighborhood, near: [NearbySettlement], in area: Area?
  ) throws(DatabaseError) -> NearbySettlement? {
    var towns = near.filter { !$0.isQuarter }
    for rank in try index.largeTowns(reaching: neighborhood.center)
    where !towns.contains(where: { $0.rank == rank }) {
      let lineage = try index.lineage(of: rank)
      guard let row = lineage.first, area.map({ isInside(lineage, $0) }) ?? false else { continue }
      towns.append(
        NearbySettlement(
          rank: rank, distance: neighborhood.distance(to: row.position.coordinate),
          reach: row.reach, area: area?.number ?? PlaceIndex.noArea, isQuarter: false))
    }
    let covering = towns.filter { $0.distance <= $0.reach }
    if let town = covering.min(by: { $0.distance / $0.reach < $1.distance / $1.reach }) {
      return town
    }
    return towns.min { $0.distance < $1.distance }
  }

  private func isInside(_ lineage: [PlaceRow], _ area: Area) -> Bool {
    if let state = area.state { return lineage.contains { $0.rank == state } }
    guard let country = area.country else { return true }
    return lineage.last?.rank == country
  }

  /// Fills country, state, and county; the polygon knows better than the nearest settlement.
  private func fillWholes(
    of place: inout Place, from lineage: [PlaceRow], in area: Area?
  ) throws(DatabaseError) {
    let countryRank = area?.country ?? lineage.first { $0.kind == .country }?.rank
    if let countryRank, let country = try index.row(countryRank) {
      place.country = try index.name(of: country, in: locale)
      place.isoCountryCode = try index.code(of: countryRank)
    }
    let isSameCountry = lineage.last?.rank == countryRank
    let stateRank = area?.state ?? (isSameCountry ? lineage.first { $0.kind == .state }?.rank : nil)
    if let stateRank, let state = try index.row(stateRank) {
      place.administrativeArea = try index.name(of: state, in: locale)
    } else {
      place.administrativeArea = area.map(\.name).flatMap { $0 == place.country ? nil : $0 }
    }
    if let county = lineage.first(where: { $0.kind == .county }),
      stateRank == nil || county.parent == stateRank
    {
      place.subAdministrativeArea = try index.name(of: county, in: locale)
    }
  }

  /// The time zone kept by ships: one hour for each 15 degrees. The sign is POSIX's, west
  /// positive.
  private func nauticalZone(at longitude: Double) -> String {
    let hours = Int((longitude / 15).rounded())
    return hours == 0 ? "Etc/GMT" : "Etc/GMT\(hours > 0 ? "-" : "+")\(abs(hours))"
  }
}
