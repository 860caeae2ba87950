import Glibc
import LocationHost
import LocationModel

/// A file that a command writes beside what it prints.
enum OutputFile {
  /// Checks beforehand that a file can be written, as far as that can be known.
  static func check(_ path: String) throws(Failure) {
    var status = stat()
    let isThere = stat(path, &status) == 0
    guard !isThere || status.st_mode & S_IFMT != S_IFDIR else { throw fault(path, EISDIR) }
    guard access(isThere ? path : folder(of: path), W_OK) == 0 else { throw fault(path, errno) }
  }

  /// Checks that there is no such file yet.
  static func checkNew(_ path: String) throws(Failure) {
    var status = stat()
    guard lstat(path, &status) != 0 else {
      throw .refused("\(path.quotedForDisplay()) is there already", next: "name another file")
    }
    try check(path)
  }

  /// Writes a file, or replaces what is in it.
  static func write(_ bytes: some Sequence<UInt8>, to path: String) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw fault(path, errno) }
    try fill(descriptor, Array(bytes), path)
  }

  /// Writes a new file that only its owner can read; what was not written whole is removed.
  static func create(_ bytes: [UInt8], at path: String) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw fault(path, errno) }
    do throws(Failure) { try fill(descriptor, bytes, path) } catch {
      unlink(path)
      throw error
    }
  }

  /// Writes all bytes, and closes.
  private static func fill(
    _ descriptor: Int32, _ bytes: [UInt8], _ path: String
  ) throws(Failure) {
    var code = Output.fault(writing: bytes, to: descriptor)?.code ?? 0
    // Some file systems report a full disk only here.
    if close(descriptor) != 0, code == 0 { code = errno }
    guard code == 0 else { throw fault(path, code) }
  }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
  }

  private static func fault(_ path: String, _ code: Int32) -> Failure {
    let next =
      switch code {
      case ENOENT, ENOTDIR: "name a file in a folder that is there"
      case ENOSPC, EDQUOT: "make room, or name a file elsewhere"
      default: "name a file where you may write"
      }
    return .refused(
      "\(path.quotedForDisplay()) cannot be written: \(String(cString: strerror(code)))", next: next
    )
  }
}
