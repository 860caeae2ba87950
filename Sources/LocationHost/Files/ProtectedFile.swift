import Glibc

/// A file that only trusted users can change: the file itself, and every folder on the way to it.
package enum ProtectedFile {
  /// Why others could change a file, and the command that corrects it.
  package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    package var cause: String
    /// The command that corrects it; `nil` if there is none.
    package var mend: String?

    package init(cause: String, mend: String? = nil) { (self.cause, self.mend) = (cause, mend) }

    package var description: String { cause + (mend.map { "; mend it with: \($0)" } ?? "") }
  }

  /// Checks a file and the folders above it.
  ///
  /// A folder that every user may write is accepted if its sticky bit is set, as of `/tmp`: other
  /// users cannot rename a trusted user's entries there.
  ///
  /// - Parameters:
  ///   - path: absolute, without links.
  ///   - owners: the users who may be able to change it.
  /// - Returns: `nil` if no other user can change it.
  package static func fault(of path: String, owners: Set<UInt32>) -> Fault? {
    guard let real = realpath(path, nil) else { return Fault(cause: "\(Errno(last: path))") }
    defer { free(real) }
    let place = String(cString: real)
    guard place == path else {
      return Fault(cause: "\(path): it is reached by a link; name \(place)")
    }
    var current = path
    var device = FileSystem.root
    while true {
      if let fault = FileSystem.fault(of: current, &device) { return Fault(cause: fault) }
      if let fault = own(current, owners, isFile: current == path) { return fault }
      guard current != "/", let slash = current.lastIndex(of: "/") else { return nil }
      current = slash == current.startIndex ? "/" : String(current[..<slash])
    }
  }

  private static func own(_ path: String, _ owners: Set<UInt32>, isFile: Bool) -> Fault? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return Fault(cause: "\(Errno(last: path))") }
    if isFile, status.st_mode & S_IFMT != S_IFREG {
      return Fault(cause: "\(path): it is no plain file")
    }
    let thing = isFile ? "\(path): it" : "the folder \(path)"
    guard owners.contains(status.st_uid) else {
      return Fault(
        cause: "\(thing) belongs to user \(status.st_uid)", mend: "chown root \(quoted(path))")
    }
    let isSticky = !isFile && status.st_mode & S_ISVTX != 0
    if status.st_mode & (S_IWGRP | S_IWOTH) != 0, !isSticky {
      return Fault(
        cause: "\(thing) can be written by others than its owner",
        mend: "chmod go-w \(quoted(path))")
    }
    return nil
  }

  /// Quotes a path for a shell.
  private static func quoted(_ path: String) -> String {
    let isPlain = path.utf8.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || Array("/._-+".utf8).contains(byte)
    }
    guard !isPlain else { return path }
    return "'"
      + path.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "'\\''") + "'"
  }
}
