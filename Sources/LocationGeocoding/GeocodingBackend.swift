import LocationModel

/// Who answers the questions of a process: the indexes on this machine, or a web service that the
/// user has named in `$CORELOCATION_GEOCODER`.
package final class GeocodingBackend: Sendable {
  private enum Answerer {
    case offline(Geocoder)
    case web(WebGeocoder)
    /// Nothing can be asked, and why.
    case none(GeocodeFailure)
  }

  private let answerer: Answerer

  /// The back end as this process is configured; made on first use.
  package static let ofProcess = GeocodingBackend(
    named: IndexLocation.environment("CORELOCATION_GEOCODER"))

  /// - Parameter name: `nominatim:URL` or `photon:URL`; `nil` for the indexes on this machine.
  package init(named name: String?) {
    guard let name else {
      do throws(GeocodeFailure) { answerer = .offline(try Geocoder()) } catch {
        answerer = .none(error)
      }
      return
    }
    let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
    let dialects: [String: WebService.Dialect] = ["nominatim": .nominatim, "photon": .photon]
    guard parts.count == 2, let dialect = dialects[parts[0]], parts[1].hasPrefix("http") else {
      answerer = .none(
        .service(
          "CORELOCATION_GEOCODER is \"\(name)\"; expected nominatim:https://… or photon:https://…"))
      return
    }
    answerer = .web(
      WebGeocoder(
        WebService(dialect: dialect, server: parts[1], userAgent: "Meridian (CoreLocation)")))
  }

  /// Answers one question; may wait for the network, so never on the main thread.
  package func answer(_ question: GeocodeQuestion) -> GeocodeOutcome {
    switch answerer {
    case .none(let failure): return .failure(failure)
    case .web(let geocoder): return geocoder.lookUp(question)
    case .offline(let geocoder):
      do throws(GeocodeFailure) {
        switch question {
        case .reverse(let coordinate, let locale):
          return .success([try geocoder.reverse(coordinate, locale: locale)])
        case .forward(let text, let hint, let locale):
          return .success(try geocoder.forward(text, near: hint, locale: locale))
        }
      } catch {
        return .failure(error)
      }
    }
  }
}
