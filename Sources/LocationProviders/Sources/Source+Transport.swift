import LocationModel

extension Source {
  /// How what comes over a network is protected.
  package enum Transport: String, Hashable, Sendable {
    /// From this machine to itself.
    case loopback
    /// Encrypted, from a server whose certificate is checked.
    case tls
    /// Readable and forgeable by whoever is on the way.
    case plain
  }

  /// How the source is protected on its way; `nil` where it comes over no network.
  package var transport: Transport? {
    switch receiver {
    case .gpsd(let host, _), .nmeaTCP(let host, _), .scans(let host, _):
      Self.isLoopback(host) ? .loopback : .plain
    case .nmeaUDP(let host, _, _): host.map(Self.isLoopback) ?? true ? .loopback : .plain
    case .localGpsd: .loopback
    case .nmeaTLS: .tls
    case .ichnaea(let service), .geosubmit(let service):
      service.server.url.hasPrefix("https:") ? .tls : .loopback
    case .nmeaSerial, .nmeaUnix, .gpx, .log, .fixed, .fixes, .geoip, .bluez, .iio, .modem,
      .zone, .wifi, .resting:
      nil
    }
  }

  static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || AddressRange(host).map(\.isLoopback) ?? false
  }
}
