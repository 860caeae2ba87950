import Dispatch
import Glibc
import LocationModel
import LocationProviders

/// Open sockets on the host's queue that deliver each datagram by itself and check its sender.
///
/// A separate thread waits, as for a ``DescriptorChannel``. An empty datagram is ignored, and does
/// not end the channel.
final class DatagramChannel {
  /// Closing it ends the waiting thread, which then closes its descriptors.
  private let ending: Int32

  /// Begins to read; `receive` is called on the queue with each datagram of an allowed sender, and
  /// with the number of other datagrams.
  ///
  /// The channel owns the descriptors from here on, even if this throws. If `senders` is empty,
  /// every sender is allowed.
  init(
    descriptors: [Int32], from senders: [AddressRange], on queue: DispatchQueue,
    receive: @escaping @Sendable (ChannelEvent) -> Void
  ) throws(Errno) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      let failure = Errno(last: "pipe")
      for descriptor in descriptors { close(descriptor) }
      throw failure
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    ending = ends[1]
    let end = ends[0]
    let reader = DispatchQueue(label: "meridian.datagrams", qos: .userInitiated)
    reader.async {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
      var watched = (descriptors + [end]).map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      while Self.waits(for: &watched) {
        let events = watched.dropLast().filter { $0.revents != 0 }.flatMap {
          Self.read($0.fd, from: senders, into: buffer)
        }
        guard !events.isEmpty else { continue }
        queue.sync { for event in events { receive(event) } }
      }
      buffer.deallocate()
      for descriptor in watched.map(\.fd) { close(descriptor) }
    }
  }

  /// Waits for a datagram; returns `false` if the channel has ended, as the last descriptor shows.
  private static func waits(for watched: inout [pollfd]) -> Bool {
    while poll(&watched, nfds_t(watched.count), -1) < 0, errno == EINTR {}
    return watched.last?.revents == 0
  }

  /// Reads a bounded number of datagrams, so that a flood does not delay other work.
  private static func read(
    _ descriptor: Int32, from senders: [AddressRange], into buffer: UnsafeMutableRawBufferPointer
  ) -> [ChannelEvent] {
    var events: [ChannelEvent] = []
    var unknownSenders = 0
    for _ in 0..<mostPerTurn {
      var sender = sockaddr_storage()
      let count = receive(descriptor, into: buffer, from: &sender)
      guard count >= 0 else {
        if ![EAGAIN, EINTR, ECONNREFUSED].contains(errno) {
          events.append(.closed(.failed(Errno(last: "recvfrom").description)))
        }
        break
      }
      let address = bytes(of: sender)
      if !senders.isEmpty, !senders.contains(where: { $0.contains(address) }) {
        unknownSenders += 1
      } else if count > 0 {
        events.append(.datagram([UInt8](buffer[..<count])))
      }
    }
    return unknownSenders > 0 ? events + [.unknownSenders(unknownSenders)] : events
  }

  private static func receive(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer,
    from sender: inout sockaddr_storage
  ) -> Int {
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &sender) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        recvfrom(
          descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT), $0, &length)
      }
    }
  }

  /// Returns the bytes of the address; empty for a family other than the Internet's.
  private static func bytes(of sender: sockaddr_storage) -> [UInt8] {
    withUnsafeBytes(of: sender) { raw in
      switch Int32(sender.ss_family) {
      case AF_INET: [UInt8](raw[4..<8])
      case AF_INET6: [UInt8](raw[8..<24])
      default: []
      }
    }
  }

  func end() { close(ending) }

  /// The most datagrams in one turn. Chosen: well under a millisecond of work.
  private static let mostPerTurn = 64
}
