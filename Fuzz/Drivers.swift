internal import LocationModel
internal import LocationProviders

extension Moment {
  /// The time of the nth piece of an input, 100 ms after the one before.
  static func piece(_ index: Int) -> Moment {
    Moment(
      uptime: Instant(nanoseconds: 1_000_000_000 + Int64(index) * 100_000_000),
      unixTime: UnixTime(nanoseconds: 1_700_000_000_000_000_000 + Int64(index) * 100_000_000))
  }
}

extension Demand {
  /// Asks a source for all that it has.
  static var everything: Demand {
    var demand = Demand(position: PositionDemand(tier: .navigation))
    demand.motion = true
    demand.magnetometer = true
    demand.pressure = .zero
    return demand
  }
}

extension Fuzzer {
  /// Opens the driver of a source, passes it an input in pieces, and ends it.
  static func driver(
    _ name: String, _ source: String, pieces: @escaping @Sendable ([UInt8]) -> [ChannelEvent]
  ) -> Fuzzer {
    Fuzzer(name) { bytes in
      guard let source = try? Source(url: source) else {
        preconditionFailure("no source \(source)")
      }
      var driver: any SourceDriver = source.driver
      var index = 0
      func put(_ input: SourceInput) {
        _ = driver.handle(input, at: .piece(index))
        index += 1
      }
      put(.stored([]))
      put(.demand(.everything))
      put(.channel(.opened))
      for piece in pieces(bytes) { put(.channel(piece)) }
      index += 100
      put(.wake)
      put(.channel(.closed(.ended)))
      _ = (driver.rejections, driver.evidence, driver.sky)
    }
  }

  /// Cuts an input where its first byte says, as a socket may.
  @Sendable static func stream(_ bytes: [UInt8]) -> [ChannelEvent] {
    guard let first = bytes.first, bytes.count > 1 else { return [] }
    let rest = bytes.dropFirst()
    let middle = rest.startIndex + rest.count * Int(first) / 256
    return [.bytes(Array(rest[..<middle])), .bytes(Array(rest[middle...]))]
  }

  /// What a receiver, a server, or a peer sends as lines.
  static var lines: [Fuzzer] {
    [
      driver("nmea", "nmea+tcp://127.0.0.1:10110", pieces: stream),
      driver("nmea-datagram", "nmea+udp://127.0.0.1:10110") { bytes in
        bytes.split(separator: 0).map { .datagram(Array($0)) }
      },
      driver("gpsd", "gpsd://127.0.0.1:2947", pieces: stream),
      driver("scans", "scans+tcp://127.0.0.1:10111", pieces: stream),
      driver("zone", "zone:", pieces: { [.bytes($0)] }),
      Fuzzer("gpsd-report") { bytes in
        _ = try? GpsdReport.parse(bytes)
        _ = GpsdSatellites.read(bytes)
      },
      Fuzzer("source-url") { bytes in
        guard let source = try? Source(url: String(decoding: bytes, as: UTF8.self)) else { return }
        // What a source is written as must be read as the same source.
        let again = try? Source(url: source.url)
        precondition(again == source, "\(source.url) is read as another source")
      },
    ]
  }

  /// What the kernel says of radios and sensors, and what adverts hold.
  static var kernel: [Fuzzer] {
    [
      Fuzzer("netlink") { bytes in
        for message in NetlinkMessage.split(bytes).messages {
          _ = message.errorCode
          _ = try? NL80211.message(message)
        }
        // The same bytes as the kernel's list of addresses.
        var driver: any SourceDriver = Source.geoip(path: "").driver
        _ = driver.handle(.stored([]), at: .piece(0))
        _ = driver.handle(.kernel(.opened), at: .piece(1))
        _ = driver.handle(.kernel(.bytes(bytes)), at: .piece(2))
      },
      Fuzzer("geoip") { bytes in
        let six: [UInt8] = [0x2A, 2] + [UInt8](repeating: 1, count: 14)
        let addresses: [[UInt8]] = [[81, 2, 69, 142], six]
        _ = GeoIPLookUp(path: "", addresses: addresses).answer(from: bytes)
      },
      Fuzzer("advert") { bytes in
        guard let advert = IBeaconAdvert(advertisingData: bytes) else { return }
        precondition(IBeaconAdvert(manufacturerData: advert.manufacturerData) == advert)
      },
      Fuzzer("beacon-bytes") { _ = IBeaconAdvert(bytes: $0) },
      Fuzzer("compass-calibration") { _ = CompassCalibration(encoded: $0) },
      Fuzzer("sensors") { bytes in
        var driver = SensorDriver(sensesMotion: true)
        _ = driver.handle(.stored([]), at: .piece(0))
        _ = driver.handle(.demand(.everything), at: .piece(1))
        _ = driver.handle(.kernel(.opened), at: .piece(2))
        for (index, part) in bytes.split(separator: 0).enumerated() {
          let readings = part.split(separator: UInt8(ascii: ";")).map { item in
            let halves = item.split(
              separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let words = halves.map { String(decoding: $0, as: UTF8.self) }
            return SysfsReading(path: words[0], text: words.count > 1 ? words[1] : "")
          }
          _ = driver.handle(.kernel(.readings(readings)), at: .piece(3 + index))
        }
        _ = driver.evidence
      },
    ]
  }
}
