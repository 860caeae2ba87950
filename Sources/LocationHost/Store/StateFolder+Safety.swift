import Glibc

extension StateFolder {
  /// Makes sure that the folder and the files of the state in it belong to this user alone.
  ///
  /// Files that others could only read are closed, and `noting` is called. Files that others could
  /// write, that belong to another user, or that are symbolic links are refused.
  ///
  /// - Returns: the folder that was checked.
  /// - Throws: `StateFault` with why the folder must not be used, and what corrects it.
  @discardableResult
  package func secure(noting: (String) -> Void = { _ in }) throws(StateFault) -> HeldFolder {
    let held = try hold()
    try checkParent()
    if held.mode & 0o077 != 0, fchmod(held.descriptor, 0o700) == 0 {
      noting("others could look into \(path); it has mode 700 now")
    }
    for name in names(in: held) { try secure(file: name, in: held.descriptor, noting: noting) }
    return held
  }

  /// Opens the folder, and checks that it belongs to this user, and that nobody else may write into it.
  ///
  /// - Throws: `StateFault` with why the folder must not be used, and what corrects it.
  func hold() throws(StateFault) -> HeldFolder {
    try checkLink()
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let error = Errno(last: "open \(path)")
      throw StateFault(error, next: "ls -ld \(path.quoted)")
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let error = Errno(last: "stat \(path)")
      close(descriptor)
      throw StateFault(error)
    }
    let held = HeldFolder(descriptor, at: path, mode: status.st_mode)
    try checkOwner(of: path, status)
    guard status.st_mode & 0o022 == 0 else {
      throw StateFault(
        .unsafe, "others may write into \(path), and what lies there may be theirs",
        next: "look through it, then: chmod 700 \(path.quoted)")
    }
    return held
  }

  /// Checks that a link is root's, in a folder of root's: systemd makes such a link for a unit with
  /// its own user.
  private func checkLink() throws(StateFault) {
    var (link, parent) = (stat(), stat())
    guard lstat(path, &link) == 0 else { throw StateFault(Errno(last: "stat \(path)")) }
    guard link.st_mode & S_IFMT == S_IFLNK else { return }
    let isRoots =
      link.st_uid == 0 && lstat(parentPath, &parent) == 0 && parent.st_uid == 0
      && parent.st_mode & 0o022 == 0
    guard isRoots else {
      throw StateFault(
        .unsafe, "\(path) is a symbolic link",
        next: "name the folder that it leads to, with --state or XDG_STATE_HOME")
    }
  }

  /// Checks the folder above: a user who may rename the folder could replace it.
  private func checkParent() throws(StateFault) {
    var status = stat()
    guard stat(parentPath, &status) == 0 else { return }
    guard status.st_mode & S_IWOTH == 0 || status.st_mode & S_ISVTX != 0 else {
      throw StateFault(
        .unsafe, "anybody may replace what lies in \(parentPath)",
        next: "chmod o-w \(parentPath.quoted)")
    }
  }

  private var parentPath: String {
    let names = path.split(separator: "/").dropLast()
    return "/" + names.joined(separator: "/")
  }

  private func checkOwner(of path: String, _ status: stat) throws(StateFault) {
    let user = geteuid()
    guard status.st_uid == user else {
      throw StateFault(
        .unsafe, "\(path) belongs to user \(status.st_uid), and this process runs as user \(user)",
        next: "run it as user \(status.st_uid), or: chown -R \(user) \("\(self.path)/".quoted)")
    }
  }

  private func secure(
    file name: String, in folder: Int32, noting: (String) -> Void
  ) throws(StateFault) {
    var status = stat()
    guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return }
    let file = "\(path)/\(name)"
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw StateFault(
        .unsafe, "\(file) is no ordinary file", next: "look at it, then: rm \(file.quoted)")
    }
    try checkOwner(of: file, status)
    if status.st_mode & 0o777 != 0o600, fchmodat(folder, name, 0o600, 0) == 0 {
      noting("\(file) had mode \(String(status.st_mode & 0o777, radix: 8)); it has 600 now")
    }
  }

  /// Returns the files of the state that exist.
  private func names(in folder: HeldFolder) -> [String] {
    SmallFile.names(in: folder.file(".")).filter { name in
      name.hasPrefix("state.sqlite") || name.hasPrefix(Self.keyFile)
        || name.hasPrefix(Self.master) || [Self.lock, Self.guardian, Self.bell].contains(name)
    }
  }
}

extension String {
  /// The text quoted for a shell.
  var quoted: String {
    let isPlain =
      !isEmpty
      && utf8.allSatisfy { byte in
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
          || "/._-@+".utf8.contains(byte)
      }
    return isPlain
      ? self
      : "'"
        + split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "'\\''") + "'"
  }
}
