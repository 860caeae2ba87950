package import LocationModel

/// The satellites of a SKY report.
package struct GpsdSatellites: Sendable {
  /// One element of its list.
  private struct Element {
    /// As gpsd names it among all; as its system does.
    var prn, number: Int?
    var gnssid: Int?
    var elevation, azimuth, signal: Double?
    var isUsed = false

    mutating func read(_ key: JSONKey, _ value: inout JSONScanner) throws(JSONFault) {
      switch key {
      case "PRN": prn = whole(try value.number())
      case "svid": number = whole(try value.number())
      case "gnssid": gnssid = whole(try value.number())
      case "el": elevation = try value.number()
      case "az": azimuth = try value.number()
      case "ss": signal = try value.number()
      case "used": isUsed = try value.boolean() ?? false
      default: try value.skip()
      }
    }

    private func whole(_ number: Double?) -> Int? { number.flatMap { Int(exactly: $0) } }

    /// `nil` for one of a system that is not known.
    var satellite: Satellite? {
      let name: (system: Satellite.System, number: Int)?
      if let gnssid, let number {
        name = Satellite.System(gnssid: gnssid).map { ($0, number) }
      } else {
        name = prn.flatMap { Self.name($0) }
      }
      guard let name else { return nil }
      var satellite = Satellite(system: name.system, number: name.number, isUsed: isUsed)
      satellite.set(elevation: elevation, azimuth: azimuth, signal: signal)
      return satellite
    }

    /// What gpsd before 3.18 says: a number among all satellites.
    private static func name(_ prn: Int) -> (Satellite.System, Int)? {
      switch prn {
      case 1...32: (.gps, prn)
      case 33...64: (.sbas, prn + 87)
      case 65...96: (.glonass, prn - 64)
      case 120...158: (.sbas, prn)
      case 193...202: (.qzss, prn - 192)
      case 301...336: (.galileo, prn - 300)
      case 401...464: (.beidou, prn - 400)
      default: nil
      }
    }
  }

  /// Reads a line; what cannot be read of it is left out.
  package static func read(_ line: [UInt8]) -> [Satellite] {
    var satellites: [Satellite] = []
    var scanner = JSONScanner(line)
    try? scanner.document { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
      guard key == "satellites", try value.isArray() else { return try value.skip() }
      try value.array { (element: inout JSONScanner) throws(JSONFault) in
        guard satellites.count < Satellite.most, try element.isObject() else {
          return try element.skip()
        }
        var read = Element()
        try element.object { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
          try read.read(key, &value)
        }
        if let satellite = read.satellite { satellites.append(satellite) }
      }
    }
    return satellites
  }
}
