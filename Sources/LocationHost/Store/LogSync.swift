import Glibc

/// Makes the log of a database durable beside the queue, which does not wait for the disk meanwhile.
struct LogSync: Sendable {
  let path: String

  /// Waits until all that was written to the log is on the disk.
  ///
  /// - Returns: why it is not; `nil` if it is.
  func run() -> StoreError? {
    // Only the log may be opened a second time: SQLite locks its other files, and closing a descriptor
    // would end the locks of this process.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return StoreError(last: "open \(path)") }
    defer { close(descriptor) }
    return fdatasync(descriptor) == 0 ? nil : StoreError(last: "sync \(path)")
  }
}
