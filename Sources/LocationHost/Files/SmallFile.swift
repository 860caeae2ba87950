import CLinux
package import Glibc

/// Reads whole files, and lists folders.
package enum SmallFile {
  /// A plain file that is open to be read.
  package struct Opened {
    package var descriptor: Int32
    package var status: stat
  }

  /// Returns the names in a folder that are not hidden, sorted; none if it cannot be read.
  package static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = String(cString: linux_name(entry))
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// Opens a plain file whose length is in a range; returns `nil` for any other.
  ///
  /// Checks before it opens, so that no device or pipe is opened, which may have an effect or wait.
  package static func open(_ path: String, in sizes: ClosedRange<Int>) -> Opened? {
    let place = linux_find(path)
    guard place >= 0 else { return nil }
    defer { close(place) }
    var status = stat()
    guard fstat(place, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      sizes.contains(Int(status.st_size))
    else { return nil }
    let descriptor = Glibc.open("/proc/self/fd/\(place)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    return descriptor < 0 ? nil : Opened(descriptor: descriptor, status: status)
  }

  /// Reads a file; `nil` if it cannot be read, is no plain file, or has more bytes than the limit.
  package static func read(_ path: String, limit: Int) -> [UInt8]? {
    guard let file = open(path, in: 0...limit) else { return nil }
    defer { close(file.descriptor) }
    return read(file.descriptor, limit: limit)
  }

  /// Reads a plain file; `nil` if there is none.
  ///
  /// - Throws: the system's error; `EFBIG` if it has more bytes than the limit, of a few hundred.
  static func contents(of path: String, limit: Int) throws(Errno) -> [UInt8]? {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw Errno(last: "open \(path)")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Errno(last: "stat \(path)") }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Errno(code: EINVAL, call: "read \(path)")
    }
    guard status.st_size <= limit else { throw Errno(code: EFBIG, call: "read \(path)") }
    // In one piece, so that no copy of what may be a key stays behind.
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = Glibc.read(descriptor, &bytes, limit)
    guard count >= 0 else { throw Errno(last: "read \(path)") }
    bytes.removeLast(limit - count)
    return bytes
  }

  /// Reads the rest of a file; `nil` if it cannot be read, or has more bytes than the limit.
  package static func read(_ descriptor: Int32, limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16_384)
    while bytes.count <= limit {
      let count = Glibc.read(descriptor, &piece, piece.count)
      guard count > 0 else { return count == 0 ? bytes : nil }
      bytes += piece.prefix(count)
    }
    return nil
  }
}
