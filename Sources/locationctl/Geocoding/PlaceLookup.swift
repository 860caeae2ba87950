import LocationGeocoding
import LocationHost
import LocationModel

/// Asks for places: the indexes of this machine, or the web geocoder that the environment names.
struct PlaceLookup {
  static let variable = "CORELOCATION_GEOCODER"

  private let backend: GeocodeBackend

  init(_ environment: HostEnvironment = .current) throws(Failure) {
    let url = environment.variables[Self.variable]
    do throws(GeocodeFailure) {
      backend = try GeocodeBackend(
        url: url, userAgent: "Meridian locationctl/\(Verb.versionNumber)")
    } catch {
      guard case .service(let cause) = error else { throw Failure(error, asking: "") }
      throw .usage("$\(Self.variable): \(cause)", next: "unset \(Self.variable)")
    }
  }

  /// Prints the answers, best first; the data's attribution goes to standard error, or with JSON
  /// into each object.
  func show(
    _ question: GeocodeQuestion, called name: String, limit: Int = 10, asJSON isJSON: Bool
  ) throws(Failure) {
    let progress = Progress("asking for \(name)")
    let outcome = backend.lookUp(question)
    progress.end()
    switch outcome {
    case .failure(let failure): throw Failure(failure, asking: name)
    case .success(let places):
      let reports = places.prefix(limit).map {
        PlaceReport(place: $0, attribution: backend.attribution)
      }
      for report in reports { Output.standard.line(isJSON ? report.json : report.text) }
      if !isJSON { Output.error.line(Output.error.styled(backend.attribution, .dim)) }
    }
  }
}

extension Failure {
  /// Why a geocoder has no answer.
  init(_ failure: GeocodeFailure, asking name: String) {
    switch failure {
    case .nothingFound:
      self = .refused("nothing was found for \(name)", next: "ask for less, such as the town alone")
    case .indexMissing(let cause):
      self = .refused(cause, next: IndexLocation.howToGetPlaces)
    case .service(let cause):
      self = .refused(
        cause,
        next: "check the network, or unset \(PlaceLookup.variable) to ask this machine's indexes")
    case .budgetSpent(let wait):
      self = .refused("too many requests", next: "wait \(Int(wait.inSeconds.rounded(.up))) s")
    case .cancelled:
      self = .refused("the request was taken back", next: nil)
    }
  }
}
