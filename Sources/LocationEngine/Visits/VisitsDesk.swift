import FoundationEssentials
import LocationModel

/// Keeps the one visit detector of the machine, and what must outlive it.
struct VisitsDesk: Sendable {
  enum Output: Hashable, Sendable {
    case visit(Visit)
    case persist(StateChange)
  }

  private var detector: VisitDetector

  init(restoring entries: [StateEntry] = []) {
    let stored = entries.first { $0.key == Self.key }
    let record = stored.flatMap { VisitRecord(stored: $0.value) }
    detector = VisitDetector(current: record?.visit)
  }

  var nextDeadline: Instant? { detector.nextDeadline }

  /// Visits are the thriftiest service: the network now and then, and a motion sensor (POW-2).
  var demand: Demand {
    Demand(position: PositionDemand(tier: .network, interval: .seconds(60)), motion: true)
  }

  mutating func handle(_ input: VisitDetector.Input, at now: Moment) -> [Output] {
    detector.handle(input, at: now).flatMap { output -> [Output] in
      switch output {
      case .arrived(let visit):
        [.persist(.set(Self.key, VisitRecord(visit).stored)), .visit(visit)]
      case .departed(let visit): [.persist(.remove(Self.key)), .visit(visit)]
      }
    }
  }

  private static let key = StateKey(domain: "visit", owner: "")
}

/// The visit that lasts, as it is stored.
private struct VisitRecord: Codable {
  var arrival: Int64?
  var latitude: Double
  var longitude: Double
  var accuracy: Double

  init(_ visit: Visit) {
    arrival = visit.arrival?.nanoseconds
    latitude = visit.coordinate.latitude
    longitude = visit.coordinate.longitude
    accuracy = visit.horizontalAccuracy
  }

  init?(stored bytes: [UInt8]) {
    guard let record = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
    self = record
  }

  var stored: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    // Encoding a struct of numbers has no way to fail.
    return (try? encoder.encode(self)).map { [UInt8]($0) } ?? []
  }

  var visit: Visit {
    Visit(
      arrival: arrival.map { UnixTime(nanoseconds: $0) },
      coordinate: Coordinate(latitude: latitude, longitude: longitude),
      horizontalAccuracy: accuracy)
  }
}
