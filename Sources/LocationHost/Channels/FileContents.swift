import Dispatch
import Glibc
import LocationProviders

/// A small file that is read as a whole, beside another channel.
enum FileContents {
  /// Reads a file.
  ///
  /// Waits for the file system, so never call it on the host's queue.
  ///
  /// - Parameters:
  ///   - path: of the file.
  ///   - most: the most bytes that are wanted.
  /// - Returns: the contents, of a longer file one byte more than is wanted; or why there are none.
  static func read(_ path: String, most: Int) -> ChannelEvent {
    do throws(Errno) {
      let descriptor = try Opening.file(path)
      defer { close(descriptor) }
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw Errno(last: "stat \(path)") }
      guard status.st_mode & S_IFMT == S_IFREG else {
        return .closed(.failed("\(path) is no regular file"))
      }
      let file = DatabaseFile(descriptor: descriptor, size: min(Int(status.st_size), most + 1))
      guard let bytes = file.bytes(at: 0, count: file.size) else {
        return .closed(.failed("\(path) cannot be read to its end"))
      }
      return .contents(bytes)
    } catch { return .closed(ChannelEnd(error)) }
  }
}

extension LocationHost {
  /// Reads a file, off the queue.
  func readContents(of path: String, most: Int, as id: ChannelID) {
    DispatchQueue.global().async { [weak self] in
      let event = FileContents.read(path, most: most)
      self?.enter { $0.receive(event, of: id) }
    }
  }
}
