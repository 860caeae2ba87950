package import LocationModel

// What a program may ask: ?VERSION, ?DEVICES, ?DEVICE, ?WATCH, ?POLL.
extension GpsdServer {
  mutating func answer(
    _ request: [UInt8], of number: Int, at now: Moment, _ outputs: inout [Output]
  ) {
    let split = request.firstIndex(of: UInt8(ascii: "="))
    let word = String(decoding: request[..<(split ?? request.endIndex)], as: UTF8.self)
    let value = split.map { Array(request[($0 + 1)...]) }
    switch word {
    case "?VERSION": outputs.append(.send(number, GpsdWord.version))
    case "?DEVICES": outputs.append(.send(number, devices))
    // Nobody changes a receiver over this connection: the answer is how it is.
    case "?DEVICE":
      guard let receiver = receivers.first(where: \.isOpen) ?? receivers.first, isAllowed else {
        return outputs.append(.send(number, GpsdWord.error("No device is attached.")))
      }
      outputs.append(.send(number, GpsdWord.device(receiver)))
    case "?WATCH": watch(value, of: number, &outputs)
    case "?POLL": outputs.append(.send(number, poll(at: now)))
    default:
      let text = String(decoding: request.prefix(64), as: UTF8.self)
      outputs.append(.send(number, GpsdWord.error("Unrecognized request '\(text)'")))
    }
  }

  private mutating func watch(_ value: [UInt8]?, of number: Int, _ outputs: inout [Output]) {
    guard var policy = clients[number]?.policy else { return }
    if let value {
      do throws(JSONFault) { try policy.take(value) } catch {
        return outputs.append(.send(number, GpsdWord.error("Invalid WATCH: \(error)")))
      }
      if let device = policy.device, !receivers.contains(where: { $0.path == device }) {
        return outputs.append(.send(number, GpsdWord.error("Do not see device \(device)")))
      }
      clients[number]?.policy = policy
    }
    outputs += [.send(number, devices), .send(number, GpsdWord.watch(policy))]
    if policy.isOn, !isAllowed { outputs.append(.send(number, GpsdWord.error(Self.denied))) }
  }

  /// The receivers, of which programs that may not know where the device is learn nothing.
  private var devices: [UInt8] { GpsdWord.devices(isAllowed ? receivers : []) }

  private func poll(at now: Moment) -> [UInt8] {
    let shown = isAllowed ? receivers.filter(\.isOpen) : []
    return GpsdWord.line(
      "{\"class\":\"POLL\",\"time\":\"\(now.unixTime.iso8601)\",\"active\":\(shown.count),\"tpv\":["
        + shown.compactMap(\.lastTPV).joined(separator: ",") + "],\"gst\":[],\"sky\":["
        + shown.compactMap(\.lastSKY).joined(separator: ",") + "]}")
  }

  static let denied =
    "programs of gpsd's port may not know the location; the daemon's owner decides with: "
    + "locationctl authorize \(AppIdentity.gpsdPrograms.name) always"
}

extension AppIdentity {
  /// All programs that ask at gpsd's port, as one app; no program can claim a name without a dot.
  package static let gpsdPrograms = AppIdentity("gpsd-programs")
}

extension GpsdServer.Policy {
  /// Changes what a request names; members that are not known are skipped.
  mutating func take(_ value: [UInt8]) throws(JSONFault) {
    var scanner = JSONScanner(value)
    var policy = self
    // A watch without a word about the form is one for JSON, as in gpsd.
    var hasForm = policy.json || policy.nmea || policy.raw > 0
    try scanner.document { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
      switch key {
      case "enable": policy.isOn = try value.boolean() ?? policy.isOn
      case "json":
        policy.json = try value.boolean() ?? policy.json
        hasForm = true
      case "nmea":
        policy.nmea = try value.boolean() ?? policy.nmea
        hasForm = true
      case "raw":
        policy.raw = try value.number().map { $0 >= 1 ? ($0 >= 2 ? 2 : 1) : 0 } ?? policy.raw
        hasForm = true
      case "device": policy.device = try value.string()
      default: try value.skip()
      }
    }
    if policy.isOn, !hasForm { policy.json = true }
    self = policy
  }
}
