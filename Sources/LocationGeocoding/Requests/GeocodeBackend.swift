import LocationModel

/// The source of answers to an app's requests: the indexes of this machine, or a web geocoder.
package enum GeocodeBackend: Sendable {
  case indexes(Geocoder)
  /// The indexes, if there are any, add the time zone, which web geocoders do not return.
  case web(WebGeocoder, timeZones: Geocoder?)

  /// The back end for a configured URL, such as `nominatim+https://host` or `photon+http://host:2322`;
  /// the indexes when there is none.
  ///
  /// - Throws: ``GeocodeFailure/service(_:)`` for a URL of another form, and
  ///   ``GeocodeFailure/indexMissing(_:)`` without a URL and an index.
  package init(url: String?, userAgent: String) throws(GeocodeFailure) {
    guard let url, !url.isEmpty else {
      self = .indexes(try Geocoder())
      return
    }
    guard let service = WebService(url: url, userAgent: userAgent) else {
      let isPlain = ["nominatim+http://", "photon+http://"].contains { url.hasPrefix($0) }
      throw .service(
        "not a geocoder: \(url) (nominatim+https://HOST or photon+https://HOST"
          + (isPlain ? "; http only within this machine, as a place is sent)" : ")"))
    }
    self = .web(WebGeocoder(service), timeZones: try? Geocoder(streets: .none))
  }

  /// The outcome of one request. A web geocoder blocks for seconds; call it off the main thread.
  package func lookUp(_ question: GeocodeQuestion) -> GeocodeOutcome {
    switch self {
    case .indexes(let geocoder): geocoder.lookUp(question)
    case .web(let web, let timeZones):
      web.lookUp(question).map { places in
        places.map { $0.withTimeZone(from: timeZones) }
      }
    }
  }

  /// What must be shown beside the answers; of a web geocoder, OpenStreetMap's licence.
  package var attribution: String {
    switch self {
    case .indexes(let geocoder): geocoder.attribution
    case .web: "© OpenStreetMap contributors, ODbL 1.0 (https://osm.org/copyright)"
    }
  }
}

extension Geocoder {
  /// The same answers as ``reverse(_:locale:)`` and ``forward(_:near:locale:limit:)``, as an outcome.
  package func lookUp(_ question: GeocodeQuestion) -> GeocodeOutcome {
    do throws(GeocodeFailure) {
      switch question {
      case .reverse(let point, let locale, _): return .success([try reverse(point, locale: locale)])
      case .forward(let text, let hint, let locale):
        return .success(try forward(text, near: hint, locale: locale))
      }
    } catch {
      return .failure(error)
    }
  }
}

extension Place {
  fileprivate func withTimeZone(from geocoder: Geocoder?) -> Place {
    var place = self
    place.timeZone = (try? geocoder?.reverse(coordinate))?.timeZone
    return place
  }
}

extension WebService {
  /// Reads `nominatim+https://host/path` and `photon+http://localhost`; `nil` for anything else, also
  /// for a server that would receive places over the network in the clear.
  package init?(url: String, userAgent: String) {
    let dialects: [(String, Dialect)] = [("nominatim+", .nominatim), ("photon+", .photon)]
    for (prefix, dialect) in dialects where url.hasPrefix(prefix) {
      let server = String(url.dropFirst(prefix.count))
      let host = ["http://", "https://"].first { server.hasPrefix($0) }
        .map { server.dropFirst($0.count) }
      guard let host, let first = host.first, first != "/",
        !host.contains(where: { $0.isWhitespace || "?#@".contains($0) })
      else { return nil }
      self.init(dialect: dialect, server: server, userAgent: userAgent)
      guard self.server.isPrivate, self.server.placeFault == nil else { return nil }
      return
    }
    return nil
  }
}
