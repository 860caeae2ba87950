package import LocationModel

extension Source {
  /// The machine that serves this source.
  package var driver: any SourceDriver {
    switch self {
    case .gpsd(let host, let port): GpsdDriver(channel: .tcp(host: host, port: Int(port)))
    case .localGpsd(let port):
      GpsdDriver(channel: .local(port: Int(port), users: Source.gpsdUsers))
    case .nmeaSerial(let path, let baud): NMEADriver(channel: .serial(path: path, baud: baud))
    case .nmeaTLS(let host, let port, let authorities):
      NMEADriver(channel: .tls(host: host, port: Int(port), authorities: authorities))
    case .nmeaTCP(let host, let port): NMEADriver(channel: .tcp(host: host, port: Int(port)))
    case .nmeaUnix(let path): NMEADriver(channel: .unix(path: path))
    case .nmeaUDP(let host, let port, let senders):
      NMEADriver(channel: .udp(host: host, port: Int(port), from: senders))
    case .fixed(let coordinate, let accuracy): FixedDriver(coordinate, accuracy: accuracy)
    case .gpx(let path, let playback):
      PlaybackDriver(path: path) { bytes throws(PlaybackFault) in
        try Contents(gpx: bytes, playback)
      }
    case .log(let path, let rate):
      PlaybackDriver(path: path) { bytes throws(PlaybackFault) in
        try Contents(log: bytes, rate: rate)
      }
    case .fixes(let path):
      PlaybackDriver(path: path) { bytes throws(PlaybackFault) in
        try Contents(lines: bytes)
      }
    case .scans(let host, let port): ScansDriver(channel: .tcp(host: host, port: Int(port)))
    case .bluez: BlueZDriver()
    case .modem(let assistance): ModemDriver(assistance: assistance)
    case .zone: ZoneDriver()
    case .geoip(let path, let address): GeoIPDriver(path: path, address: address?.single)
    case .iio(let motion): SensorDriver(sensesMotion: motion)
    case .wifi(let adapter): WiFiDriver(adapter: adapter)
    case .ichnaea(let service): IchnaeaDriver(service)
    case .geosubmit(let service): GeosubmitDriver(service)
    case .resting(let receiver): RestingDriver(receiver.driver)
    }
  }

  /// Whether the source can deliver positions.
  package var givesPositions: Bool { tier != nil }

  /// Whether it sends others what the radios of this computer receive, with the place.
  package var submits: Bool { if case .geosubmit = self { true } else { false } }

  /// What its positions cost; `nil` without positions. Recordings are those of receivers, and a
  /// fixed position costs nothing. A region is no position for those that need one.
  package var tier: PositionTier? {
    switch self {
    case .bluez, .geoip, .geosubmit, .iio, .zone: nil
    case .resting(let receiver): receiver.tier
    case .fixed, .modem: .cell
    case .ichnaea, .scans, .wifi: .network
    case .gpsd, .localGpsd, .nmeaSerial, .nmeaTCP, .nmeaTLS, .nmeaUDP, .nmeaUnix, .gpx,
      .log, .fixes:
      .satellite
    }
  }

  private typealias Contents = PlaybackDriver.Contents
}

extension PlaybackDriver.Contents {
  fileprivate init(gpx bytes: [UInt8], _ playback: Source.Playback) throws(PlaybackFault) {
    let document: GPXDocument
    do throws(GPXFault) { document = try GPXReader.read(bytes) } catch {
      throw PlaybackFault(cause: "\(error)")
    }
    let path = TrackPath(document, pace: playback.pace)
    guard !path.isEmpty else { throw PlaybackFault(cause: "there is no point in it") }
    player = .track(TrackPlayer(path, factor: playback.factor, ending: playback.ending))
    losses = SourceRejection.counting(document.warnings.map { ("\($0.cause)", $0.line) })
    if document.unwarned > 0 {
      losses.append(
        SourceRejection(reason: "more points without a place", count: document.unwarned))
    }
  }

  fileprivate init(log bytes: [UInt8], rate: Double) throws(PlaybackFault) {
    player = PlaybackDriver.Player(log: bytes, rate: rate)
    guard case .log = player, !NMEASentenceReader.hasSentence(bytes) else { return }
    throw PlaybackFault(cause: "there is no NMEA sentence and no report of gpsd in it")
  }

  fileprivate init(lines bytes: [UInt8]) throws(PlaybackFault) {
    let contents = FixesFile.read(bytes)
    guard !contents.fixes.isEmpty else {
      throw PlaybackFault(cause: contents.faults.first.map { "\($0)" } ?? "no fixes in it")
    }
    player = .fixes(FixesPlayer(contents.fixes))
    losses = SourceRejection.counting(contents.faults.map { ("\($0.cause)", $0.line) })
  }
}

extension SourceRejection {
  /// Counts losses by cause, in the order of the file, with the line of the first.
  fileprivate static func counting(_ losses: [(cause: String, line: Int)]) -> [SourceRejection] {
    var causes: [String] = []
    for loss in losses where !causes.contains(loss.cause) { causes.append(loss.cause) }
    return causes.map { cause in
      let lines = losses.filter { $0.cause == cause }.map(\.line)
      let place = lines.count > 1 ? "first in line" : "line"
      return SourceRejection(reason: "\(cause) (\(place) \(lines[0]))", count: lines.count)
    }
  }
}

extension NMEASentenceReader {
  /// Whether bytes have a sentence: an address of four to six capital letters and digits, and a field.
  fileprivate static func hasSentence(_ bytes: [UInt8]) -> Bool {
    var (reader, index) = (NMEASentenceReader(), 0)
    while let event = reader.next(in: bytes, from: &index) {
      guard case .sentence = event, reader.line.fieldCount > 1 else { continue }
      let length = reader.line.length(of: 0)
      let isAddress = (0..<length).allSatisfy {
        let byte = reader.line.byte(0, $0)
        return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      }
      if (4...6).contains(length), isAddress { return true }
    }
    return false
  }
}

extension PlaybackDriver.Player {
  /// Detects the protocol: a log of gpsd's reports begins with a brace; any other is a receiver's.
  fileprivate init(log bytes: [UInt8], rate: Double) {
    let player = LogPlayer(bytes, rate: rate)
    let firstLine = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 64).first {
      $0.first != UInt8(ascii: "#")
    }
    if firstLine?.first == UInt8(ascii: "{") {
      self = .reports(player, GpsdClient(readingLogFrom: .start))
    } else {
      self = .log(player, NMEAListener(origin: Fix.Origin()))
    }
  }
}
