import Glibc

/// A small private file that is replaced as a whole, and whose earlier bytes are overwritten.
enum ReplacedFile {
  /// Replaces a file, or makes it; it is on disk before this returns.
  ///
  /// - Throws: the system's error; the earlier file then still exists.
  static func write(_ bytes: [UInt8], to path: String) throws(Errno) {
    let new = path + ".new"
    try make(new, bytes)
    // It keeps the bytes of the earlier file in reach until they are overwritten.
    let old = path + ".old"
    wipeEarlier(path)
    link(path, old)
    guard rename(new, path) == 0 else {
      let error = Errno(last: "rename \(new)")
      unlink(new)
      unlink(old)
      throw error
    }
    // Until the folder is on disk, a loss of power leaves the earlier file: then it must be whole.
    if syncFolder(of: path) { wipe(old) }
  }

  /// Makes a file unless there is one; of two processes at once, one does.
  static func create(_ bytes: [UInt8], at path: String) throws(Errno) {
    let new = "\(path).\(getpid()).new"
    try make(new, bytes)
    defer { unlink(new) }
    guard link(new, path) == 0 || errno == EEXIST else { throw Errno(last: "link \(path)") }
    syncFolder(of: path)
  }

  /// The names in a folder that a process has left behind which died while it replaced a file.
  static func leftovers(in folder: HeldFolder) -> [String] {
    SmallFile.names(in: folder.file(".")).filter { name in
      (name.hasSuffix(".old") || name.hasSuffix(".new"))
        && [StateFolder.keyFile, StateFolder.master, StateFolder.guardian]
          .contains { name.hasPrefix($0 + ".") }
    }
  }

  /// Overwrites and removes the ``leftovers(in:)``; nobody else writes there now.
  static func tidy(_ folder: HeldFolder) {
    let left = leftovers(in: folder)
    let kept = SmallFile.names(in: folder.file(".")).filter { !left.contains($0) }
    let files = Set(kept.compactMap { FileNumber(of: folder.file($0)) })
    for path in left.map({ folder.file($0) }) {
      // One more name of a file that is in use.
      let isUsed = FileNumber(of: path).map { files.contains($0) } ?? false
      if isUsed { unlink(path) } else { wipe(path) }
    }
  }

  /// Overwrites and removes the earlier bytes of a file; a process that died before it replaced the
  /// file has left the present ones under that name, too.
  private static func wipeEarlier(_ path: String) {
    let old = path + ".old"
    var (present, earlier) = (stat(), stat())
    let isPresent =
      lstat(path, &present) == 0 && lstat(old, &earlier) == 0
      && (present.st_dev, present.st_ino) == (earlier.st_dev, earlier.st_ino)
    if isPresent { unlink(old) } else { wipe(old) }
  }

  /// Overwrites a file with zeros, and removes it.
  static func wipe(_ path: String) {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    if descriptor >= 0 {
      var status = stat()
      let zeros = [UInt8](repeating: 0, count: 65_536)
      if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
        var rest = Int(status.st_size)
        while rest > 0 {
          let count = Glibc.write(descriptor, zeros, min(rest, zeros.count))
          guard count > 0 else { break }
          rest -= count
        }
        fsync(descriptor)
      }
      close(descriptor)
    }
    unlink(path)
  }

  private static func make(_ path: String, _ bytes: [UInt8]) throws(Errno) {
    unlink(path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Errno(last: "open \(path)") }
    fchmod(descriptor, 0o600)
    let isWritten =
      Glibc.write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
    let error = Errno(last: "write \(path)")
    close(descriptor)
    guard isWritten else {
      unlink(path)
      throw error
    }
  }

  /// Returns whether the names in the folder of a file are on disk.
  @discardableResult
  private static func syncFolder(of path: String) -> Bool {
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/")
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0
  }
}
