/// What the face asks of the location service: the one door between the public API and the engine.
///
/// The face holds no behavior of its own; whoever answers here decides everything.
protocol LocationService: Sendable {
  /// Answers one question for places, best first.
  func places(for question: GeocodingQuestion) async throws -> [CLPlacemark]
}

/// What to find places for.
enum GeocodingQuestion: Sendable {
  case coordinate(CLLocation, Locale?)
  /// An address in one line, with a circle where it probably lies: center, and radius in meters.
  case address(String, near: (CLLocationCoordinate2D, CLLocationDistance)?, Locale?)
}
