internal import LocationCoding
internal import LocationModel

/// An event of a device of a fleet as a line (docs/formats/fleet.md).
package enum FleetEventLine {
  /// The line with its end.
  package static func encoded(_ event: FleetEvent, of name: FleetDeviceName) -> [UInt8] {
    var line = JSONLine(type: event.kind.rawValue)
    if !name.tenant.isEmpty { line.add("tenant", name.tenant) }
    line.add("device", name.device)
    line.add("fence", event.fence)
    line.add("revision", event.revision.map { Int(clamping: $0) })
    line.add("date", event.time)
    line.add("decided", event.decided)
    if let visit = event.visit {
      line.addOrNull("arrival_date", visit.arrival)
      line.addOrNull("departure_date", visit.departure)
      line.add("latitude", visit.coordinate.latitude)
      line.add("longitude", visit.coordinate.longitude)
      line.add("horizontal_accuracy", visit.horizontalAccuracy)
    }
    addEvidence(of: event, to: &line)
    if let fix = event.fix {
      var inner = JSONLine(type: "fix")
      inner.add("date", fix.time)
      inner.add("latitude", fix.coordinate.latitude)
      inner.add("longitude", fix.coordinate.longitude)
      inner.add("horizontal_accuracy", fix.horizontalAccuracy)
      line.add("fix", object: inner)
    }
    var bytes = line.encoded
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }

  private static func addEvidence(of event: FleetEvent, to line: inout JSONLine) {
    guard event.clockAhead > 0 else {
      event.evidence?.add(to: &line)
      return
    }
    var inner = JSONLine(type: "evidence")
    event.evidence?.addMembers(to: &inner)
    inner.add("clock_ahead", event.clockAhead)
    line.add("evidence", object: inner)
  }
}
