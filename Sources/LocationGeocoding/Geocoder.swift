package import LocationModel
import Synchronization

/// Answers from the place index: offline, at once, with no account and no budget of its own.
///
/// Safe to call from any thread; calls wait for one another. Each takes well under a millisecond
/// to a few, so the face may call it where it stands.
package final class Geocoder: Sendable {
  private let index: Mutex<PlaceIndex>
  /// What the licences of the data ask to be shown beside its answers.
  package let attribution: String

  /// Opens the place index at a path, or where it is usually found.
  package init(indexPath: String? = nil) throws(GeocodeFailure) {
    let path = indexPath ?? PlaceIndexLocation.found
    guard let path else { throw .indexMissing(PlaceIndexLocation.advice) }
    do {
      let opened = try PlaceIndex(path: path)
      attribution = opened.attribution
      index = Mutex(opened)
    } catch {
      throw .indexMissing("\(path): \(error.message). \(PlaceIndexLocation.advice)")
    }
  }

  /// The place at a coordinate; the sea where there is no land.
  package func reverse(
    _ coordinate: Coordinate, locale: PlaceLocale = .english
  ) throws(GeocodeFailure) -> Place {
    guard coordinate.isValid else { throw .nothingFound }
    return try read { (index) throws(Database.Failure) in
      try ReverseSearch(index: index, locale: locale).place(at: coordinate)
    }
  }

  /// The places a text may mean, best first, at most `limit`.
  ///
  /// Never empty: a text that means nothing throws ``GeocodeFailure/nothingFound``.
  package func forward(
    _ text: String, near hint: RegionHint? = nil, locale: PlaceLocale = .english, limit: Int = 10
  ) throws(GeocodeFailure) -> [Place] {
    let places = try read { (index) throws(Database.Failure) in
      try ForwardSearch(index: index, locale: locale, hint: hint, limit: max(1, limit))
        .places(for: text)
    }
    guard !places.isEmpty else { throw .nothingFound }
    return places
  }

  private func read<Answer: Sendable>(
    _ body: (PlaceIndex) throws(Database.Failure) -> Answer
  ) throws(GeocodeFailure) -> Answer {
    do throws(Database.Failure) {
      return try index.withLock { (index) throws(Database.Failure) in try body(index) }
    } catch {
      throw .indexMissing(error.message)
    }
  }
}
