internal import LocationModel

/// Where the people of the countries of a mobile network live.
enum NetworkCountry {
  /// Returns the region of a mobile country code; `nil` for one that no country has, as of ships and aircraft.
  static func region(of code: Int) -> RadioRegion? { regions[code] }

  private static let regions: [Int: RadioRegion] = {
    var regions: [Int: RadioRegion] = [:]
    for row in NetworkCountryTable.rows.split(separator: ";") {
      let numbers = row.split(separator: " ").compactMap { Double($0) }
      guard numbers.count == 4 else { continue }
      regions[Int(numbers[0])] = RadioRegion(
        kind: .country, center: Coordinate(latitude: numbers[1], longitude: numbers[2]),
        radius: numbers[3] * 1000)
    }
    return regions
  }()
}
