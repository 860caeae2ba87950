import LocationModel
import LocationProviders

extension Source {
  /// The machine that serves this source.
  var driver: any SourceDriver {
    switch self {
    case .gpsd(let host, let port): GpsdDriver(channel: .tcp(host: host, port: Int(port)))
    case .nmeaSerial(let path, let baud): NMEADriver(channel: .serial(path: path, baud: baud))
    case .nmeaTCP(let host, let port): NMEADriver(channel: .tcp(host: host, port: Int(port)))
    case .nmeaUDP(let host, let port): NMEADriver(channel: .udp(host: host, port: Int(port)))
    case .fixed(let coordinate, let accuracy): FixedDriver(coordinate, accuracy: accuracy)
    case .gpx(let path, let playback):
      PlaybackDriver(path: path) { bytes throws(PlaybackFault) in
        try .track(TrackPlayer(gpx: bytes, playback))
      }
    case .log(let path, let rate):
      PlaybackDriver(path: path) { bytes throws(PlaybackFault) in Player(log: bytes, rate: rate) }
    case .fixes(let path):
      PlaybackDriver(path: path) { bytes throws(PlaybackFault) in
        try .fixes(FixesPlayer(lines: bytes))
      }
    case .geoclue: UnsupportedDriver(name: "GeoClue")
    case .bluez: BlueZDriver()
    case .iio: SensorDriver()
    case .resting(let receiver): RestingDriver(receiver.driver)
    }
  }

  /// Whether positions may come of it.
  var givesPositions: Bool {
    switch self {
    case .bluez, .iio: false
    case .resting(let receiver): receiver.givesPositions
    case .gpsd, .nmeaSerial, .nmeaTCP, .nmeaUDP, .gpx, .log, .fixed, .fixes, .geoclue: true
    }
  }

  private typealias Player = PlaybackDriver.Player
}

extension TrackPlayer {
  fileprivate init(gpx bytes: [UInt8], _ playback: Source.Playback) throws(PlaybackFault) {
    let document: GPXDocument
    do throws(GPXFault) { document = try GPXReader.read(bytes) } catch {
      throw PlaybackFault(cause: "\(error)")
    }
    let path = TrackPath(document, pace: playback.pace)
    guard !path.isEmpty else { throw PlaybackFault(cause: "there is no point in it") }
    self.init(path, factor: playback.factor, ending: playback.ending)
  }
}

extension FixesPlayer {
  fileprivate init(lines bytes: [UInt8]) throws(PlaybackFault) {
    let contents = FixesFile.read(bytes)
    guard !contents.fixes.isEmpty else {
      throw PlaybackFault(cause: contents.faults.first.map { "\($0)" } ?? "no fixes in it")
    }
    self.init(contents.fixes)
  }
}

extension PlaybackDriver.Player {
  /// A log of gpsd's reports begins with a brace; anything else is a receiver's own language.
  fileprivate init(log bytes: [UInt8], rate: Double) {
    let player = LogPlayer(bytes, rate: rate)
    let firstLine = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 64).first {
      $0.first != UInt8(ascii: "#")
    }
    if firstLine?.first == UInt8(ascii: "{") {
      self = .reports(player, GpsdClient.listeningToLog())
    } else {
      self = .log(player, NMEAListener(origin: Fix.Origin()))
    }
  }
}

extension GpsdClient {
  /// A client that has been greeted already, as a log need not begin with a greeting.
  fileprivate static func listeningToLog() -> GpsdClient {
    let begin = Moment(uptime: .start, unixTime: UnixTime(nanoseconds: 0))
    var client = GpsdClient()
    let greeting = #"{"class":"VERSION","release":"log","proto_major":3,"proto_minor":0}"# + "\n"
    for input in [Input.wake, .connected, .bytes(Array(greeting.utf8))] {
      _ = client.handle(input, at: begin)
    }
    return client
  }
}
