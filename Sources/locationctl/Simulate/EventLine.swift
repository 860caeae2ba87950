import LocationCoding
import LocationModel
import LocationSimulation

/// A line of `simulate --json` with an event of a condition, a region, or a visit.
struct EventLine {
  private let line: JSON

  struct Fault: Error {
    var cause: String
  }

  /// Returns the events in the lines of a text.
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

  /// Parses a line; `nil` for a line of another kind.
  private static func event(
    in line: Substring
  ) throws(Fault) -> (event: DeliveredEvent, delivered: UnixTime)? {
    guard let json = try? JSON(parsing: line.utf8), let type: String = try? json.get("type") else {
      throw Fault(cause: "this is no line of simulate --json")
    }
    guard let kind = DeliveredEvent.Kind(rawValue: type) else { return nil }
    let line = EventLine(line: json)
    do throws(CodingFault) {
      return (try line.event(kind), try line.date("delivered"))
    } catch { throw Fault(cause: "this event lacks what it needs, or a date is wrong") }
  }

  private func event(_ kind: DeliveredEvent.Kind) throws(CodingFault) -> DeliveredEvent {
    let evidence: EventEvidence? = line["evidence"] == nil ? nil : try evidence()
    guard kind == .visit else {
      return DeliveredEvent(
        kind, try line.get("identifier"), try line.get("state"), since: try date("date"), evidence)
    }
    let (arrival, departure) = (try find("arrival_date"), try find("departure_date"))
    let delivered = try date("delivered")
    return DeliveredEvent(
      .visit, nil, departure == nil ? "arrived" : "departed",
      since: departure ?? arrival ?? delivered, evidence)
  }

  private func evidence() throws(CodingFault) -> EventEvidence {
    let line = EventLine(line: line["evidence"] ?? .null)
    return try line.line["scatter"] == nil ? .crossing(line.crossing()) : .stay(line.stay())
  }

  private func stay() throws(CodingFault) -> StayEvidence {
    StayEvidence(
      firstFix: try date("first_fix"), lastFix: try date("last_fix"), fixes: try line.get("fixes"),
      scatter: try line.get("scatter"), place: try line.get("place"),
      dwellSeconds: try line.get("dwell_seconds"), decided: try date("decided"))
  }

  private func crossing() throws(CodingFault) -> CrossingEvidence {
    CrossingEvidence(
      firstFix: try date("first_fix"), lastFix: try date("last_fix"), fixes: try line.get("fixes"),
      probability: try line.get("probability"), crossed: try find("crossed"),
      decided: try date("decided"), distance: try line.get("distance"),
      spread: try line.get("spread"), fused: try fused())
  }

  private func fused() throws(CodingFault) -> [PositionMethod]? {
    guard let text: String = try line.find("fused") else { return nil }
    return text.split(separator: " ").compactMap { PositionMethod(rawValue: String($0)) }
  }

  /// Reads a date in the words of ISO 8601, which may be missing.
  private func find(_ name: String) throws(CodingFault) -> UnixTime? {
    guard let text: String = try line.find(name) else { return nil }
    guard let time = UnixTime(iso8601: text) else { throw .mismatch(name) }
    return time
  }

  private func date(_ name: String) throws(CodingFault) -> UnixTime {
    guard let time = try find(name) else { throw .missing(name) }
    return time
  }
}
