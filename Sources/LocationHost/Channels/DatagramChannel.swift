import Dispatch
import Glibc
import LocationModel
import LocationProviders

/// Open sockets for datagrams on the host's queue: each datagram by itself, with its sender looked at.
///
/// A thread of its own waits, as for a ``DescriptorChannel``. An empty datagram is nothing: it ends
/// nothing, and is not heard.
final class DatagramChannel {
  /// Closing it ends the waiting thread, which then closes what it waits for.
  private let ending: Int32

  /// Begins to read; `hear` is called on the queue with each datagram of a sender that may speak, and
  /// with how many others there were.
  ///
  /// The descriptors are the channel's from here on, also when this throws. Without senders everyone
  /// may speak.
  init(
    descriptors: [Int32], from senders: [AddressRange], on queue: DispatchQueue,
    hear: @escaping @Sendable (ChannelEvent) -> Void
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
    let line = DispatchQueue(label: "meridian.datagrams", qos: .userInitiated)
    line.async {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
      var watched = (descriptors + [end]).map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      while Self.waits(for: &watched) {
        let events = watched.dropLast().filter { $0.revents != 0 }.flatMap {
          Self.read($0.fd, from: senders, into: buffer)
        }
        guard !events.isEmpty else { continue }
        queue.sync { for event in events { hear(event) } }
      }
      buffer.deallocate()
      for descriptor in watched.map(\.fd) { close(descriptor) }
    }
  }

  /// `false` when the channel has ended, as the last one says.
  private static func waits(for watched: inout [pollfd]) -> Bool {
    while poll(&watched, nfds_t(watched.count), -1) < 0, errno == EINTR {}
    return watched.last?.revents == 0
  }

  /// Some of the datagrams that are there; whoever sends more has to wait for the others' turn.
  private static func read(
    _ descriptor: Int32, from senders: [AddressRange], into buffer: UnsafeMutableRawBufferPointer
  ) -> [ChannelEvent] {
    var events: [ChannelEvent] = []
    var strangers = 0
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
        strangers += 1
      } else if count > 0 {
        events.append(.datagram([UInt8](buffer[..<count])))
      }
    }
    return strangers > 0 ? events + [.strangers(strangers)] : events
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

  /// The address alone; none of a family that is not the Internet's.
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

  /// Datagrams. Chosen: well under a millisecond of work.
  private static let mostPerTurn = 64
}
