internal import LocationCoding
package import LocationEngine
internal import LocationModel

/// A digest of all outputs of an engine so far, in their order.
///
/// It is the same on every machine and in every build. It is not cryptographic: it only detects
/// differences.
package struct OutputDigest: Hashable, Sendable {
  package private(set) var value = FNV1a.empty

  package init() {}

  package mutating func mix(_ output: LocationEngine.Output) {
    switch output {
    case .deliver(let client, let delivery):
      mix(1, client.rawValue)
      mix(delivery)
    case .persist(.set(let key, let bytes)):
      mix(2, key)
      mix(bytes)
    case .persist(.remove(let key)): mix(3, key)
    case .demand(let demand): mix(demand)
    case .prompt(let prompt):
      mix(5, prompt.id)
      mix("\(prompt.kind) \(prompt.appName) \(prompt.text) \(prompt.offersPrecise)")
    case .withdraw(let id): mix(6, id)
    case .wakeApp(let app): mix(7, app)
    case .launch(let app): mix(8, app)
    // It follows from the demand, and recordings of older versions have none.
    case .usage: break
    case .indicator(let app, let shown): mix(shown ? 9 : 10, app)
    case .calibration(let app, let shown): mix(shown ? 11 : 12, app)
    case .runtimeOver(let app): mix(13, app)
    case .ignored(let fix, let provider, let reason):
      mix(14, UInt64(provider.index))
      mix(reason.rawValue)
      mix(fix)
    case .note(let note):
      mix(15, 0)
      mix("\(note)")
    }
  }

  /// Mixes in a delivery: a fix, which comes every second, as it is; any other as JSON of the link.
  private mutating func mix(_ delivery: Delivery) {
    switch delivery {
    case .live(let subscriber, let update):
      mix(20, UInt64(subscriber.rawValue))
      mix(UInt64(update.diagnostics.rawValue) << 1 | (update.stationary ? 1 : 0))
      if let fix = update.fix { mix(fix) }
    case .updates(let subscriber, .fixes(let fixes)):
      mix(21, UInt64(subscriber.rawValue))
      for fix in fixes { mix(fix) }
    default: mix(delivery.json.bytes)
    }
  }

  private mutating func mix(_ demand: Demand) {
    let tier = demand.position.map { $0.tier.rawValue + 1 } ?? 0
    let flags = (demand.motion ? 1 : 0) | (demand.magnetometer ? 2 : 0)
    mix(4, UInt64(tier << 8 | demand.beacons.rawValue << 4 | flags))
    mix(UInt64(bitPattern: demand.position?.interval.wholeNanoseconds ?? -1))
  }

  private mutating func mix(_ fix: Fix) {
    mix(fix.coordinate.latitude.bitPattern)
    mix(fix.coordinate.longitude.bitPattern)
    mix(fix.horizontalAccuracy.bitPattern)
    mix(UInt64(bitPattern: fix.time.nanoseconds))
    for number in [
      fix.altitude, fix.ellipsoidalAltitude, fix.verticalAccuracy, fix.speed, fix.speedAccuracy,
      fix.course, fix.courseAccuracy,
    ] {
      mix(number?.bitPattern ?? 1)
    }
    mix(UInt64(bitPattern: Int64(fix.floor ?? .min)))
    let method = UInt64(fix.origin.method.rank) << 2
    mix((fix.origin.isSimulated ? 1 : 0) | (fix.origin.isAccessory ? 2 : 0) | method)
  }

  // MARK: Parts

  private mutating func mix(_ kind: UInt64, _ id: Prompt.ID) {
    mix(kind, id.app)
    mix(UInt64(bitPattern: Int64(id.number)))
  }

  private mutating func mix(_ kind: UInt64, _ app: AppIdentity) {
    mix(kind, 0)
    mix(app.name)
  }

  private mutating func mix(_ kind: UInt64, _ key: StateKey) {
    mix(kind, 0)
    mix(key.domain)
    mix(key.owner)
    mix(key.name)
  }

  private mutating func mix(_ kind: UInt64, _ number: UInt64) {
    mix(kind)
    mix(number)
  }

  private mutating func mix(_ text: String) { mix(Array(text.utf8)) }

  package mutating func mix(_ bytes: [UInt8]) {
    value = FNV1a.hash(bytes, from: value)
    mix(UInt64(bytes.count))
  }

  /// Mixes in a word: each of its bits affects all bits of the value.
  private mutating func mix(_ word: UInt64) {
    value = (value ^ word) &* 0x9e37_79b9_7f4a_7c15
    value ^= value >> 32
  }
}
