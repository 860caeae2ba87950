import Glibc
import LocationRecording

/// The file of a flight recorder: contains whole steps, in order, even if the process is killed.
///
/// Each step is one `write`, so a process that is killed leaves every step before. An existing
/// recording is continued in a new section; an incomplete step at its end is cut off. One process
/// writes at a time.
final class RecordingFile {
  private let descriptor: Int32
  private let path: String

  /// - Throws: `RecordingRefusal` with why nothing is recorded.
  init(path: String) throws(RecordingRefusal) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw RecordingRefusal(path, Errno(last: "open").reason) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw RecordingRefusal(path, "it is no ordinary file")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw RecordingRefusal(path, "another process records into it")
    }
    if status.st_size == 0 {
      try write(Recording.opening)
    } else {
      try cutAfterLastStep(size: Int(status.st_size))
    }
  }

  deinit { close(descriptor) }

  /// Appends whole steps.
  ///
  /// - Throws: `RecordingRefusal` with why they could not be written; nothing of them remains.
  func write(_ bytes: [UInt8]) throws(RecordingRefusal) {
    let size = lseek(descriptor, 0, SEEK_END)
    let count = Glibc.write(descriptor, bytes, bytes.count)
    guard count != bytes.count else { return }
    let reason = count < 0 ? Errno(last: "write").reason : "no space left"
    _ = ftruncate(descriptor, size)
    throw RecordingRefusal(path, reason)
  }

  private func cutAfterLastStep(size: Int) throws(RecordingRefusal) {
    var bytes = [UInt8](repeating: 0, count: size)
    guard pread(descriptor, &bytes, size, 0) == size else {
      throw RecordingRefusal(path, Errno(last: "read").reason)
    }
    do throws(RecordingFault) {
      var reader = try RecordingReader(bytes)
      while try reader.next() != nil {}
      guard reader.rest == 0 || ftruncate(descriptor, off_t(reader.offset)) == 0 else {
        throw RecordingFault.end
      }
    } catch {
      throw RecordingRefusal(path, "it holds something else: \(error)")
    }
  }
}

/// Why recording cannot start, or has stopped.
struct RecordingRefusal: Error, CustomStringConvertible {
  let description: String

  init(_ path: String, _ reason: String) {
    description = "\(path): \(reason); nothing more is recorded"
  }
}
