internal import LocationCoding
package import LocationModel
internal import LocationProviders
internal import LocationSecrets

/// Where an event is kept.
package struct EventPlace: Hashable, Comparable, Sendable {
  package var partition: Int
  package var sequence: UInt64

  package init(partition: Int, sequence: UInt64) {
    self.partition = partition
    self.sequence = sequence
  }

  package static func < (left: EventPlace, right: EventPlace) -> Bool {
    (left.partition, left.sequence) < (right.partition, right.sequence)
  }
}

/// An event of a fleet as it is handed on: a CloudEvent whose data is the line that is kept.
package struct SinkEvent: Hashable, Sendable {
  package var place: EventPlace
  /// Nobody's for what concerns a whole partition.
  package var device: FleetDeviceName
  /// `entered`, `exited`, …
  package var kind: String
  /// The same for the same event, whoever hands it on and how often.
  package var id: String
  package var date: UnixTime
  package var fence: String?
  /// The newest fix when it was decided.
  package var coordinate: Coordinate?
  package var accuracy: Double?
  /// The CloudEvent in JSON.
  package var json: [UInt8]

  /// Reads what is kept in the log of events of a partition; `nil` where that is no event.
  package init?(_ message: LogMessage, partition: Int) {
    place = EventPlace(partition: partition, sequence: message.sequence)
    guard let device = Self.device(of: message.entry.subject) else { return nil }
    self.device = device
    let line = Array(message.entry.bytes.split(separator: UInt8(ascii: "\n")).first ?? [])
    let members = Members(line)
    guard let members, let kind = members.kind, Self.isKind(kind) else { return nil }
    self.kind = kind
    // What concerns a whole partition has the date at which it was kept.
    date = members.date ?? message.time
    fence = members.fence
    if let latitude = members.latitude, let longitude = members.longitude {
      coordinate = Coordinate(latitude: latitude, longitude: longitude)
    }
    accuracy = members.accuracy
    let parts =
      members.date == nil
      ? ["", "", kind, "\(partition)", "\(message.sequence)"]
      : [
        device.tenant, device.device, kind, fence ?? "", members.revision ?? "",
        members.date?.iso8601 ?? "", members.decided ?? "",
      ]
    id = Self.identifier(parts)
    json = []
    json = Self.json(self, String(decoding: line, as: UTF8.self))
  }

  /// Stands for a message that is no event.
  init(unreadable message: LogMessage, _ device: FleetDeviceName, at place: EventPlace) {
    self.place = place
    self.device = device
    (kind, date, json) = ("", message.time, message.entry.bytes)
    id = Self.identifier(["", "", "", "\(place.partition)", "\(place.sequence)"])
  }

  /// The device whose event has this subject; nobody for a subject of a whole partition.
  static func device(of subject: String) -> FleetDeviceName? {
    let parts = subject.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.first == "evt" else { return nil }
    if parts.count == 4, parts[2] == "-" { return FleetDeviceName(device: "") }
    guard parts.count == 5, let tenant = FleetAddress.name(parts[2]),
      let device = FleetAddress.name(parts[3]), !device.isEmpty
    else { return nil }
    return FleetDeviceName(tenant: tenant, device: device)
  }

  private static func isKind(_ kind: String) -> Bool {
    (1...32).contains(kind.utf8.count)
      && kind.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
  }

  /// 128 bits of SHA-256 over the parts, each behind its length.
  private static func identifier(_ parts: [String]) -> String {
    var bytes: [UInt8] = []
    for part in parts { bytes += Array("\(part.utf8.count):".utf8) + Array(part.utf8) }
    return MessageDigest.hexadecimal(MessageDigest.sha256(bytes).prefix(16))
  }

  private static func json(_ event: SinkEvent, _ line: String) -> [UInt8] {
    var text = JSONLine(type: type(of: event.kind))
    text.add("specversion", "1.0")
    text.add("id", event.id)
    let isOfDevice = !event.device.device.isEmpty
    text.add(
      "source", isOfDevice ? "/fleet/\(FleetAddress.part(event.device.tenant))" : "/fleet")
    if isOfDevice { text.add("subject", event.device.device) }
    text.add("time", event.date)
    text.add("datacontenttype", "application/json")
    text.add("data", json: line)
    return Array(text.text.utf8)
  }

  private static func type(of kind: String) -> String {
    switch FleetEvent.Kind(rawValue: kind) {
    case .arrived, .departed: "meridian.visit.\(kind).v1"
    case .moved: "meridian.move.significant.v1"
    case nil: "meridian.fleet.\(kind).v1"
    default: "meridian.fence.\(kind).v1"
    }
  }
}

/// What is read of the line of an event.
private struct Members {
  var kind, fence, revision, decided: String?
  var date: UnixTime?
  var latitude, longitude, accuracy: Double?

  init?(_ line: [UInt8]) {
    var copy = Self()
    var scanner = JSONScanner(line)
    do throws(JSONFault) {
      try scanner.document { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
        try copy.take(key, &value)
      }
    } catch { return nil }
    self = copy
  }

  private init() {}

  private mutating func take(_ key: JSONKey, _ value: inout JSONScanner) throws(JSONFault) {
    switch key {
    case "type": kind = try value.string()
    case "fence": fence = try value.string()
    case "revision": revision = try value.number().flatMap { Int(exactly: $0) }.map { "\($0)" }
    case "date": date = try value.date()
    case "decided": decided = try value.string()
    case "fix" where try value.isObject():
      var copy = self
      try value.object { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
        switch key {
        case "latitude": copy.latitude = try value.number()
        case "longitude": copy.longitude = try value.number()
        case "horizontal_accuracy": copy.accuracy = try value.number()
        default: try value.skip()
        }
      }
      self = copy
    default: try value.skip()
    }
  }
}
