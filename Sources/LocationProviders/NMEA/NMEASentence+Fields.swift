import LocationModel

// Field numbers are those of the standard, with 0 for the address.

extension NMEASentence {
  /// Reads the fields of a sentence of a known kind.
  init(_ kind: NMEAKind, _ line: NMEALine) throws(NMEARejection) {
    switch kind {
    case .gga: self = try Self.gga(line)
    case .gns: self = try Self.gns(line)
    case .gll: self = try Self.gll(line)
    case .rmc: self = try Self.rmc(line)
    case .vtg: self = try Self.vtg(line)
    case .gsa: self = try Self.gsa(line)
    case .gsv: self = try Self.gsv(line)
    case .gst: self = try Self.gst(line)
    case .zda: self = try Self.zda(line)
    case .hdt: self = try Self.trueHeading(line, valid: !line.isAbsent(1))
    case .ths: self = try Self.trueHeading(line, valid: line.letter(2) == UInt8(ascii: "A"))
    case .hdg: self = try Self.hdg(line)
    case .hdm: self = try Self.hdm(line)
    }
  }

  private static func gga(_ line: NMEALine) throws(NMEARejection) -> NMEASentence {
    var position = try position(line, try ggaValidity(line), place: 2)
    position.satellitesUsed = try line.integer(7)
    position.hdop = try dilution(line, 8)
    position.altitude = try altitude(line, 9, position.validity)
    position.undulation = try line.double(11)
    return .position(position, timeOfDay: try line.timeOfDay(1))
  }

  /// Reads a position. Skips a coordinate without a valid flag: receivers write 89°60' there.
  private static func position(
    _ line: NMEALine, _ validity: NMEAValidity, place: Int
  ) throws(NMEARejection) -> NMEAPosition {
    guard validity != .none else { return NMEAPosition(validity: .none, place: nil) }
    return NMEAPosition(validity: validity, place: try line.place(place))
  }

  private static func ggaValidity(_ line: NMEALine) throws(NMEARejection) -> NMEAValidity {
    switch try line.integer(6) {
    case 1: .solved(.autonomous)
    case 2: .solved(.differential)
    case 3: .solved(.precise)
    case 4: .solved(.fixedRTK)
    case 5: .solved(.floatRTK)
    case 6: .solved(.deadReckoning)
    case 8: .simulated
    // 0: none. 7: manual input, which is no observation. The rest is not defined.
    default: .none
    }
  }

  private static func gns(_ line: NMEALine) throws(NMEARejection) -> NMEASentence {
    // One letter for each constellation; the best of them determined the position.
    var best = NMEAValidity.none
    for index in 0..<line.length(of: 6) {
      let next = validity(mode: line.byte(6, index))
      switch (best, next) {
      case (_, .none): continue
      case (.solved(let old), .solved(let new)) where new <= old: continue
      default: best = next
      }
    }
    // Since NMEA 4.1: safe, caution, unsafe, or not valid. Telit's modules write V on valid ones.
    if line.letter(13) == UInt8(ascii: "U") { best = .none }
    var position = try position(line, best, place: 2)
    position.satellitesUsed = try line.integer(7)
    position.hdop = try dilution(line, 8)
    position.altitude = try altitude(line, 9, position.validity)
    position.undulation = try line.double(10)
    return .position(position, timeOfDay: try line.timeOfDay(1))
  }

  private static func gll(_ line: NMEALine) throws(NMEARejection) -> NMEASentence {
    var position = try position(line, validity(line, status: 6, mode: 7), place: 1)
    position.isBare = true
    return .position(position, timeOfDay: try line.timeOfDay(5))
  }

  private static func rmc(_ line: NMEALine) throws(NMEARejection) -> NMEASentence {
    let position = try position(line, validity(line, status: 2, mode: 12), place: 3)
    let motion = NMEAMotion(
      speed: try speed(line.double(7).map { metersPerSecond(knots: $0) }, position.validity),
      course: try line.double(8).map(normalizedDegrees))
    return .minimum(
      position, motion, timeOfDay: try line.timeOfDay(1), try line.shortDate(9))
  }

  private static func vtg(_ line: NMEALine) throws(NMEARejection) -> NMEASentence {
    guard validity(mode: line.letter(9) ?? UInt8(ascii: "A")) != .none else { return .empty }
    // Knots are preferred: receivers compute in this unit, and write one digit more.
    let knots = try line.double(5).map { metersPerSecond(knots: $0) }
    let kilometers = try line.double(7).map { abs($0) / 3.6 }
    return .motion(
      NMEAMotion(
        speed: try speed(knots ?? kilometers, .solved(.autonomous)),
        course: try line.double(1).map(normalizedDegrees)))
  }

  private static func gsa(_ line: NMEALine) throws(NMEARejection) -> NMEASentence {
    let solution: NMEADilution.Solution? =
      switch line.letter(2) {
      case UInt8(ascii: "1"): NMEADilution.Solution.none
      case UInt8(ascii: "2"): .flat
      case UInt8(ascii: "3"): .full
      default: nil
      }
    var used = 0
    for field in 3...14 where !line.isAbsent(field) { used += 1 }
    return .dilution(
      NMEADilution(
        solution: solution, satellitesUsed: used, hdop: try dilution(line, 16),
        vdop: try dilution(line, 17)))
  }

  private static func gsv(_ line: NMEALine) throws(NMEARejection) -> NMEASentence {
    guard let message = try line.integer(2), let inView = try line.integer(3) else {
      return .empty
    }
    var strongest: Int?
    // Number, elevation, azimuth, strength of up to four satellites.
    for field in stride(from: 7, through: 19, by: 4) where field < line.fieldCount {
      guard let strength = try line.integer(field) else { continue }
      strongest = max(strongest ?? 0, strength)
    }
    return .sky(
      NMEASky(
        constellation: line.byte(0, 1), message: message, inView: inView, strongest: strongest))
  }

  private static func gst(_ line: NMEALine) throws(NMEARejection) -> NMEASentence {
    .errors(
      NMEAErrors(
        latitude: try line.double(6), longitude: try line.double(7),
        altitude: try line.double(8)),
      timeOfDay: try line.timeOfDay(1))
  }

  private static func zda(_ line: NMEALine) throws(NMEARejection) -> NMEASentence {
    guard
      let timeOfDay = try line.timeOfDay(1), let day = try line.integer(2),
      let month = try line.integer(3), let year = try line.integer(4)
    else { return .empty }
    return .date(try NMEADate(day: day, month: month, year: year), timeOfDay: timeOfDay)
  }

  private static func trueHeading(
    _ line: NMEALine, valid: Bool
  ) throws(NMEARejection) -> NMEASentence {
    guard valid, let heading = try line.double(1) else { return .empty }
    return .heading(NMEAHeading(geographic: normalizedDegrees(heading)))
  }

  private static func hdg(_ line: NMEALine) throws(NMEARejection) -> NMEASentence {
    guard let sensor = try line.double(1) else { return .empty }
    let magnetic = sensor + (try east(line, 2) ?? 0)
    let variation = try east(line, 4)
    return .heading(
      NMEAHeading(
        magnetic: normalizedDegrees(magnetic),
        geographic: variation.map { normalizedDegrees(magnetic + $0) }))
  }

  private static func hdm(_ line: NMEALine) throws(NMEARejection) -> NMEASentence {
    guard let heading = try line.double(1) else { return .empty }
    return .heading(NMEAHeading(magnetic: normalizedDegrees(heading)))
  }

  /// Reads an angle with its letter, positive to the east.
  private static func east(_ line: NMEALine, _ field: Int) throws(NMEARejection) -> Double? {
    guard let degrees = try line.double(field) else { return nil }
    return line.letter(field + 1) == UInt8(ascii: "W") ? -degrees : degrees
  }

  /// Reads an altitude in meters; no receiver has a solution beyond the bounds.
  private static func altitude(
    _ line: NMEALine, _ field: Int, _ validity: NMEAValidity
  ) throws(NMEARejection) -> Double? {
    let altitude = try line.double(field)
    guard validity == .none || altitude.map(altitudes.contains) ?? true else {
      throw .malformedField
    }
    return altitude
  }

  /// Returns a speed in meters per second that a receiver can have; receivers write anything without a solution.
  private static func speed(
    _ speed: Double?, _ validity: NMEAValidity
  ) throws(NMEARejection) -> Double? {
    guard validity == .none || speed ?? 0 <= highestSpeed else { throw .malformedField }
    return speed
  }

  /// Meters. Chosen: from below the deepest sea to above receivers in a low orbit.
  private static let altitudes = -12_000.0...2_000_000.0
  /// Meters per second. Chosen: above that of a low orbit, 7,800.
  private static let highestSpeed = 10_000.0

  /// Reads a dilution of precision; receivers write zero for an unknown one.
  private static func dilution(_ line: NMEALine, _ field: Int) throws(NMEARejection) -> Double? {
    guard let value = try line.double(field), value > 0 else { return nil }
    return value
  }

  /// Reads the status `A` or `V`, and the letter that newer receivers add to it.
  private static func validity(_ line: NMEALine, status: Int, mode: Int) -> NMEAValidity {
    guard line.letter(status) == UInt8(ascii: "A") else { return .none }
    return validity(mode: line.letter(mode) ?? UInt8(ascii: "A"))
  }

  private static func validity(mode: UInt8) -> NMEAValidity {
    switch mode {
    case UInt8(ascii: "A"): .solved(.autonomous)
    case UInt8(ascii: "D"): .solved(.differential)
    case UInt8(ascii: "E"): .solved(.deadReckoning)
    case UInt8(ascii: "P"): .solved(.precise)
    case UInt8(ascii: "R"): .solved(.fixedRTK)
    case UInt8(ascii: "F"): .solved(.floatRTK)
    case UInt8(ascii: "S"): .simulated
    // N: none. M: manual input.
    default: .none
    }
  }

  /// Converts knots: 1,852 meters in 3,600 seconds. Some receivers give a speed a sign.
  private static func metersPerSecond(knots: Double) -> Double { abs(knots) * 1852 / 3600 }
}
