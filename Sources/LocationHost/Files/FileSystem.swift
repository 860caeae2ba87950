import CLinux
import Glibc

/// The file systems of this computer, as far as they say who owns a file.
///
/// In one that a program provides (FUSE), that program decides which owner and mode a file shows, and
/// every user may run such a program.
enum FileSystem {
  /// The device of the root folder, which is root's whatever provides it.
  static let root: dev_t = {
    var status = stat()
    return lstat("/", &status) == 0 ? status.st_dev : 0
  }()

  /// Looks whether the owner of a file or folder proves anything.
  ///
  /// - Parameters:
  ///   - path: the file or folder; a link is not followed.
  ///   - device: the device of what was looked at before, which needs no second look.
  /// - Returns: why it does not; `nil` if it does.
  static func fault(of path: String, _ device: inout dev_t) -> String? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_dev != device else { return nil }
    guard status.st_dev == root || linux_is_fuse(path) == 0 else {
      return "\(path) lies in a file system that a program provides, which may show any owner"
    }
    device = status.st_dev
    return nil
  }
}
