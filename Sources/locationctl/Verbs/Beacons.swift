import LocationCoding
import LocationHost
import LocationModel
import LocationProviders

extension Verb {
  private static let count = Option(
    name: "count", value: .wholeNumber("N", 1...Int.max),
    summary: "Stop after so many reports; there is one each second")
  private static let timeout = Option.timeout("Stop after so many seconds")

  static let beacons = Verb(
    name: "beacons", summary: "Show which beacons are near and how near, or calibrate an adapter",
    details: [
      """
      A table, renewed each second, of the iBeacons of one UUID that bluetoothd receives, nearest \
      first. MAJOR and MINOR narrow the choice.
      """,
      """
      Adapters differ by 30 dB. One of which nothing is known calls every beacon near; it learns from \
      the beacons that it hears, and has the best answers once it is calibrated.
      """,
      """
      `calibrate` before one beacon asks you to stand at one meter from it, then at three, and stores \
      how many dB more the adapter receives than the beacon claims: with the daemon, as its owner, \
      else for your own apps. It stores nothing where it heard too little, where the signal moved, or \
      where the two distances cannot both be true.
      """,
    ],
    operands: [
      Operand(
        name: "BEACON", summary: "The UUID, then MAJOR and MINOR; or calibrate, then these",
        isOptional: true, repeats: true, hints: [BeaconCommand.calibrate])
    ],
    options: [
      .source, count, timeout, CalibrationOptions.adapter, CalibrationOptions.seconds,
      CalibrationOptions.list, CalibrationOptions.clear, .json,
    ],
    examples: [
      "locationctl beacons E2C56DB5-DFFB-48D2-B060-D0F5A71096E0",
      "locationctl beacons E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 1 --json",
      "locationctl beacons calibrate E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 1 7",
      "locationctl beacons calibrate --list",
      "locationctl beacons calibrate --clear --adapter 00:1A:7D:DA:71:13",
    ],
    run: { invocation in
      switch try BeaconCommand(invocation) {
      case .show(let wanted): try await show(wanted, invocation)
      case .calibrate(let wanted, let adapter, let seconds):
        try await CalibrationSession(wanted, adapter, seconds, invocation).run()
      case .list: try CalibrationStore.find().list(invocation)
      case .clear(let adapter): try CalibrationStore.find().clear(adapter, invocation)
      }
    })

  private static func show(_ wanted: NamedBeacons, _ invocation: Invocation) async throws {
    let choice = try SourceChoice(invocation)
    let person = try Person(sources: choice.origin == .discovery ? [.bluez] : choice.sources)
    CalibrationStore.passKnown(to: person)
    let limit = invocation.wholeNumber(count)
    let isJSON = invocation.has(.json)
    let tally = Tally()
    _ = try await withTimeout(invocation.number(timeout)) {
      let subscription = person.link.subscribe()
      subscription.send { .ranging($0, .start(wanted.constraint)) }
      var table = LiveTable()
      for await signal in subscription.signals {
        switch signal {
        case .beacons(let beacons):
          tally.count += 1
          if isJSON { Output.standard.line(json(beacons)) } else { table.show(text(beacons)) }
        case .failed:
          // A radio that was there may come back; the reports then go on by themselves.
          let reason = person.silence("beacons cannot be received")
          guard tally.count > 0 else { throw reason }
          Output.error.line(reason.message)
          table = LiveTable()
        case .heading: break
        }
        if let limit, tally.count >= limit { break }
      }
    }
  }

  private static func json(_ beacons: [BeaconReport]) -> String {
    var line = JSONLine(type: "beacons")
    line.add("date", HostClock.now.unixTime)
    line.add("beacons", objects: beacons.map(\.json))
    return line.text
  }

  private static func text(_ beacons: [BeaconReport]) -> [String] {
    let heading = Output.standard.styled(BeaconReport.heading, .dim)
    return [heading] + (beacons.isEmpty ? ["none is near"] : beacons.map(\.text))
  }
}

/// Which beacons were named, as UUID, MAJOR, and MINOR.
struct NamedBeacons: Sendable {
  var uuid: BeaconUUID
  var major: UInt16?
  var minor: UInt16?

  init(_ invocation: Invocation) throws(Failure) {
    try self.init(invocation.operands[...], invocation)
  }

  init(_ words: ArraySlice<String>, _ invocation: Invocation) throws(Failure) {
    guard let first = words.first else {
      throw invocation.usage("UUID is missing: whose beacons")
    }
    guard let uuid = BeaconUUID(first) else {
      throw invocation.usage("\"\(first)\" is not a UUID")
    }
    self.uuid = uuid
    if words.count > 3 {
      throw invocation.usage("\"\(words[words.startIndex + 3])\" is one word too many")
    }
    let numbers = words.dropFirst().map { UInt16($0) }
    guard numbers.allSatisfy({ $0 != nil }) else {
      throw invocation.usage("MAJOR and MINOR are numbers from 0 to 65535")
    }
    major = numbers.first ?? nil
    minor = numbers.count > 1 ? numbers[1] : nil
  }

  var constraint: BeaconConstraint { BeaconConstraint(uuid: uuid, major: major, minor: minor) }
}

extension BeaconUUID {
  /// Reads the canonical form, in either case; `nil` for any other text.
  fileprivate init?(_ text: String) {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
    let digits = groups.joined()
    guard digits.allSatisfy(\.isHexDigit) else { return nil }
    self.init(digits: digits)
  }
}
