import CoreLocation
import LocationProviders

extension Verb {
  private static let count = Option(
    name: "count", value: .wholeNumber("N", 1...Int.max),
    summary: "Stop after so many reports; there is one each second")
  private static let timeout = Option.timeout("Stop after so many seconds")

  static let beacons = Verb(
    name: "beacons", summary: "Show which beacons are near, and how near",
    details: [
      """
      A table, renewed each second, of the iBeacons of one UUID that bluetoothd receives, nearest \
      first. MAJOR and MINOR narrow the choice.
      """
    ],
    operands: [
      Operand(name: "UUID", summary: "Whose beacons"),
      Operand(name: "MAJOR", summary: "Of which group", isOptional: true),
      Operand(name: "MINOR", summary: "Which one of the group", isOptional: true),
    ],
    options: [.source, count, timeout, .json],
    examples: [
      "locationctl beacons E2C56DB5-DFFB-48D2-B060-D0F5A71096E0",
      "locationctl beacons E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 1 --json",
    ],
    run: { invocation in
      let wanted = try NamedBeacons(invocation)
      let choice = try SourceChoice(invocation)
      let person = Person(sources: choice.origin == .discovery ? [.bluez] : choice.sources)
      let limit = invocation.wholeNumber(count)
      let isJSON = invocation.has(.json)
      let tally = Tally()
      _ = try await person.run {
        try await withTimeout(invocation.number(timeout)) {
          let listener = SignalsListener()
          let manager = CLLocationManager()
          manager.delegate = listener
          manager.startRangingBeacons(satisfying: wanted.constraint)
          var table = LiveTable()
          for await word in listener.words {
            switch word {
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
          manager.stopRangingBeacons(satisfying: wanted.constraint)
        }
      }
    })

  private static func json(_ beacons: [BeaconReport]) -> String {
    var line = JSONLine(type: "beacons")
    line.add("date", Date().iso8601)
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
  var uuid: UUID
  var major: UInt16?
  var minor: UInt16?

  init(_ invocation: Invocation) throws(Failure) {
    let words = invocation.operands
    guard let uuid = words.first.flatMap({ UUID(uuidString: $0) }) else {
      throw invocation.usage("\"\(words.first ?? "")\" is not a UUID")
    }
    self.uuid = uuid
    let numbers = words.dropFirst().map { UInt16($0) }
    guard numbers.allSatisfy({ $0 != nil }) else {
      throw invocation.usage("MAJOR and MINOR are numbers from 0 to 65535")
    }
    major = numbers.first ?? nil
    minor = numbers.count > 1 ? numbers[1] : nil
  }

  var constraint: CLBeaconIdentityConstraint {
    switch (major, minor) {
    case (let major?, let minor?):
      CLBeaconIdentityConstraint(uuid: uuid, major: major, minor: minor)
    case (let major?, nil): CLBeaconIdentityConstraint(uuid: uuid, major: major)
    case (nil, _): CLBeaconIdentityConstraint(uuid: uuid)
    }
  }
}
