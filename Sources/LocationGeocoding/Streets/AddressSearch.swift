import LocationModel
import LocationSQLite

/// Joins the two indexes: streets and houses from one, what they belong to from the other.
struct AddressSearch {
  let streets: StreetIndex
  let places: ForwardSearch

  /// Meters. A feature so near a place of the same name is that place, drawn more exactly. Chosen.
  private static let samePlace = 10_000.0
  /// Meters: the reach of a town so large that its name means it even where an extract, which
  /// somebody chose to import, has a namesake. Chosen: about 85,000 inhabitants.
  private static let famousReach = 3000.0

  /// All answers for a text, best first.
  func places(for text: String) throws(DatabaseError) -> [Place] {
    let parts = text.split { ",;\n".contains($0) }.map { streets.folding.words(String($0)) }
      .filter { !$0.isEmpty }
    let candidates = try places.candidates(for: text)
    let whole = candidates.first.flatMap { $0.isExact ? $0 : nil }
    let answers = try StreetForwardSearch(index: streets, limit: places.limit).answers(
      for: parts, anchors: try anchors(parts, whole: whole), hint: places.hint)
    let addresses = try answers.map { (answer) throws(DatabaseError) in try place(answer) }
    let found = try candidates.map { (c) throws(DatabaseError) in try places.place(of: c) }
    let isPlaceFirst = whole.map { isMeant($0, rather: answers.first) } ?? false
    return Array((isPlaceFirst ? found + addresses : addresses + found).prefix(places.limit))
  }

  /// Whether a place of the text's name is meant rather than what the address index has.
  private func isMeant(_ place: Candidate, rather other: StreetForwardSearch.Answer?) -> Bool {
    guard let other else { return true }
    let distance = sphericalDistance(other.coordinate, place.position.coordinate)
    if !other.isExact { return true }
    return distance > Self.samePlace && (place.lineage.first?.reach ?? 0) >= Self.famousReach
  }

  /// Where the parts after the first lie; without any, the place the text itself names, else the
  /// place its last word names.
  private func anchors(
    _ parts: [[String]], whole: Candidate?
  ) throws(DatabaseError) -> [Coordinate] {
    let rest =
      parts.count > 1
      ? parts.dropFirst().map { $0.joined(separator: " ") }
      : parts.first.map { Array($0.dropFirst().suffix(1)) } ?? []
    guard !rest.isEmpty else { return whole.map { [$0.position.coordinate] } ?? [] }
    return try places.candidates(for: rest.joined(separator: ", ")).map(\.position.coordinate)
  }

  private func place(_ answer: StreetForwardSearch.Answer) throws(DatabaseError) -> Place {
    let reverse = ReverseSearch(index: places.index, locale: places.locale)
    var place = try reverse.place(at: answer.coordinate)
    let entry = answer.entry
    var street = answer.street
    if street == nil, let number = entry.street { street = try streets.streetName(number) }
    place.refine(
      with: StreetReverseSearch.Answer(
        name: entry.name, number: answer.number ?? entry.number,
        street: street, locality: entry.locality, postalCode: entry.postalCode,
        coordinate: answer.coordinate))
    place.isPartial = answer.isPartial
    return place
  }
}

extension Place {
  /// Countries that write the number before the street.
  private static let numberFirst: Set = [
    "US", "CA", "GB", "IE", "AU", "NZ", "FR", "LU", "ZA", "IN", "IL", "TH", "PH", "SG", "MY",
  ]

  /// Takes over what an address index knows better.
  mutating func refine(with answer: StreetReverseSearch.Answer) {
    coordinate = answer.coordinate
    radius = nil
    (ocean, inlandWater) = (nil, nil)  // GEO-15
    source = .streets
    thoroughfare = answer.street
    subThoroughfare = answer.number
    if let known = answer.locality { locality = known }
    if let known = answer.postalCode { postalCode = known }
    if let thing = answer.name, thing != answer.street { areasOfInterest = [thing] }
    let isNumberFirst = isoCountryCode.map { Self.numberFirst.contains($0) } ?? false
    let line = isNumberFirst ? [answer.number, answer.street] : [answer.street, answer.number]
    let address = line.compactMap { $0 }.joined(separator: " ")
    name = answer.name ?? (address.isEmpty ? name : address)
  }
}
