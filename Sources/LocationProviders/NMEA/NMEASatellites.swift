package import LocationModel

/// The satellites of the GSV and GSA sentences of one epoch.
package struct NMEASatellites: Sendable {
  private struct Name: Hashable, Sendable {
    var system: Satellite.System
    var number: Int
  }

  private var seen: [Satellite] = []
  private var used: Set<Name> = []
  /// Of position, in the plane, and of the height; without unit.
  private(set) var pdop, hdop, vdop: Double?

  package init() {}

  /// Reads the sentences that ``NMEASkyView`` has kept.
  init(lines: [UInt8]) {
    var line = NMEALine()
    for text in lines.split(separator: UInt8(ascii: "\n")) {
      line.removeAll()
      line.append(text)
      line.finish()
      note(line)
    }
  }

  /// Notes a sentence, if it is one of those and correct.
  mutating func note(_ line: NMEALine) {
    do throws(NMEARejection) {
      switch NMEAKind(line) {
      case .gsv: try addView(line)
      case .gsa: try addUsed(line)
      default: break
      }
    } catch { return }
  }

  private mutating func addView(_ line: NMEALine) throws(NMEARejection) {
    for field in stride(from: 4, to: min(line.fieldCount - 2, 20), by: 4) {
      guard let number = try line.integer(field), seen.count < Satellite.most,
        let name = Self.name(number, of: line.byte(0, 1))
      else { continue }
      var satellite = Satellite(system: name.system, number: name.number)
      satellite.set(
        elevation: try line.double(field + 1), azimuth: try line.double(field + 2),
        signal: line.fieldCount > field + 3 ? try line.double(field + 3) : nil)
      // A satellite on two frequencies comes twice.
      let same = seen.firstIndex { ($0.system, $0.number) == (name.system, name.number) }
      guard let same else {
        seen.append(satellite)
        continue
      }
      if (satellite.signal ?? 0) > (seen[same].signal ?? 0) { seen[same] = satellite }
    }
  }

  private mutating func addUsed(_ line: NMEALine) throws(NMEARejection) {
    let talker = Self.talker(line)
    for field in 3..<15 {
      guard let number = try line.integer(field), used.count < Satellite.most,
        let name = Self.name(number, of: talker)
      else { continue }
      used.insert(name)
    }
    pdop = try line.double(15) ?? pdop
    hdop = try line.double(16) ?? hdop
    vdop = try line.double(17) ?? vdop
  }

  /// The letter of the system: that of the sentence, or for all systems together, since NMEA 4.10, that of
  /// the system that the last field of a GSA names.
  private static func talker(_ line: NMEALine) -> UInt8 {
    let own = line.byte(0, 1)
    guard own == UInt8(ascii: "N"), line.fieldCount > 18 else { return own }
    return switch line.byte(18, 0) {
    case UInt8(ascii: "3"): UInt8(ascii: "A")
    case UInt8(ascii: "4"): UInt8(ascii: "B")
    case UInt8(ascii: "5"): UInt8(ascii: "Q")
    default: own
    }
  }

  /// The system and the number of a satellite in it; `nil` for one of another system.
  private static func name(_ number: Int, of talker: UInt8) -> Name? {
    switch (talker, number) {
    case (UInt8(ascii: "A"), 1...36): Name(system: .galileo, number: number)
    case (UInt8(ascii: "A"), 301...336): Name(system: .galileo, number: number - 300)
    case (UInt8(ascii: "B"), 1...64), (UInt8(ascii: "D"), 1...64):
      Name(system: .beidou, number: number)
    case (UInt8(ascii: "Q"), 1...10): Name(system: .qzss, number: number)
    case (_, 1...32): Name(system: .gps, number: number)
    case (_, 33...64): Name(system: .sbas, number: number + 87)
    case (_, 65...96): Name(system: .glonass, number: number - 64)
    case (_, 120...158): Name(system: .sbas, number: number)
    case (_, 193...202): Name(system: .qzss, number: number - 192)
    case (_, 201...264): Name(system: .beidou, number: number - 200)
    case (_, 401...464): Name(system: .beidou, number: number - 400)
    default: nil
    }
  }

  /// Those that were seen, in the order of the sentences.
  package var satellites: [Satellite] {
    seen.map { satellite in
      var satellite = satellite
      satellite.isUsed = used.contains(Name(system: satellite.system, number: satellite.number))
      return satellite
    }
  }

  /// How many the solution rests on; a receiver may use one whose place it does not say.
  var usedCount: Int { used.count }

  var isEmpty: Bool { seen.isEmpty && used.isEmpty }
}
