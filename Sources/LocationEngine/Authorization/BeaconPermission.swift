package import LocationModel

/// The decision of the person, or of a policy, whether an app may make this computer a Bluetooth
/// beacon (docs/decisions/0070).
///
/// Separate from the grant for locations: neither implies the other.
package enum BeaconPermission: String, CaseIterable, Sendable {
  /// No decision; the next request leads to a prompt. Nothing is advertised.
  case undecided
  case allowed
  case declined

  /// The word of `locationctl`: `ask`, `yes`, or `no`.
  package var word: String {
    switch self {
    case .undecided: "ask"
    case .allowed: "yes"
    case .declined: "no"
    }
  }

  package static func key(of app: AppIdentity) -> StateKey {
    StateKey(domain: "beacon-advertising", owner: app.name)
  }

  /// Reads what is stored for an app; an unreadable entry permits nothing.
  package init(of app: AppIdentity, in entries: [StateEntry]) {
    let entry = entries.first { $0.key == Self.key(of: app) }
    self = entry.flatMap { Self(rawValue: String(decoding: $0.value, as: UTF8.self)) } ?? .undecided
  }

  /// The change that makes this durable.
  package func change(for app: AppIdentity) -> StateChange {
    let key = Self.key(of: app)
    return self == .undecided ? .remove(key) : .set(key, [UInt8](rawValue.utf8))
  }
}

extension Authorization {
  /// Why the app may not make this computer a beacon, and what to do; `nil` when it may.
  package var beaconRefusal: String? {
    switch beacon {
    case .allowed: nil
    case .declined: "the person has declined it; to change that: \(beaconCommand)"
    case .undecided:
      if manifest.bluetoothUsage == nil {
        "add the key \(Manifest.Key.bluetooth) with the reason to \(manifest.file), "
          + "or: \(beaconCommand)"
      } else {
        "the person has not allowed it yet; answer the question, or: \(beaconCommand)"
      }
    }
  }

  /// The command with which the owner permits it.
  private var beaconCommand: String {
    let isPlain = app.name.utf8.allSatisfy { byte in
      let scalar = Unicode.Scalar(byte)
      return scalar.properties.isAlphabetic && byte < 128 || (48...57).contains(byte)
        || "./_@-".unicodeScalars.contains(scalar)
    }
    let quoted = app.name.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "'\\''")
    return "locationctl authorize --beacon yes -- " + (isPlain ? app.name : "'\(quoted)'")
  }

  /// Notes whether a process of the app asks to be a beacon.
  mutating func wishBeacon(_ goalRequest: Bool) -> [Output] {
    wantsBeacon = goalRequest
    guard goalRequest, beacon == .undecided, manifest.bluetoothUsage == nil else { return [] }
    return [.explain(.missingUsage(key: Manifest.Key.bluetooth, file: manifest.file))]
  }

  /// Whether the prompt is possible now: in the foreground, once in each use.
  var asksForBeacon: Bool {
    wantsBeacon && beacon == .undecided && !beaconRests && use == .direct
      && manifest.bluetoothUsage != nil
  }

  mutating func takeBeacon(_ answer: PromptAnswer) {
    switch answer {
    case .accept: beacon = .allowed
    case .decline: beacon = .declined
    case .once, .whileUsing, .deny, .always, .keepWhileUsing, .dismissed: beaconRests = true
    }
  }
}
