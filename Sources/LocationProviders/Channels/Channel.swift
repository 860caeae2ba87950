package import LocationModel

/// Where a provider's bytes come from. A pure target names it; the host opens it.
package enum Channel: Hashable, Sendable {
  /// A serial port; `baud` is `nil` to leave the speed as it is.
  case serial(path: String, baud: Int?)
  case tcp(host: String, port: Int)
  /// A port of this machine; only a program that runs as root or as one of these users is believed.
  case local(port: Int, users: [String])
  /// Datagrams to this address, or to the loopback alone; `from` these senders, or from any.
  case udp(host: String?, port: Int, from: [AddressRange] = [])
  /// A whole file, from its beginning to its end.
  case file(path: String)
  /// The D-Bus of the whole machine.
  case systemBus
  /// The kernel's sensors, `/sys/bus/iio/devices`, read when asked.
  case sensors
}

/// Names one opening of a channel; an event of an earlier opening is stale.
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

/// What happens on a channel.
package enum ChannelEvent: Hashable, Sendable {
  case opened
  case bytes([UInt8])
  /// What one datagram holds: nothing of it goes on in another one.
  case datagram([UInt8])
  /// So many datagrams came from senders that may not speak.
  case strangers(Int)
  /// Something was said on the bus.
  case bus(BusEvent)
  /// What files of the kernel say.
  case readings([SysfsReading])
  /// It could not be opened, or it ended. After this nothing more comes.
  case closed(ChannelEnd)
}

/// Why a channel is closed.
package enum ChannelEnd: Hashable, Sendable {
  /// The file was read to its end, or the peer hung up.
  case ended
  /// Nothing is there: no such file, no such device, no such host.
  case missing(String)
  /// The system refuses.
  case noPermission(String)
  /// Nothing listens, the device was unplugged, the network is down.
  case failed(String)
}
