internal import LocationCoding
internal import LocationModel

/// An entry or an exit as OwnTracks tells its friends.
package enum OwnTracksTransition {
  /// The kinds of events that have this form.
  static let kinds: Set<String> = [
    FleetEvent.Kind.entered.rawValue, FleetEvent.Kind.exited.rawValue,
  ]

  package static func topic(of event: SinkEvent) -> String {
    let device = event.device
    return "fleet/\(FleetAddress.part(device.tenant))/\(FleetAddress.part(device.device))/event"
  }

  package static func payload(of event: SinkEvent) -> [UInt8] {
    var line = JSONLine(type: "transition")
    line.add("event", event.kind == FleetEvent.Kind.entered.rawValue ? "enter" : "leave")
    line.add("desc", event.fence)
    line.add("tid", String(event.device.device.suffix(2)))
    line.add("tst", Int(event.date.seconds.rounded(.down)))
    // A fence has no date here.
    line.add("wtst", 0)
    line.add("lat", event.coordinate?.latitude)
    line.add("lon", event.coordinate?.longitude)
    line.add("acc", event.accuracy)
    // So that a subscriber can tell an event that comes twice.
    line.add("_id", event.id)
    // What others call `type` OwnTracks calls `_type`.
    return Array(("{\"_type\"" + line.text.dropFirst(#"{"type""#.count)).utf8)
  }
}
