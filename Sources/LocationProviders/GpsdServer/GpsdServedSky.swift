import LocationModel

/// The satellites of a receiver's GSV and GSA sentences, as gpsd reports them.
struct GpsdServedSky: Sendable {
  private var reader = NMEASentenceReader()
  private var sky = NMEASatellites()

  /// Notes a line, if it is one of those sentences and correct.
  mutating func add(_ line: [UInt8]) {
    var index = 0
    while let event = reader.next(in: line, from: &index) {
      guard case .sentence = event else { continue }
      sky.note(reader.line)
    }
    _ = reader.cut()
  }

  /// The number by which gpsd names a satellite among all.
  private static func prn(_ satellite: Satellite) -> Int {
    switch satellite.system {
    case .galileo: satellite.number + 300
    case .beidou: satellite.number + 400
    case .qzss: satellite.number + 192
    case .glonass: satellite.number + 64
    case .gps, .sbas, .imes, .navic: satellite.number
    }
  }

  /// The report of an epoch, which then begins anew; `nil` without any satellites.
  mutating func take(of path: String) -> String? {
    defer { sky = NMEASatellites() }
    guard !sky.isEmpty else { return nil }
    let satellites = sky.satellites
    var text = "{\"class\":\"SKY\",\"device\":\(GpsdWord.quoted(path))"
    for (name, value) in [("vdop", sky.vdop), ("hdop", sky.hdop), ("pdop", sky.pdop)] {
      if let value { text += ",\"\(name)\":" + GpsdWord.number(value, 2) }
    }
    text += ",\"nSat\":\(satellites.count),\"uSat\":\(sky.usedCount),\"satellites\":["
    text += satellites.map { satellite in
      var object = "{\"PRN\":\(Self.prn(satellite))"
      for (name, value) in [
        ("el", satellite.elevation), ("az", satellite.azimuth), ("ss", satellite.signal),
      ] {
        if let value { object += ",\"\(name)\":" + GpsdWord.number(value, 1) }
      }
      return object + ",\"used\":\(satellite.isUsed),\"gnssid\":\(satellite.system.gnssid)"
        + ",\"svid\":\(satellite.number)}"
    }.joined(separator: ",")
    return text + "]}"
  }
}
