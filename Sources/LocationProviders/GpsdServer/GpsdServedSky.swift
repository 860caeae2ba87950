import LocationModel

/// The satellites of a receiver's GSV and GSA sentences, as gpsd reports them.
struct GpsdServedSky: Sendable {
  private struct Satellite: Hashable, Sendable {
    var system: Int
    var number: Int
    var elevation, azimuth, signal: Double?
  }

  private struct Name: Hashable, Sendable {
    var system: Int
    var number: Int
  }

  private var reader = NMEASentenceReader()
  private var satellites: [Satellite] = []
  private var used: Set<Name> = []
  private var hdop, vdop, pdop: Double?

  /// Notes a line, if it is one of those sentences and correct.
  mutating func add(_ line: [UInt8]) {
    var index = 0
    while let event = reader.next(in: line, from: &index) {
      guard case .sentence = event else { continue }
      note(reader.line)
    }
    _ = reader.cut()
  }

  private mutating func note(_ line: NMEALine) {
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
      guard let number = try line.integer(field), satellites.count < Self.most,
        let name = Self.name(number, of: line.byte(0, 1))
      else { continue }
      var satellite = Satellite(system: name.system, number: name.number)
      satellite.elevation = try line.double(field + 1)
      satellite.azimuth = try line.double(field + 2)
      satellite.signal = line.fieldCount > field + 3 ? try line.double(field + 3) : nil
      // A satellite on two frequencies comes twice.
      let same = satellites.firstIndex { ($0.system, $0.number) == (name.system, name.number) }
      guard let same else {
        satellites.append(satellite)
        continue
      }
      if (satellite.signal ?? 0) > (satellites[same].signal ?? 0) { satellites[same] = satellite }
    }
  }

  private mutating func addUsed(_ line: NMEALine) throws(NMEARejection) {
    for field in 3..<15 {
      guard let number = try line.integer(field), used.count < Self.most,
        let name = Self.name(number, of: line.byte(0, 1))
      else { continue }
      used.insert(name)
    }
    pdop = try line.double(15) ?? pdop
    hdop = try line.double(16) ?? hdop
    vdop = try line.double(17) ?? vdop
  }

  /// The number of the system and of its satellite, as u-blox and gpsd count them; `nil` for others.
  private static func name(_ number: Int, of talker: UInt8) -> Name? {
    switch (talker, number) {
    case (UInt8(ascii: "A"), 1...36): Name(system: 2, number: number)
    case (UInt8(ascii: "A"), 301...336): Name(system: 2, number: number - 300)
    case (UInt8(ascii: "B"), 1...64), (UInt8(ascii: "D"), 1...64): Name(system: 3, number: number)
    case (UInt8(ascii: "Q"), 1...10): Name(system: 5, number: number)
    case (_, 1...32): Name(system: 0, number: number)
    case (_, 33...64): Name(system: 1, number: number + 87)
    case (_, 65...96): Name(system: 6, number: number - 64)
    case (_, 120...158): Name(system: 1, number: number)
    case (_, 193...202): Name(system: 5, number: number - 192)
    case (_, 201...264): Name(system: 3, number: number - 200)
    case (_, 401...464): Name(system: 3, number: number - 400)
    default: nil
    }
  }

  /// The number by which gpsd names a satellite among all.
  private static func prn(_ satellite: Satellite) -> Int {
    switch satellite.system {
    case 2: satellite.number + 300
    case 3: satellite.number + 400
    case 5: satellite.number + 192
    case 6: satellite.number + 64
    default: satellite.number
    }
  }

  /// The report of an epoch, which then begins anew; `nil` without any satellites.
  mutating func take(of path: String) -> String? {
    defer {
      satellites = []
      used = []
      (hdop, vdop, pdop) = (nil, nil, nil)
    }
    guard !satellites.isEmpty || !used.isEmpty else { return nil }
    var text = "{\"class\":\"SKY\",\"device\":\(GpsdWord.quoted(path))"
    for (name, value) in [("vdop", vdop), ("hdop", hdop), ("pdop", pdop)] {
      if let value { text += ",\"\(name)\":" + GpsdWord.number(value, 2) }
    }
    text += ",\"nSat\":\(satellites.count),\"uSat\":\(used.count),\"satellites\":["
    text += satellites.map { satellite in
      let isUsed = used.contains(Name(system: satellite.system, number: satellite.number))
      var object = "{\"PRN\":\(Self.prn(satellite))"
      for (name, value) in [
        ("el", satellite.elevation), ("az", satellite.azimuth), ("ss", satellite.signal),
      ] {
        if let value { object += ",\"\(name)\":" + GpsdWord.number(value, 1) }
      }
      return object
        + ",\"used\":\(isUsed),\"gnssid\":\(satellite.system),\"svid\":\(satellite.number)}"
    }.joined(separator: ",")
    return text + "]}"
  }

  /// Satellites. Chosen: more than all systems have above one horizon.
  private static let most = 120
}
