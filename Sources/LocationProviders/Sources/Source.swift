package import LocationModel

/// Where fixes come from, as named in a source URL.
package indirect enum Source: Hashable, Sendable {
  /// `gpsd://HOST[:2947]`
  case gpsd(host: String, port: UInt16)
  /// gpsd on this machine, found without configuration: believed only when it runs as root or as
  /// its own user, because any program may listen on a port before it.
  case localGpsd(port: UInt16)
  /// `nmea:///dev/ttyUSB0?baud=9600`
  case nmeaSerial(path: String, baud: Int)
  /// `nmea+tcp://HOST:PORT`
  case nmeaTCP(host: String, port: UInt16)
  /// `nmea+tls://HOST:PORT[?ca=/path/to/certificates.pem]`; without `ca`, the system's certificates count.
  case nmeaTLS(host: String, port: UInt16, authorities: String? = nil)
  /// `nmea+unix:///run/gnss-share.sock`: a socket of a program on this machine.
  case nmeaUnix(path: String)
  /// `nmea+udp://[HOST]:PORT[?from=ADDRESS,…]`; without a host, only datagrams from this machine;
  /// without `from`, datagrams of any sender.
  case nmeaUDP(host: String?, port: UInt16, from: [AddressRange] = [])
  /// `gpx:///path/file.gpx?speed=2&loop=true`
  case gpx(path: String, Playback)
  /// `log:///path/receiver.log?rate=10`
  case log(path: String, rate: Double)
  /// `fixed:LAT,LON[,ACCURACY]`; the accuracy in meters.
  case fixed(Coordinate, accuracy: Double)
  /// `fixes:///path.jsonl`
  case fixes(path: String)
  /// `scans+tcp://HOST:PORT`: a program that sends what its radios receive, as lines of JSON.
  case scans(host: String, port: UInt16)
  /// `bluez:`
  case bluez
  /// `iio:`; with `motion=false` the accelerometer is read for the compass only.
  case iio(motion: Bool)
  /// `modem:`, or `modem:?assistance=/PATH` of a file of assistance data for its satellite receiver.
  case modem(assistance: String? = nil)
  /// `zone:`
  case zone
  /// `geoip:/PATH[?address=ADDRESS]`: a database of addresses; without one, this computer's own are looked up.
  case geoip(path: String, address: AddressRange? = nil)
  /// `wifi:`, or `wifi:wlan0` for one adapter.
  case wifi(adapter: String? = nil)
  /// `ichnaea:https://HOST[/PATH][?key=KEY&contact=ADDRESS]`: a location service on the network.
  case ichnaea(IchnaeaService)
  /// `geosubmit:https://HOST[/PATH][?key=KEY&contact=ADDRESS]`: a location service that receives what
  /// the radios receive on journeys, and gives nothing.
  case geosubmit(IchnaeaService)
  /// `rest=true` with a receiver: it is off between the fixes that are needed.
  case resting(Source)

  /// How a GPX file is played.
  package struct Playback: Hashable, Sendable {
    /// How many times faster than recorded: `speed=`.
    package var factor = 1.0
    /// `loop=true`, `loop=reverse`.
    package var ending = TrackPlayer.Ending.hold
    /// Seconds from each point to the next, for points without time: `each=`. Default: 20 m/s.
    package var pace = TrackPath.Pace.standard

    package init() {}
  }

  /// The source itself, or the receiver within a resting source.
  package var receiver: Source {
    if case .resting(let receiver) = self { receiver } else { self }
  }

  /// Meters. Chosen, for a `fixed:` position without an accuracy.
  package static let standardAccuracy = 5.0
  package static let gpsdPort: UInt16 = 2947
  /// Users that a gpsd found without configuration may run as; Debian's gpsd becomes the second.
  package static let gpsdUsers = ["root", "gpsd"]

  /// Whether other machines can send it positions without a list of permitted senders.
  package var acceptsAnySender: Bool {
    guard case .nmeaUDP(let host?, _, let senders) = receiver, senders.isEmpty else { return false }
    return !Self.isLoopback(host)
  }
  /// The standard speed of NMEA 0183 is 4800; receivers of this century use this one.
  package static let standardBaud = 9600
  /// The speeds of Linux's serial ports.
  package static let bauds = [
    1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600,
  ]
}

/// What is wrong with a source URL, and what is expected.
package struct SourceFault: Error, Hashable, Sendable, CustomStringConvertible {
  package var url: String
  package var problem: String
  package var expectation: String

  package var description: String { "source \"\(url)\": \(problem); expected \(expectation)" }
}
