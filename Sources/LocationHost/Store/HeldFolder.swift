import Glibc
import LocationSQLite

/// A folder that was checked, held by a descriptor, so that another one that is put at its path is not
/// taken for it.
package final class HeldFolder {
  let descriptor: Int32
  /// The path at which it was opened, for a person.
  let path: String
  /// The mode that it had then.
  let mode: mode_t

  init(_ descriptor: Int32, at path: String, mode: mode_t) {
    (self.descriptor, self.path, self.mode) = (descriptor, path, mode)
  }

  deinit { close(descriptor) }

  /// The path of a file in it, wherever the folder lies now.
  func file(_ name: String) -> String { "/proc/self/fd/\(descriptor)/\(name)" }

  /// The stamp of a file in it, links followed; `nil` if there is none.
  ///
  /// A look at ``file(_:)`` shows the same, and takes more than twice as long, by `/proc`.
  func stamp(of name: String) -> FileStamp? {
    var status = stat()
    guard fstatat(descriptor, name, &status, 0) == 0 else { return nil }
    return FileStamp(status)
  }

  /// Whether the folder still lies at its path.
  var isAtItsPath: Bool {
    var (held, found) = (stat(), stat())
    return fstat(descriptor, &held) == 0 && stat(path, &found) == 0
      && held.st_dev == found.st_dev && held.st_ino == found.st_ino
  }

  /// Checks whether a file that this process has opened by its path is the one in this folder.
  ///
  /// Opens no file: closing a descriptor would end the locks of this process on it.
  ///
  /// - Parameters:
  ///   - name: the name of the file.
  ///   - isNeeded: whether the folder must have such a file.
  /// - Returns: whether it is the same file; without a file, whether none is needed.
  /// - Complexity: linear in the number of descriptors of the process.
  func hasOpened(_ name: String, isNeeded: Bool) -> Bool {
    var expected = stat()
    guard fstatat(descriptor, name, &expected, AT_SYMLINK_NOFOLLOW) == 0 else { return !isNeeded }
    return SmallFile.names(in: "/proc/self/fd").contains { number in
      var found = stat()
      return Int32(number).map { fstat($0, &found) == 0 } ?? false
        && found.st_dev == expected.st_dev && found.st_ino == expected.st_ino
    }
  }

  /// Waits until no process moves the state in this folder aside, or, alone, until none opens it.
  ///
  /// The lock ends with ``unlock()`` or with the folder. Where the file system has no such locks, there
  /// is none.
  ///
  /// - Parameters:
  ///   - alone: whether nobody else may open it.
  ///   - attempts: how often it is tried, five milliseconds apart. Chosen: a state of years is made anew
  ///     in a second.
  /// - Throws: `StoreError` if the others have not ended by then.
  func lock(alone: Bool, attempts: Int = 2000) throws(StoreError) {
    for _ in 0..<attempts {
      guard flock(descriptor, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 else { return }
      guard errno == EWOULDBLOCK || errno == EINTR else { return }
      poll(nil, 0, 5)
    }
    throw StoreError(
      code: DatabaseError.busy, context: path, message: "another process opens the state")
  }

  /// Ends ``lock(alone:)``.
  func unlock() { flock(descriptor, LOCK_UN) }

  /// Why the folder must not be used: another one was at its path for a while.
  var replaced: StoreError {
    StoreError(
      code: StoreError.locked, context: path,
      message:
        "the folder was replaced while it was opened; nothing was changed in it; next: let nobody "
        + "else write the folders above it: namei -l \(path.quoted)")
  }
}
