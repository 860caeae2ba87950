import LocationModel
import LocationProviders

extension Verb {
  private static let power = Option(
    name: "power", value: .wholeNumber("DBM", -128...127),
    summary: "Measured power at one meter; -59 unless given")
  private static let timeout = Option.timeout("Stop after so many seconds")

  static let advertise = Verb(
    name: "advertise", summary: "Make this computer a beacon",
    details: [
      """
      Sends an iBeacon through bluetoothd until it is interrupted, and says how that goes. \
      Needs an adapter that is on and a user whom bluetoothd obeys: root, or one of the group \
      bluetooth.
      """,
      """
      It works as you, over a bus connection of its own: typing the command is the permission. \
      Other apps need `locationctl authorize APP --beacon yes`.
      """,
      """
      A phone believes the power: measure it at one meter, or distances will be wrong.
      """,
    ],
    operands: [
      Operand(name: "UUID", summary: "The proximity UUID"),
      Operand(name: "MAJOR", summary: "The major value; 0 unless given", isOptional: true),
      Operand(name: "MINOR", summary: "The minor value; 0 unless given", isOptional: true),
    ],
    options: [power, timeout],
    examples: ["locationctl advertise E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 1 7 --power -61"],
    run: { invocation in
      let wanted = try NamedBeacons(invocation)
      let identity = BeaconIdentity(
        uuid: wanted.uuid, major: wanted.major ?? 0, minor: wanted.minor ?? 0)
      let advert = IBeaconAdvert(
        identity: identity,
        measuredPower: invocation.wholeNumber(power).map { Int8(clamping: $0) }
          ?? IBeaconAdvert.defaultMeasuredPower)
      let name = "\(wanted.uuid) \(wanted.major ?? 0) \(wanted.minor ?? 0)"
      let person = try Person(sources: [.bluez])
      let subscription = person.link.subscribe()
      subscription.send { .advertising($0, .start(advert)) }
      _ = try await withTimeout(invocation.number(timeout)) {
        for await delivery in subscription.deliveries {
          guard case .advertising(_, let state) = delivery else { continue }
          if case .refused(let reason) = state {
            throw Failure.refused(
              "this computer is no beacon: \(reason)", next: "locationctl doctor")
          }
          guard state.isHopeful else { throw person.silence("this computer is no beacon") }
          Output.standard.line(state.text(of: name))
        }
      }
    })
}

extension BeaconAdvertising {
  /// Whether waiting makes sense.
  fileprivate var isHopeful: Bool {
    switch self {
    case .stopped, .advertising, .waiting: true
    case .unavailable, .refused: false
    }
  }

  fileprivate func text(of beacon: String) -> String {
    switch self {
    case .advertising: "advertising \(beacon); Ctrl-C ends it"
    case .waiting: "waiting: another beacon is on the air"
    case .stopped, .unavailable, .refused: "not advertising"
    }
  }
}
