import LocationModel
import LocationSQLite

/// Answers "where is …?" from the place index.
struct ForwardSearch {
  let index: PlaceIndex
  let locale: PlaceLocale
  let hint: RegionHint?
  let limit: Int

  /// Candidates looked at per kind of match; the most important come first.
  private static let breadth = 40
  /// The same when a qualifier or a hint may prefer an unimportant one.
  private static let wideBreadth = 400

  /// The places a text may mean, best first; empty when there is none.
  func places(for text: String) throws(DatabaseError) -> [Place] {
    try candidates(for: text).map { (candidate) throws(DatabaseError) in
      try place(of: candidate)
    }
  }

  /// The same, before they are put into words.
  func candidates(for text: String) throws(DatabaseError) -> [Candidate] {
    let readings = PlaceQuery.readings(of: text, folding: index.folding)
    var best: [Candidate] = []
    for reading in readings {
      best += try exactCandidates(for: reading)
      // "Frankfurt Oder" as a whole beats "Frankfurt" in "Oder".
      if best.contains(where: { $0.missing == 0 }) { break }
    }
    if best.isEmpty { best = try fallbacks(for: readings) }
    return Array(try ranked(best).prefix(limit))
  }

  /// What to try when nothing has the name: a slip, a part of a name, or the rest of the text.
  private func fallbacks(for readings: [PlaceQuery]) throws(DatabaseError) -> [Candidate] {
    for reading in readings {
      let found = try candidates(.misspelled, for: reading)
      if found.contains(where: { $0.missing == 0 }) { return found }
    }
    for reading in readings.prefix(1) {
      for match in [NameMatch.words, .beginning] {
        let found = try candidates(match, for: reading)
        if !found.isEmpty { return found }
      }
    }
    for reading in readings {
      // A postal code that nobody has is not answered with the town around it, unless none is known.
      guard let rest = reading.withoutName,
        !(reading.mayBePostalCode && index.hasPostalCodes)
      else { continue }
      var found = try exactCandidates(for: rest)
      if found.isEmpty, rest.withoutName != nil { found = try fallbacks(for: [rest]) }
      guard !found.isEmpty else { continue }
      for position in found.indices { found[position].missing += 1 }
      return found
    }
    return []
  }

  // MARK: Candidates

  private func exactCandidates(for reading: PlaceQuery) throws(DatabaseError) -> [Candidate] {
    var found = try candidates(.name, for: reading) + candidates(.otherName, for: reading)
    if reading.mayBePostalCode {
      found += try postalCandidates(for: reading)
    }
    return found
  }

  private func candidates(
    _ match: NameMatch, for reading: PlaceQuery
  ) throws(DatabaseError) -> [Candidate] {
    let breadth = reading.qualifiers.isEmpty && hint == nil ? Self.breadth : Self.wideBreadth
    let name = reading.name
    let ranks =
      switch match {
      case .name: try index.ranks(named: name, limit: breadth)
      case .otherName: try index.ranks(alsoNamed: name, limit: breadth)
      case .misspelled: try index.ranks(almostNamed: name, limit: breadth)
      case .words: try index.ranks(withWords: name, limit: breadth)
      case .beginning: try index.ranks(beginning: name, limit: breadth)
      case .postalCode: [Int]()
      }
    guard !ranks.isEmpty else { return [] }
    let wholes = try reading.qualifiers.map { (q) throws(DatabaseError) in
      try Qualifier(q, index: index)
    }
    var found: [Candidate] = []
    for rank in ranks {
      let lineage = try index.lineage(of: rank)
      var candidate = Candidate(match: match, rank: rank, lineage: lineage)
      try candidate.compare(with: wholes, index: index)
      found.append(candidate)
    }
    return found
  }

  private func postalCandidates(for reading: PlaceQuery) throws(DatabaseError) -> [Candidate] {
    var numbers = try index.postalCodeNumbers(reading.name, limit: Self.wideBreadth)
    if numbers.isEmpty, reading.name.count > 1 {
      // Of British codes the data knows the first half: "SW1A" of "SW1A 1AA".
      numbers = try index.postalCodeNumbers([reading.name[0]], limit: Self.wideBreadth)
    }
    let wholes = try reading.qualifiers.map { (q) throws(DatabaseError) in
      try Qualifier(q, index: index)
    }
    var found: [Candidate] = []
    for code in try index.postalCodes(numbers) {
      let lineage = try index.lineage(of: code.place ?? code.country)
      var candidate = Candidate(
        match: .postalCode, rank: code.place ?? code.country, lineage: lineage)
      candidate.postalCode = code
      try candidate.compare(with: wholes, index: index)
      found.append(candidate)
    }
    return found
  }

  // MARK: Order

  /// Best first, each place once.
  private func ranked(_ candidates: [Candidate]) throws(DatabaseError) -> [Candidate] {
    var home: Int?
    if let country = locale.country {
      home = try index.ranks(alsoNamed: ["iso", country.lowercased()], limit: 1).first
    }
    let scored = candidates.map { candidate in
      (candidate, score(candidate, home: home))
    }.sorted { ($0.1, $1.0.rank) > ($1.1, $0.0.rank) }
    var seen: Set<GridPosition> = []
    return scored.map(\.0).filter { seen.insert($0.position).inserted }
  }

  private func score(_ candidate: Candidate, home: Int?) -> Double {
    var score = candidate.match.worth + 0.6 * candidate.importance - Double(candidate.missing)
    switch candidate.kind {
    case .settlement, .country: break
    case .quarter: score -= 0.02
    case .state: score -= 0.08
    case .county: score -= 0.12
    }
    if let home, candidate.lineage.last?.rank == home { score += 0.03 }
    if let hint {
      let distance = sphericalDistance(hint.center, candidate.position.coordinate)
      score += 0.4 * exponential(-distance / max(2 * hint.radius, 50_000))
    }
    return score
  }

  // MARK: Answers

  func place(of candidate: Candidate) throws(DatabaseError) -> Place {
    var place = Place(coordinate: candidate.position.coordinate, source: .places)
    for row in candidate.lineage {
      let name = try index.name(of: row, in: locale)
      switch row.kind {
      case .settlement: place.locality = name
      case .quarter: place.subLocality = name
      case .county: place.subAdministrativeArea = name
      case .state: place.administrativeArea = name
      case .country:
        place.country = name
        place.isoCountryCode = try index.code(of: row.rank)
      }
    }
    if let code = candidate.postalCode {
      place.postalCode = code.code
      if let name = code.name { place.locality = name }
      place.name = code.code
    } else if let row = candidate.lineage.first {
      place.name = try index.name(of: row, in: locale)
      place.radius = row.reach
    }
    place.timeZone = try index.zone(of: candidate.lineage)
    place.isPartial = candidate.missing > 0
    return place
  }
}
