internal import LocationCoding
package import LocationEngine
internal import LocationModel

extension LocationEngine.Input {
  /// The input as text for a person; it contains places.
  package var words: String {
    switch self {
    case .fix(let fix, let provider):
      "fix of source \(provider.index) \(String(decoding: fix.json.bytes, as: UTF8.self))"
    case .heading(let sample, let provider):
      "heading of source \(provider.index) \(sample.magneticHeading)"
    case .beacon(let sample): "beacon \(sample.identity.uuid) \(sample.rssi ?? 0) dBm"
    case .wake: "wake"
    default: String(decoding: (json ?? .null).bytes, as: UTF8.self)
    }
  }
}

extension LocationEngine.Output {
  /// The output as text for a person; it contains places.
  package var words: String {
    switch self {
    case .deliver(let client, let delivery):
      "to \(client.rawValue) \(String(decoding: delivery.json.bytes, as: UTF8.self))"
    case .persist(.set(let key, let value)):
      "store \(key.domain) \(key.owner) \(key.name) \(String(decoding: value, as: UTF8.self))"
    case .persist(.remove(let key)): "remove \(key.domain) \(key.owner) \(key.name)"
    case .ignored(_, let provider, let reason):
      "ignored a fix of source \(provider.index): \(reason.rawValue)"
    case .note(let note): "note \(note.words)"
    case .demand, .prompt, .withdraw, .wakeApp, .launch, .usage, .indicator, .calibration,
      .runtimeOver:
      String(decoding: shown.bytes, as: UTF8.self)
    }
  }
}
