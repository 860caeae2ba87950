import CoreLocation
import LocationModel
import LocationSimulation

/// A line of `simulate --json` that tells of a condition, a region, or a visit.
struct EventLine: Decodable {
  private var type: DeliveredEvent.Kind
  private var identifier: String?
  private var state: String?
  private var date: Stamp?
  private var arrivalDate: Stamp?
  private var departureDate: Stamp?
  private var delivered: Stamp
  private var evidence: Evidence?

  struct Fault: Error {
    var cause: String
  }

  /// The events that the lines of a text tell.
  ///
  /// - Throws: the first fault, and the number of its line.
  static func events(in text: String, named name: String) throws(Fault) -> [EventRecord] {
    var records: [EventRecord] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    where !line.isEmpty {
      do throws(Fault) {
        guard let (event, delivered) = try event(in: line) else { continue }
        records.append(
          EventRecord(
            number: records.count + 1, app: Simulation.app, event: event, delivered: delivered))
      } catch { throw Fault(cause: "\(name):\(index + 1): \(error.cause)") }
    }
    return records
  }

  /// What a line tells; `nil` for a line of another kind.
  private static func event(
    in line: Substring
  ) throws(Fault) -> (event: DeliveredEvent, delivered: UnixTime)? {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let data = Data(line.utf8)
    guard let kind = try? decoder.decode(Kind.self, from: data) else {
      throw Fault(cause: "this is no line of simulate --json")
    }
    guard DeliveredEvent.Kind(rawValue: kind.type) != nil else { return nil }
    guard let line = try? decoder.decode(EventLine.self, from: data), let event = line.event else {
      throw Fault(cause: "this event lacks what it needs, or a date is wrong")
    }
    return (event, line.delivered.time)
  }

  private var event: DeliveredEvent? {
    let evidence = evidence?.value
    guard type != .visit else {
      return DeliveredEvent(
        .visit, nil, departureDate == nil ? "arrived" : "departed",
        since: (departureDate ?? arrivalDate ?? delivered).time, evidence)
    }
    guard let identifier, let state, let date else { return nil }
    return DeliveredEvent(type, identifier, state, since: date.time, evidence)
  }
}

// MARK: - Parts of a line

private struct Kind: Decodable {
  var type: String
}

/// A date in the words of ISO 8601.
private struct Stamp: Decodable {
  let time: UnixTime

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let time = UnixTime(iso8601: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no date")
    }
    self.time = time
  }
}

private struct Evidence: Decodable {
  let value: EventEvidence

  init(from decoder: any Decoder) throws {
    if let stay = try? Stay(from: decoder) {
      value = .stay(
        StayEvidence(
          firstFix: stay.firstFix.time, lastFix: stay.lastFix.time, fixes: stay.fixes,
          scatter: stay.scatter, place: stay.place, dwellSeconds: stay.dwellSeconds,
          decided: stay.decided.time))
    } else {
      let crossing = try Crossing(from: decoder)
      value = .crossing(
        CrossingEvidence(
          firstFix: crossing.firstFix.time, lastFix: crossing.lastFix.time, fixes: crossing.fixes,
          probability: crossing.probability, crossed: crossing.crossed?.time,
          decided: crossing.decided.time, distance: crossing.distance, spread: crossing.spread))
    }
  }

  private struct Crossing: Decodable {
    var fixes: Int
    var probability: Double
    var distance: Double
    var spread: Double
    var firstFix: Stamp
    var lastFix: Stamp
    var crossed: Stamp?
    var decided: Stamp
  }

  private struct Stay: Decodable {
    var fixes: Int
    var scatter: Double
    var place: StayEvidence.Place
    var dwellSeconds: Double
    var firstFix: Stamp
    var lastFix: Stamp
    var decided: Stamp
  }
}
