package import LocationModel
import LocationSQLite
import Synchronization

/// Answers from the indexes on this machine: offline, at once, with no budget of its own.
///
/// Safe to call from any thread; calls wait for one another. Each takes a fraction of a
/// millisecond to a few, so the face may call it where it stands.
package final class Geocoder: Sendable {
  private let indexes: Mutex<Indexes>
  /// The attribution that the licenses of the data require beside its answers.
  package let attribution: String
  /// Whether an address index is in use.
  package let hasStreets: Bool

  private struct Indexes {
    var places: PlaceIndex
    var streets: StreetIndex?
  }

  /// Which file to open.
  package enum IndexChoice: Hashable, Sendable {
    /// The one that is found on this machine; see ``IndexLocation``.
    case installed
    case file(String)
    case none
  }

  /// Opens the place index, which must be there, and the address index, which may be missing.
  package init(
    places placesChoice: IndexChoice = .installed, streets streetsChoice: IndexChoice = .installed
  ) throws(GeocodeFailure) {
    guard let path = Self.path(placesChoice, at: .places) else {
      throw .indexMissing(IndexLocation.places.advice)
    }
    let places = try Self.open(path) { (path) throws(DatabaseError) in
      try PlaceIndex(path: path)
    }
    var streets: StreetIndex?
    if let path = Self.path(streetsChoice, at: .streets) {
      streets = try Self.open(path) { (path) throws(DatabaseError) in
        try StreetIndex(path: path)
      }
    }
    attribution = [places.attribution, streets?.attribution].compactMap { $0 }
      .joined(separator: " ")
    hasStreets = streets != nil
    indexes = Mutex(Indexes(places: places, streets: streets))
  }

  private static func path(_ choice: IndexChoice, at location: IndexLocation) -> String? {
    switch choice {
    case .installed: location.found
    case .file(let path): path
    case .none: nil
    }
  }

  private static func open<Index>(
    _ path: String, _ body: (String) throws(DatabaseError) -> sending Index
  ) throws(GeocodeFailure) -> sending Index {
    do throws(DatabaseError) {
      return try body(path)
    } catch {
      throw .indexMissing("\(path): \(error.message). \(IndexLocation.places.advice)")
    }
  }

  /// The place at a coordinate; the sea where there is no land.
  package func reverse(
    _ coordinate: Coordinate, locale: PlaceLocale = .english
  ) throws(GeocodeFailure) -> Place {
    guard coordinate.isValid else { throw .nothingFound }
    return try read { (indexes) throws(DatabaseError) in
      var place = try ReverseSearch(index: indexes.places, locale: locale).place(at: coordinate)
      if let streets = indexes.streets {
        // On the water a pier has an address, and the shore far off has not (GEO-15).
        let isWater = place.ocean != nil || place.inlandWater != nil
        let answer = try StreetReverseSearch(index: streets).answer(
          at: coordinate, onlyBeside: isWater)
        if let answer { place.refine(with: answer) }
      }
      return place
    }
  }

  /// The places a text may mean, best first, at most `limit`.
  ///
  /// Never empty: a text that means nothing throws ``GeocodeFailure/nothingFound``.
  package func forward(
    _ text: String, near hint: RegionHint? = nil, locale: PlaceLocale = .english, limit: Int = 10
  ) throws(GeocodeFailure) -> [Place] {
    let places = try read { (indexes) throws(DatabaseError) in
      let search = ForwardSearch(
        index: indexes.places, locale: locale, hint: hint, limit: max(1, limit))
      guard let streets = indexes.streets else { return try search.places(for: text) }
      return try AddressSearch(streets: streets, places: search).places(for: text)
    }
    guard !places.isEmpty else { throw .nothingFound }
    return places
  }

  private func read<Answer: Sendable>(
    _ body: (Indexes) throws(DatabaseError) -> Answer
  ) throws(GeocodeFailure) -> Answer {
    do throws(DatabaseError) {
      return try indexes.withLock { (indexes) throws(DatabaseError) in try body(indexes) }
    } catch {
      throw .indexMissing(error.message)
    }
  }
}
