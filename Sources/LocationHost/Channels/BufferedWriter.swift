package import Dispatch
import Glibc

/// Bytes on their way into a descriptor that does not block: what cannot be written now waits until there
/// is room.
package struct BufferedWriter {
  private let descriptor: Int32
  /// Waits for room while there are unwritten bytes.
  private var source: (any DispatchSourceWrite)?
  private var unwritten: [UInt8] = []

  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// The number of bytes that wait.
  package var count: Int { unwritten.count }

  package var isEmpty: Bool { unwritten.isEmpty }

  /// Writes now what can be written; for the rest, `writable` is called on the queue when there is room,
  /// and is to call ``flush()``.
  ///
  /// - Returns: `false` if more than `limit` bytes would have to wait, or room cannot be waited for.
  package mutating func write(
    _ bytes: [UInt8], limit: Int = .max, on queue: DispatchQueue,
    writable: @escaping @Sendable () -> Void
  ) -> Bool {
    unwritten += bytes
    flush()
    guard unwritten.count <= limit else { return false }
    guard !unwritten.isEmpty, source == nil else { return true }
    let twin = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard twin >= 0 else { return false }
    let source = DispatchSource.makeWriteSource(fileDescriptor: twin, queue: queue)
    source.setEventHandler(handler: writable)
    source.setCancelHandler { close(twin) }
    source.activate()
    self.source = source
    return true
  }

  /// Writes waiting bytes after the descriptor has room again.
  package mutating func flush() {
    while !unwritten.isEmpty {
      let count = unwritten.withUnsafeBytes { bytes in
        let sent = send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        guard sent < 0, errno == ENOTSOCK else { return sent }
        return Glibc.write(descriptor, bytes.baseAddress, bytes.count)
      }
      guard count > 0 else { return }
      unwritten.removeFirst(count)
    }
    source?.cancel()
    source = nil
  }

  /// Waits for room no more; the descriptor stays open.
  package mutating func end() { source?.cancel() }
}
