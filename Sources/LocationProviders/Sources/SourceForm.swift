/// How the URLs of one kind of source are written, for a person: the manual has them all.
package struct SourceForm: Hashable, Sendable {
  package var scheme: String
  /// The URL with what may be in it.
  package var form: String
  /// What it is, as a sentence without its period.
  package var summary: String

  private init(_ scheme: String, _ rest: String, _ summary: String) {
    (self.scheme, form, self.summary) = (scheme, "\(scheme):\(rest)", summary)
  }

  /// Every kind, receivers first.
  package static let all: [SourceForm] = [
    SourceForm("gpsd", "//HOST[:PORT]", "gpsd; the port is 2947 unless given"),
    SourceForm(
      "nmea", "///DEVICE[?baud=RATE]", "NMEA 0183 on a serial port; the rate is 9600 unless given"),
    SourceForm("nmea+tcp", "//HOST:PORT", "NMEA 0183 on the network"),
    SourceForm(
      "nmea+tls", "//HOST:PORT[?ca=/FILE]",
      "the same over TLS; the certificate must be for HOST, and signed by an authority of the file, or "
        + "without one of the system"),
    SourceForm(
      "nmea+udp", "//[ADDRESS]:PORT[?from=SENDER,...]",
      "NMEA 0183 in datagrams of this machine, or with an address those that are sent to it; from names "
        + "who may send: addresses, or ranges such as 10.0.0.0/8"),
    SourceForm("nmea+unix", "///PATH", "NMEA 0183 from a socket of this machine"),
    SourceForm(
      "gpx", "///FILE[?speed=FACTOR&loop=true|reverse&each=SECONDS]",
      "a GPX track, so many times faster, over again or back and forth, with so many seconds from point to "
        + "point where they have no time"),
    SourceForm("log", "///FILE[?rate=FACTOR]", "a recorded log of a receiver or gpsd"),
    SourceForm("fixed", "LATITUDE,LONGITUDE[,METERS]", "one place, and how accurate it is"),
    SourceForm("fixes", "///FILE", "recorded fixes, as lines of JSON"),
    SourceForm(
      "scans+tcp", "//HOST:PORT",
      "what the radios of another program receive, as lines of JSON, for the learned map"),
    SourceForm(
      "bluez", "", "beacons, for apps that range or monitor them, and then for the learned map"),
    SourceForm(
      "modem", "[?assistance=/FILE]",
      "the cells of modems and their satellite receivers, to which assistance gives a file of assistance data"
    ),
    SourceForm(
      "iio", "[?motion=false]",
      "the kernel's compass, accelerometer (for motion, unless that is false), and barometer"),
    SourceForm(
      "wifi", "[ADAPTER]", "what the Wi-Fi adapters hear, or one of them, for the learned map"),
    SourceForm(
      "ichnaea", "https://HOST[?key=KEY&contact=ADDRESS]",
      "a location service, which is asked where access points and cells are that the map does not know"
    ),
    SourceForm(
      "geosubmit", "https://HOST[?key=KEY&contact=ADDRESS]",
      "a location service, to which what the radios receive on journeys is given; no source of positions"
    ),
    SourceForm(
      "zone", "",
      "the region of the time zone, for requests that accept any position, when no other source has one"
    ),
    SourceForm(
      "geoip", "/FILE[?address=ADDRESS]",
      "the same by the public address of the network, in a database of a file"),
  ]

  /// Of all kinds together: what a receiver's URL may have, and how letters are escaped.
  package static let common =
    "A receiver (gpsd: to nmea+unix:) with ?rest=true, or &rest=true after another option, is closed between "
    + "two fixes when the next one is needed in 20 seconds or more. Letters that mean something else are "
    + "escaped: %20 is a space, %25 is %."
}
