import Glibc
import LocationHost

/// A file that is read from its beginning, a piece at a time.
struct InputFile: ~Copyable {
  private let descriptor: Int32
  private let name: String

  /// Opens a file; `-` is standard input.
  init(_ path: String) throws(Errno) {
    name = path == "-" ? "standard input" : path
    descriptor =
      path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Errno(last: "open \(name)") }
  }

  deinit { close(descriptor) }

  /// The next bytes, of which there are none at the end.
  borrowing func piece() throws(Errno) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &bytes, bytes.count)
      if count >= 0 { return Array(bytes[..<count]) }
      guard Self.mayReadAgain(descriptor) else { throw Errno(last: "read \(name)") }
    }
  }

  /// Whether a call that failed was only interrupted, or came too soon: then waits for more.
  static func mayReadAgain(_ descriptor: Int32) -> Bool {
    guard errno == EAGAIN else { return errno == EINTR }
    var place = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&place, 1, -1) >= 0 || errno == EINTR
  }

  /// All bytes of a file, or a piece more than `most` of a longer one; `-` is standard input.
  static func bytes(of path: String, upTo most: Int = .max) throws(Errno) -> [UInt8] {
    let file = try InputFile(path)
    var bytes: [UInt8] = []
    while bytes.count <= most, case let piece = try file.piece(), !piece.isEmpty { bytes += piece }
    return bytes
  }
}
