import LocationModel
import LocationProviders
import Testing

@Suite("A source URL")
struct SourceURLTests {
  private static func gpx(
    _ path: String, factor: Double = 1, ending: TrackPlayer.Ending = .hold,
    pace: TrackPath.Pace = .standard
  ) -> Source {
    var playback = Source.Playback()
    (playback.factor, playback.ending, playback.pace) = (factor, ending, pace)
    return .gpx(path: path, playback)
  }

  private static let zurich = Coordinate(latitude: 47.37, longitude: -8.54)

  @Test(
    "names every kind of source",
    arguments: [
      ("gpsd://localhost", .gpsd(host: "localhost", port: 2947)),
      ("GPSD://10.0.0.1:3000/", .gpsd(host: "10.0.0.1", port: 3000)),
      ("gpsd://[::1]", .gpsd(host: "::1", port: 2947)),
      ("gpsd://[fe80::1%25eth0]:1", .gpsd(host: "fe80::1%eth0", port: 1)),
      ("nmea:///dev/ttyUSB0", .nmeaSerial(path: "/dev/ttyUSB0", baud: 9600)),
      ("nmea:/dev/ttyS0?baud=115200", .nmeaSerial(path: "/dev/ttyS0", baud: 115_200)),
      ("nmea+tcp://boat:10110", .nmeaTCP(host: "boat", port: 10110)),
      ("nmea+tls://boat:10111", .nmeaTLS(host: "boat", port: 10111)),
      (
        "nmea+tls://[fe80::1]:1?ca=/etc/a%26b.pem",
        .nmeaTLS(host: "fe80::1", port: 1, authorities: "/etc/a&b.pem")
      ),
      ("nmea+unix:///run/gnss-share.sock", .nmeaUnix(path: "/run/gnss-share.sock")),
      ("nmea+udp://:10110", .nmeaUDP(host: nil, port: 10110)),
      (
        "nmea+udp://:10110?from=10.0.0.0/8,::1&rest=true",
        .resting(
          .nmeaUDP(
            host: nil, port: 10110,
            from: ["10.0.0.0/8", "::1"].compactMap { AddressRange($0) }))
      ),
      ("nmea+udp://239.1.1.1:10110", .nmeaUDP(host: "239.1.1.1", port: 10110)),
      ("gpx:///a%20walk.gpx", gpx("/a walk.gpx")),
      ("gpx:///w.gpx?speed=2.5&loop=true", gpx("/w.gpx", factor: 2.5, ending: .loop)),
      ("gpx:///w.gpx?loop", gpx("/w.gpx", ending: .loop)),
      ("gpx:///w.gpx?loop=reverse&each=1", gpx("/w.gpx", ending: .reverse, pace: .interval(1))),
      ("gpx:///w.gpx?loop=false", gpx("/w.gpx")),
      ("log:///var/log/r.log", .log(path: "/var/log/r.log", rate: 1)),
      ("log:///r.log?rate=0.5", .log(path: "/r.log", rate: 0.5)),
      ("fixed:47.37,-8.54", .fixed(zurich, accuracy: 5)),
      ("fixed:47.37,-8.54,12.5", .fixed(zurich, accuracy: 12.5)),
      ("fixed:0,0", .fixed(Coordinate(latitude: 0, longitude: 0), accuracy: 5)),
      ("fixes:///f%C3%A9.jsonl", .fixes(path: "/fé.jsonl")),
      ("bluez:", .bluez), ("modem:", .modem()), ("zone:", .zone),
      ("modem:?assistance=/var/lib/a%3Fb%26c.bin", .modem(assistance: "/var/lib/a?b&c.bin")),
      ("geoip:/var/lib/a.mmdb", .geoip(path: "/var/lib/a.mmdb")),
      (
        "geoip:///a%3Fb.mmdb?address=2a02:8208::1",
        .geoip(path: "/a?b.mmdb", address: AddressRange("2a02:8208::1"))
      ),
      ("iio:", .iio(motion: true)),
      ("iio:?motion=no", .iio(motion: false)),
      ("wifi:", .wifi()), ("wifi:wlan0", .wifi(adapter: "wlan0")),
      ("gpsd://h?rest=true", .resting(.gpsd(host: "h", port: 2947))),
      (
        "nmea:///dev/ttyS0?baud=4800&rest", .resting(.nmeaSerial(path: "/dev/ttyS0", baud: 4800))
      ),
      ("nmea+udp://:10110?rest=no", .nmeaUDP(host: nil, port: 10110)),
    ] as [(String, Source)])
  func kinds(url: String, source: Source) throws {
    #expect(try Source(url: url) == source)
  }

  @Test("is read again as it is written where an accent follows a percent sign")
  func accentAfterPercent() throws {
    for url in ["wifi:%25\u{653}", "gpx:///%25\u{301}.gpx", "nmea:///dev/a%3F\u{301}"] {
      let source = try Source(url: url)
      #expect(try Source(url: source.url) == source, "\(source.url)")
    }
  }

  @Test(
    "says what is wrong and what is expected",
    arguments: [
      ("", "there is no scheme"), ("localhost", "there is no scheme"),
      ("http://localhost", "\"http\" is not a scheme"), (":x", "\"\" is not a scheme"),
      ("gpsd:", "there is no //HOST"), ("gpsd://", "there is no host"),
      ("gpsd://:2947", "there is no host"), ("gpsd://h:0", "\"0\" is not a port"),
      ("gpsd://h:65536", "\"65536\" is not a port"), ("gpsd://h:", "\"\" is not a port"),
      ("gpsd://h:x", "\"x\" is not a port"), ("gpsd://::1", "there are several colons"),
      ("gpsd://[::1", "the bracket of the address is not closed"),
      ("gpsd://[::1]x", "\"x\" follows the address"),
      ("nmea+udp://a%2fb:1", "\"a/b\" is not the name or address of a host"),
      ("gpsd://a b", "\"a b\" is not the name or address of a host"),
      ("gpsd://h/x", "a path has no meaning here"),
      ("gpsd://h?x=1", "\"x\" is not known"), ("nmea+tcp://h", "there is no port"),
      ("gpsd://h?rest=3", "rest cannot be \"3\""),
      ("iio:?motion=2", "motion cannot be \"2\""),
      ("nmea+udp://", "there is no port"),
      ("nmea+udp://:1?from=boat", "\"boat\" is not an address"),
      ("nmea+udp://:1?from=", "\"\" is not an address"), ("nmea+tcp://:1", "there is no host"),
      ("nmea://dev/ttyUSB0", "\"dev\" stands where a host would"),
      ("nmea:", "there is no absolute path"), ("nmea:///", "there is no absolute path"),
      ("nmea:ttyS0", "there is no absolute path"),
      ("nmea:///dev/x?baud=9601", "\"9601\" is not a baud rate"),
      ("nmea:///dev/x?speed=9600", "\"speed\" is not known"),
      ("gpx:walk.gpx", "there is no absolute path"),
      ("gpx:///w?speed=0", "speed cannot be \"0\""), ("gpx:///w?speed=x", "speed cannot be \"x\""),
      ("gpx:///w?speed=nan", "speed cannot be \"nan\""),
      ("gpx:///w?speed=1&speed=2", "\"speed\" is given twice"),
      ("gpx:///w?loop=maybe", "loop cannot be \"maybe\""),
      ("log:///r?rate=-1", "rate cannot be \"-1\""),
      ("fixed:47", "there must be two or three numbers"),
      ("fixed://47,8", "there must be two or three numbers"),
      ("fixed:47;8,1", "\"47;8\" is not a number"), ("fixed:91,8", "the latitude is out of range"),
      ("fixed:1,181", "the longitude is out of range"),
      ("fixed:1,2,0", "the accuracy is not positive"), ("fixed:nan,0", "\"nan\" is not a number"),
      ("bluez://x", "nothing may follow the scheme"),
      ("geoclue:", "\"geoclue\" is not a scheme"),
      ("wifi://wlan0", "\"wlan0\" is not the name of an adapter"),
      ("wifi:a/b", "\"a/b\" is not the name of an adapter"),
      ("geoip:", "there is no absolute path"), ("geoip:a.mmdb", "there is no absolute path"),
      ("geoip:/a?address=10.0.0.0/8", "\"10.0.0.0/8\" is not an address"),
      ("geoip:/a?address=here", "\"here\" is not an address"),
      ("geoip:/a?city=1", "\"city\" is not known"),
      ("modem:x", "nothing but a query may follow the scheme"),
      ("modem:?server=x", "\"server\" is not known"),
      ("modem:?assistance=x.bin", "the path of assistance must begin with a slash"),
      ("modem:?assistance=", "the path of assistance must begin with a slash"),
      ("iio:accel", "nothing but a query may follow the scheme"),
      ("gpx:///a%2", "\"%2\" is not a percent escape"),
      ("gpx:///a%zz", "\"%zz\" is not a percent escape"),
      ("gpx:///a%00", "\"%00\" is not a percent escape"),
      ("gpx:///%ff", "the escapes are not UTF-8"),
    ])
  func mistakes(url: String, problem: String) throws {
    let fault = try #require(throws: SourceFault.self) { try Source(url: url) }
    #expect(fault.problem == problem)
    #expect(!fault.expectation.isEmpty)
    #expect(fault.description.contains("expected "))
  }
}
