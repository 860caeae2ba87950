package import LocationModel

/// Where a provider's bytes come from. A pure target describes it; the host opens it.
package enum Channel: Hashable, Sendable {
  /// A serial port; `baud` is `nil` to leave the speed as it is.
  case serial(path: String, baud: Int?)
  case tcp(host: String, port: Int)
  /// TCP with TLS to a server whose certificate is checked, with the certificates of a file or the system's.
  case tls(host: String, port: Int, authorities: String?)
  /// A port of this machine; its server is believed only if it runs as root or one of these users.
  case local(port: Int, users: [String])
  /// A stream socket of this machine, at a path.
  case unix(path: String)
  /// Datagrams to this address, or to the loopback alone; from the senders in `from`, or from any.
  case udp(host: String?, port: Int, from: [AddressRange] = [])
  /// A whole file, from its beginning to its end.
  case file(path: String)
  /// The target of the link that names the computer's time zone, and then its end.
  case timeZone
  /// The system bus of D-Bus.
  case systemBus
  /// The kernel's sensors, `/sys/bus/iio/devices`, read on request.
  case sensors
  /// The kernel's generic netlink: its answers to requests, and the events of these groups.
  case netlink(groups: [UInt32])
  /// The kernel's list of the addresses of this computer, on request, and its changes.
  case addresses
  /// One request to a server that the owner has named; the only event is the answer.
  case web(WebRequest)
  /// A look-up in a database of addresses; the only event is the answer.
  case look(GeoIPLookUp)
  /// A file that the owner names, of which at most so many bytes are wanted; the only event is its contents.
  case contents(path: String, most: Int)

  /// Whether it leads to the kernel, or to a file beside the bus; such a channel may be open beside another one.
  package var isKernel: Bool {
    switch self {
    case .sensors, .netlink, .addresses, .contents: true
    case .serial, .tcp, .tls, .local, .unix, .udp, .file, .timeZone, .systemBus, .web, .look: false
    }
  }
}

/// Identifies one opening of a channel; an event of an earlier opening is stale.
package struct ChannelID: Hashable, Comparable, Sendable {
  package var provider: ProviderID
  /// Counts the openings of this provider.
  package var opening: Int

  package init(provider: ProviderID, opening: Int) {
    self.provider = provider
    self.opening = opening
  }

  package static func < (left: ChannelID, right: ChannelID) -> Bool {
    (left.provider, left.opening) < (right.provider, right.opening)
  }
}

/// An event of a channel.
package enum ChannelEvent: Hashable, Sendable {
  case opened
  case bytes([UInt8])
  /// The bytes of one datagram; a sentence does not continue in the next one.
  case datagram([UInt8])
  /// The number of datagrams that came from senders that are not permitted.
  case unknownSenders(Int)
  /// An event of the bus.
  case bus(BusEvent)
  /// The contents of files of the kernel.
  case readings([SysfsReading])
  /// The answer to a request on the web. No event follows.
  case answer(WebAnswer)
  /// The answer to a look-up. No event follows.
  case places(GeoIPAnswer)
  /// The contents of a file; one byte more than is wanted of a longer one. No event follows.
  case contents([UInt8])
  /// The channel could not be opened, or it ended. No event follows.
  case closed(ChannelEnd)
}

/// Why a channel is closed.
package enum ChannelEnd: Hashable, Sendable {
  /// The file was read to its end, or the peer hung up.
  case ended
  /// It does not exist: no such file, no such device, no such host.
  case missing(String)
  /// The system denies access.
  case noPermission(String)
  /// No network, or none that leads to the host.
  case noNetwork(String)
  /// Nothing listens, the device was unplugged.
  case failed(String)
}
