import Glibc

/// Makes the log of a database durable beside the queue, which does not wait for the disk meanwhile.
///
/// The file stays open: of an error of the disk each descriptor learns once, and a new one only what no other has.
final class LogSync: Sendable {
  private let path: String
  private let descriptor: Int32

  init(path: String) {
    self.path = path
    // Only the log may be opened a second time: SQLite locks its other files, and closing a descriptor
    // would end the locks of this process.
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
  }

  /// Whether there is a log: some file systems have none.
  var isOpen: Bool { descriptor >= 0 }

  deinit {
    if isOpen { close(descriptor) }
  }

  /// Waits until all that was written to the log is on the disk.
  ///
  /// - Returns: why it is not; `nil` if it is.
  func run() -> StoreError? {
    fdatasync(descriptor) == 0 ? nil : StoreError(last: "sync \(path)")
  }
}
