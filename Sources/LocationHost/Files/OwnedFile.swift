package import Glibc
import LocationModel

/// A file that is trusted because of its owner: a policy, a configuration, a registration.
///
/// It must belong to root or to the user of this process, and no other user may be able to write
/// it, or to put another file at its path. Links are followed if the same holds for them.
package enum OwnedFile {
  /// What is wrong with a file, and the command that corrects it.
  package struct Fault: Error, Hashable, CustomStringConvertible {
    package var description: String
  }

  /// Root, and the user of this process.
  package static var owners: Set<uid_t> { [0, getuid()] }

  /// Reads a whole file once, from the descriptor whose owner and mode are checked; `limit` in
  /// bytes.
  ///
  /// A secret must be readable by its owner alone.
  ///
  /// - Throws: `Fault` with why it is not trusted, and what corrects that.
  package static func read(
    _ path: String, limit: Int, isSecret: Bool = false
  ) throws(Fault) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      let error = Errno(last: "open")
      let mend = error.code == EACCES ? Self.opening(path, isSecret: isSecret) : ""
      throw Fault(description: "cannot be read: \(error.reason)\(mend)")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Fault(description: "is no plain file")
    }
    if let cause = stranger(to: status, path, owners) ?? writing(status, path) ?? intruder(on: path)
    {
      throw Fault(description: cause)
    }
    guard !isSecret || status.st_mode & 0o077 == 0 else {
      throw Fault(
        description: "can be read by others than its owner: chmod 600 \(path.quotedForShell)")
    }
    guard let bytes = SmallFile.read(descriptor, limit: limit) else {
      throw Fault(description: "has more than \(limit) bytes, or cannot be read")
    }
    return bytes
  }

  /// What lets the user of this process read a file.
  private static func opening(_ path: String, isSecret: Bool) -> String {
    let (file, user) = (path.quotedForShell, getuid())
    guard access(path, F_OK) == 0 else {
      return "; user \(user) may not enter a folder of it: chmod o+x that folder"
    }
    return "; to let user \(user) read it: "
      + (isSecret ? "chown \(user) \(file)" : "chgrp \(getgid()) \(file) && chmod g+r \(file)")
  }

  /// Returns why users other than the owners could put another file at a path, or write one of the
  /// folders and links that lead to it; `nil` if they could not.
  ///
  /// In a folder with the sticky bit, others can create files but not change files of other users.
  /// That is safe for a folder in it, but not for a file, to which they can make another link.
  package static func intruder(on path: String, owners: Set<uid_t> = owners) -> String? {
    var rest = names(path.utf8.first == UInt8(ascii: "/") ? path : "\(workingFolder)/\(path)")[...]
    // The folder above: its path without a slash at the end, and what others can do in it.
    var (place, open) = ("", String?.none)
    var (links, status) = (0, stat())
    var device = FileSystem.root
    rest = [""] + rest
    while let name = rest.popFirst() {
      guard name != ".." else {
        place = String(place[..<lastSlash(of: place)])
        open = lstat(place + "/", &status) == 0 ? writing(status, place) : nil
        continue
      }
      let next = name.isEmpty ? "/" : "\(place)/\(name)"
      guard lstat(next, &status) == 0 else { return "\(next): \(Errno(last: "stat").reason)" }
      let kind = status.st_mode & S_IFMT
      if let stranger = stranger(to: status, next, owners) { return stranger }
      if let fault = FileSystem.fault(of: next, &device) { return fault }
      if kind != S_IFDIR, let open { return open }
      open = kind == S_IFLNK ? nil : writing(status, next)
      guard kind != S_IFLNK else {
        links += 1
        guard links < 40, let target = SmallFile.target(of: next) else {
          return "the link \(next) leads nowhere"
        }
        if target.utf8.first == UInt8(ascii: "/") { place = "" }
        rest = names(target) + rest
        continue
      }
      if let open, kind != S_IFDIR || rest.isEmpty || status.st_mode & S_ISVTX == 0 { return open }
      place = name.isEmpty ? "" : next
    }
    return nil
  }

  /// Reports a file, link, or folder of a user who is not an owner and could change it.
  private static func stranger(to status: stat, _ path: String, _ owners: Set<uid_t>) -> String? {
    guard !owners.contains(status.st_uid) else { return nil }
    return "\(path) belongs to user \(status.st_uid), and not to "
      + owners.sorted().map { $0 == 0 ? "root" : "user \($0)" }.joined(separator: " or ")
      + ": chown \(owners.max() ?? 0) \(path.quotedForShell)"
  }

  /// Reports a file or folder that users other than its owner can write.
  private static func writing(_ status: stat, _ path: String) -> String? {
    let mend = "chmod go-w \(path.quotedForShell)"
    if status.st_mode & S_IWOTH != 0 { return "\(path) can be written by everybody: \(mend)" }
    return status.st_mode & S_IWGRP != 0 ? "\(path) can be written by its group: \(mend)" : nil
  }

  /// The names in a path, byte by byte: for Swift, a slash before an accent is another character.
  private static func names(_ path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
      .filter { $0 != "." }
  }

  private static func lastSlash(of path: String) -> String.Index {
    path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
  }

  private static var workingFolder: String { SmallFile.resolved(".") ?? "/" }
}

extension SmallFile {
  /// Returns the target of a link, as it is written; `nil` if the path is no link.
  package static func target(of path: String) -> String? {
    (try? Opening.linkTarget(path)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the path with all links resolved; `nil` if there is no such file.
  package static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
