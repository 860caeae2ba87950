import LocationModel

extension Source {
  /// The URL of this source, in the form in which it can be entered again.
  package var url: String {
    switch self {
    case .gpsd(let host, let port): "gpsd://\(Self.bracketed(host)):\(port)"
    case .localGpsd(let port): "gpsd://localhost:\(port)"
    case .nmeaSerial(let path, let baud): "nmea://\(Self.escaped(path))?baud=\(baud)"
    case .nmeaTCP(let host, let port): "nmea+tcp://\(Self.bracketed(host)):\(port)"
    case .nmeaUnix(let path): "nmea+unix://\(Self.escaped(path))"
    case .nmeaUDP(let host, let port, let senders):
      "nmea+udp://\(host.map(Self.bracketed) ?? ""):\(port)"
        + (senders.isEmpty ? "" : "?from=" + senders.map(\.description).joined(separator: ","))
    case .gpx(let path, let playback): "gpx://\(Self.escaped(path))\(playback.query)"
    case .log(let path, let rate):
      "log://\(Self.escaped(path))" + (rate == 1 ? "" : "?rate=\(rate)")
    case .fixed(let place, let accuracy):
      "fixed:\(place.latitude),\(place.longitude),\(accuracy)"
    case .fixes(let path): "fixes://\(Self.escaped(path))"
    case .nmeaTLS(let host, let port, let authorities):
      "nmea+tls://\(Self.bracketed(host)):\(port)"
        + (authorities.map { "?ca=\(Self.escaped($0).substituting("&", with: "%26"))" } ?? "")
    case .scans(let host, let port): "scans+tcp://\(Self.bracketed(host)):\(port)"
    case .bluez: "bluez:"
    case .modem(let assistance):
      "modem:"
        + (assistance.map { "?assistance=\(Self.escaped($0).substituting("&", with: "%26"))" } ?? "")
    case .zone: "zone:"
    case .geoip(let path, let address): Self.database(path, address?.description)
    case .iio(let motion): motion ? "iio:" : "iio:?motion=false"
    case .wifi(let adapter): "wifi:" + (adapter.map(Self.escaped) ?? "")
    case .ichnaea(let service): "ichnaea:" + service.address(showsKey: true)
    case .geosubmit(let service): "geosubmit:" + service.address(showsKey: true)
    case .resting(let receiver):
      receiver.url + (receiver.url.contains("?") ? "&" : "?") + "rest=true"
    }
  }

  /// The URL for logs: without the position, the address, or the key, that it contains.
  package var loggedURL: String {
    switch self {
    case .fixed: "fixed:‹private›"
    case .geoip(let path, .some): Self.database(path, "‹private›")
    default: shownURL
    }
  }

  /// The URL for the owner's eyes: without the key, which is not for those who help.
  package var shownURL: String {
    switch self {
    case .ichnaea(let service): "ichnaea:" + service.address(showsKey: false)
    case .geosubmit(let service): "geosubmit:" + service.address(showsKey: false)
    default: url
    }
  }

  private static func database(_ path: String, _ address: String?) -> String {
    "geoip:\(escaped(path))" + (address.map { "?address=\($0)" } ?? "")
  }

  /// Puts an IPv6 address into brackets.
  private static func bracketed(_ host: String) -> String {
    host.contains(":") ? "[\(host)]" : host
  }

  /// Escapes characters that would end a path, and spaces, which separate sources.
  private static func escaped(_ path: String) -> String {
    // By scalars: with an accent after it, a percent sign is another character.
    path.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "%": text += "%25"
      case "?": text += "%3F"
      case " ": text += "%20"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension IchnaeaService {
  /// What a source's URL says of it, with the key or without it.
  fileprivate func address(showsKey: Bool) -> String {
    let key = key.map { "key=\(showsKey ? $0 : "‹private›")" }
    let items = [key, contact.map { "contact=\($0)" }].compactMap(\.self)
    return server.url + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
  }
}

extension Source.Playback {
  /// The options that differ from the standard, as a query; empty when none does.
  fileprivate var query: String {
    var items: [String] = []
    if factor != 1 { items.append("speed=\(factor)") }
    switch ending {
    case .hold: break
    case .loop: items.append("loop=true")
    case .reverse: items.append("loop=reverse")
    }
    if case .interval(let seconds) = pace { items.append("each=\(seconds)") }
    return items.isEmpty ? "" : "?" + items.joined(separator: "&")
  }
}
