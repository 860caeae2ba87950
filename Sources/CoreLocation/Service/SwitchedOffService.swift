/// The location service of a host whose switch is off and that has no receivers.
///
/// It answers as Core Location does there: nothing is available (AVAIL-3), starting fails with the
/// documented error or stays silent (AVAIL-4), and the modern sequences say why (AVAIL-7).
struct SwitchedOffService: LocationService {
  func places(for question: GeocodingQuestion) async throws -> [CLPlacemark] {
    throw CLError(.network)
  }
}
