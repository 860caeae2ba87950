internal import LocationCoding
internal import LocationModel
internal import LocationProviders

/// An event that is not handed on any more.
package struct SetAside: Hashable, Sendable {
  package var event: SinkEvent
  package var reason: String
  package var attempts: Int
}

extension SetAside {
  /// A message that is no event.
  init(unreadable message: LogMessage, at place: EventPlace) {
    let device = SinkEvent.device(of: message.entry.subject) ?? FleetDeviceName(device: "")
    self.init(
      event: SinkEvent(unreadable: message, device, at: place), reason: "unreadable", attempts: 0)
  }

  /// What it is counted as: the reason without what differs from event to event.
  var group: String { String(reason.prefix { $0 != ":" }) }

  /// Where it is kept.
  func subject(of sink: String) -> String {
    let device = event.device.device.isEmpty ? "-" : FleetAddress.part(event.device.device)
    return "ref.\(sink).\(FleetAddress.part(event.device.tenant)).\(device)"
  }

  /// What is kept: which event it is, why it was set aside, and the event itself.
  func line(of sink: String) -> [UInt8] {
    var line = JSONLine(type: "refused")
    line.add("sink", sink)
    line.add("reason", reason)
    line.add("attempts", attempts)
    line.add("partition", event.place.partition)
    line.add("sequence", Int(clamping: event.place.sequence))
    if event.kind.isEmpty {
      line.add("text", String(decoding: event.json.prefix(Self.longestText), as: UTF8.self))
    } else {
      line.add("event", json: String(decoding: event.json, as: UTF8.self))
    }
    return Array(line.text.utf8)
  }

  /// The event that a kept line is a copy of.
  static func place(of line: [UInt8]) -> EventPlace? {
    var (partition, sequence): (Double?, Double?) = (nil, nil)
    var scanner = JSONScanner(line)
    do throws(JSONFault) {
      try scanner.document { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
        switch key {
        case "partition": partition = try value.number()
        case "sequence": sequence = try value.number()
        default: try value.skip()
        }
      }
    } catch { return nil }
    guard let number = partition.flatMap({ Int(exactly: $0) }),
      let sequence = sequence.flatMap({ UInt64(exactly: $0) })
    else { return nil }
    return EventPlace(partition: number, sequence: sequence)
  }

  private static let longestText = 4096
}
