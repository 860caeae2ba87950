package import LocationModel

/// Makes this computer a beacon through `bluetoothd`.
///
/// The caller checks that the app is in the foreground (BEACON-3).
package struct BlueZAdvertiser: Machine {
  package enum Input: MachineInput {
    case advertise(IBeaconAdvert)
    case stop
    case bus(BusEvent)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case bus(BusAction)
    case changed(BeaconAdvertising)
  }

  private enum State: Sendable {
    /// No advertisement is requested, or no adapter can send it.
    case idle
    /// The registration is pending.
    case starting(adapter: String, call: Int)
    case advertising(adapter: String)
    /// The adapter refused; the next attempt is at `retry`.
    case refused(retry: Instant)
  }

  private var survey = BlueZSurvey()
  private var advert: IBeaconAdvert?
  private var state = State.idle
  private var delivered = BeaconAdvertising.stopped

  package init() {}

  package var nextDeadline: Instant? {
    guard case .refused(let retry) = state else { return nil }
    return retry
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .advertise(let new):
      guard new != advert else { return [] }
      let last = advert == nil ? [] : report(.stopped)
      advert = new
      return end() + last + begin()
    case .stop:
      advert = nil
      return end() + report(.stopped)
    case .bus(let event):
      let (actions, changes) = survey.handle(event)
      return actions.map { .bus($0) } + changes.flatMap { take($0) } + take(event, at: now)
    case .wake:
      guard let due = nextDeadline, now.uptime >= due else { return [] }
      return begin()
    }
  }

  private mutating func take(_ changes: BlueZSurvey.Change) -> [Output] {
    guard case .adapter(let adapter) = changes else { return [] }
    guard case .on = adapter else {
      state = .idle
      return advert == nil ? [] : report(.unavailable)
    }
    return end() + begin()
  }

  private mutating func take(_ event: BusEvent, at now: Moment) -> [Output] {
    switch (event, state) {
    case (.reply(let number, let reply), .starting(let adapter, let call)) where number == call:
      guard case .error(let name) = reply else {
        state = .advertising(adapter: adapter)
        return report(.advertising)
      }
      state = .refused(retry: now.uptime + Self.retryAfter)
      return [.bus(.withdraw(path: Self.path))] + report(.refused(name))
    case (.called(let call), .advertising) where call.path == Self.path && call.member == "Release":
      return [.bus(.withdraw(path: Self.path))] + begin()
    case (.connected, _), (.disconnected, _), (.reply, _), (.signal, _), (.called, _),
      (.refused, _):
      return []
    }
  }

  private mutating func begin() -> [Output] {
    state = .idle
    guard let advert, survey.isSettled else { return [] }
    guard case .on(let adapter, _, canAdvertise: true) = survey.adapter else {
      return report(.unavailable)
    }
    let number = survey.nextCall()
    state = .starting(adapter: adapter, call: number)
    let register = Self.call("RegisterAdvertisement", adapter)
      .with(.objectPath(Self.path), .properties([:]))
    return [.bus(.export(Self.object(advert))), .bus(.call(number, register))]
  }

  private mutating func end() -> [Output] {
    defer { state = .idle }
    switch state {
    case .idle, .refused: return []
    case .starting(let adapter, _), .advertising(let adapter):
      let unregister = Self.call("UnregisterAdvertisement", adapter).with(.objectPath(Self.path))
      return [
        .bus(.call(survey.nextCall(), unregister)), .bus(.withdraw(path: Self.path)),
      ]
    }
  }

  private mutating func report(_ new: BeaconAdvertising) -> [Output] {
    guard new != delivered else { return [] }
    delivered = new
    return [.changed(new)]
  }

  private static func call(_ member: String, _ adapter: String) -> BusCall {
    BusCall(BlueZ.service, path: adapter, interface: BlueZ.advertisingManager, member: member)
  }

  /// Returns the advertisement as an object: of type `broadcast`, which accepts no connections.
  private static func object(_ advert: IBeaconAdvert) -> BusObject {
    let data = advert.manufacturerData
    return BusObject(
      path: path, interface: BlueZ.advertisement, caller: BlueZ.service,
      properties: .properties([
        "Type": .string("broadcast"),
        "ManufacturerData": .dictionary(
          key: "q", value: "v",
          [BusEntry(key: .uint16(data.company), value: .variant(.bytes(data.payload)))]),
      ]),
      methods: [BusMethod("Release")])
  }

  private static let path = "/org/meridian/advertisements/ibeacon"
  /// Chosen.
  private static let retryAfter = Duration.seconds(10)
}
