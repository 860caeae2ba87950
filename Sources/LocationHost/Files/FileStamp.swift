package import Glibc

/// Identifies a file as it was when it was read: a later write changes the stamp.
package struct FileStamp: Hashable, Sendable {
  private let (device, inode): (UInt64, UInt64)
  private let size: Int
  /// In nanoseconds, which wrap at times that no clock shows.
  private let (modified, changed): (Int, Int)

  /// The stamp of an open file.
  package init(_ status: stat) {
    (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    size = Int(status.st_size)
    modified = status.st_mtim.tv_sec &* 1_000_000_000 &+ status.st_mtim.tv_nsec
    changed = status.st_ctim.tv_sec &* 1_000_000_000 &+ status.st_ctim.tv_nsec
  }

  /// The stamp of the file or folder at a path, links followed; `nil` if there is none.
  package init?(ofFileAt path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}
