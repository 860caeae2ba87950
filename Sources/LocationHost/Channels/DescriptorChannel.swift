import Dispatch
import Glibc
import LocationModel
import LocationProviders

/// Reads and writes an open descriptor on the host's queue.
///
/// A separate thread waits for the descriptor, reads, and enters the queue itself, so that a byte
/// wakes one thread on its way to the engine, not two. Never leaves the host.
final class DescriptorChannel {
  let descriptor: Int32
  /// Closing it ends the waiting thread, which then closes its descriptors.
  private let ending: Int32
  private var writer: BufferedWriter

  /// Begins to read; `receive` is called on the queue with all bytes, and finally with `.closed` when
  /// no more will come.
  ///
  /// The channel owns the descriptor from here on, even if this throws.
  init(
    descriptor: Int32, on queue: DispatchQueue, receive: @escaping @Sendable (ChannelEvent) -> Void
  ) throws(Errno) {
    self.descriptor = descriptor
    writer = BufferedWriter(descriptor)
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      let failure = Errno(last: "pipe")
      close(descriptor)
      throw failure
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    ending = ends[1]
    let end = ends[0]
    let reader = DispatchQueue(label: "meridian.reader", qos: .userInitiated)
    reader.async {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
      var watched = [descriptor, end].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      while Self.waits(for: &watched) {
        guard let event = Self.read(descriptor, into: buffer) else { continue }
        queue.sync { receive(event) }
      }
      buffer.deallocate()
      close(descriptor)
      close(end)
    }
  }

  /// Waits until the first descriptor is readable; returns `false` if the channel has ended, as the
  /// second shows.
  private static func waits(for watched: inout [pollfd]) -> Bool {
    while poll(&watched, 2, -1) < 0, errno == EINTR {}
    return watched[1].revents == 0
  }

  /// Reads what is available, at most as much as the buffer holds.
  ///
  /// Returns `nil` if there is nothing yet, and a `.closed` event if no more will come.
  private static func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
  ) -> ChannelEvent? {
    let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    if count > 0 { return .bytes([UInt8](buffer[..<count])) }
    if count == 0 { return .closed(.ended) }
    switch errno {
    case EAGAIN, EINTR: return nil
    case EIO: return .closed(.failed("the device was unplugged"))
    default: return .closed(.failed(Errno(last: "read").reason))
    }
  }

  /// Whether nothing waits to be written.
  var isWritten: Bool { writer.isEmpty }

  /// Writes now what can be written, and the rest when there is room.
  func write(_ bytes: [UInt8], on queue: DispatchQueue, writable: @escaping @Sendable () -> Void) {
    _ = writer.write(bytes, on: queue, writable: writable)
  }

  /// Writes waiting bytes after the descriptor has room again.
  func flush() { writer.flush() }

  func end() {
    writer.end()
    close(ending)
  }
}
