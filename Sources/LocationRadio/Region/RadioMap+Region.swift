package import LocationModel

extension RadioMap {
  /// Notes the region of a scan by its serving cell, where the scan leads to no position, or the region may be another
  /// than before (RADIO-72).
  ///
  /// - Parameters:
  ///   - scan: what was received.
  ///   - areas: the names of the areas of its cells, that of the serving one first.
  ///   - provider: the source that has received it.
  ///   - answers: what the scan has led to.
  ///   - now: the moment.
  /// - Returns: the answers, with the region that the source gives as the reason where there is no position.
  mutating func noteRegion(
    of scan: RadioScan, in areas: [RadioStationID], from provider: ProviderID,
    _ answers: [Output], at now: Moment
  ) -> [Output] {
    guard let cell = scan.cells.first else { return answers }
    let key = RadioRegions.Key(areas: areas, country: cell.country)
    let isPlaced = answers.contains { if case .fix = $0 { true } else { false } }
    guard !isPlaced || regions.isNew(key, scan.radio, of: provider) else { return answers }
    regions.note(region(by: key), by: key, scan.radio, of: provider, at: now)
    guard let region = regions.given(of: provider) else { return answers }
    return answers.map { answer in
      guard case .silent(let provider, _) = answer else { return answer }
      return .silent(provider, region.silence)
    }
  }

  /// Forgets the region of a source that is idle or unavailable.
  package mutating func forgetRegion(of provider: ProviderID) { regions.forget(provider) }

  /// The first of the areas of which something is known, else the country.
  private func region(by key: RadioRegions.Key) -> RadioRegion? {
    key.areas.lazy.compactMap { area(named: $0).region }.first
      ?? NetworkCountry.region(of: key.country)
  }

  /// What is known of an area: by lists, and by what this computer has received.
  ///
  /// Takes constant time: of many places, some.
  private func area(named name: RadioStationID) -> CellArea {
    var area = CellArea()
    for place in placed[.cells]?.places(in: name) ?? [] { area.add(place) }
    guard let layer = layers[.cells] else { return area }
    let postings = layer.postings(of: name)
    let most = PlacedStations.mostOfArea
    let step = max(1, (postings.count + most - 1) / most)
    for number in stride(from: 0, to: postings.count, by: step) {
      guard let place = layer.places[postings[number].slot]?.cell else { continue }
      area.add(learned: place.coordinate)
    }
    return area
  }
}
