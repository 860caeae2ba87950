import Glibc

/// Which file it is, whatever its name: one that was put in its place has another number.
struct FileNumber: Hashable {
  private let device: dev_t
  private let inode: ino_t

  /// The file at a path, links followed; `nil` if there is none.
  init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, inode) = (status.st_dev, status.st_ino)
  }

  /// An open file; `nil` if it is no plain file.
  init?(of descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    (device, inode) = (status.st_dev, status.st_ino)
  }
}
