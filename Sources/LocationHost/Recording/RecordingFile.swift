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
  /// What encrypts the steps; `nil` for a recording that is not encrypted.
  private var writer: SealedRecording.Writer?

  /// Opens the file, and creates it if it does not exist.
  ///
  /// - Parameters:
  ///   - target: where to record, and what protects it.
  ///   - keeper: that of the host's state, with whose keys a recording is encrypted.
  /// - Throws: `RecordingRefusal` with why nothing is recorded.
  init(_ target: RecordingTarget, keeper: StateKeeper?) throws(RecordingRefusal) {
    path = target.path
    let keys = try Self.keys(of: target, keeper)
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw RecordingRefusal(path, Errno(last: "open").reason) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw RecordingRefusal(path, "it is no ordinary file")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw RecordingRefusal(path, "another process records into it")
    }
    var hasBegun = false
    if status.st_size > 0 { hasBegun = try cutAfterLastStep(size: Int(status.st_size), keys) }
    let size = size
    guard let keys else {
      if !hasBegun { try append(Recording.opening, at: size) }
      return
    }
    guard let writer = SealedRecording.Writer(keys) else {
      throw RecordingRefusal(path, "there is no key to encrypt it")
    }
    var opening = size == 0 ? SealedRecording.opening : []
    opening += writer.opening
    if !hasBegun { opening += writer.seal(Recording.opening, at: size + opening.count) }
    try append(opening, at: size)
    self.writer = writer
  }

  deinit {
    let size = size
    if let writer { try? append(writer.end(at: size), at: size) }
    close(descriptor)
  }

  private static func keys(
    of target: RecordingTarget, _ keeper: StateKeeper?
  ) throws(RecordingRefusal) -> SealedRecording.Keys? {
    switch target.protection {
    case .none: return nil
    case .keys(let keys): return keys
    case .state:
      do throws(StoreError) {
        if let keys = try keeper?.recordingsKeys() { return keys }
      } catch { throw RecordingRefusal(target.path, "there is no key to encrypt it: \(error)") }
      throw RecordingRefusal(
        target.path,
        "there is no key to encrypt it, as the state is kept in memory only; "
          + "\(HostEnvironment.recordingVariable)=plain:FILE records without encryption")
    }
  }

  /// Appends whole steps.
  ///
  /// - Throws: `RecordingRefusal` with why they could not be written; nothing of them remains.
  func write(_ steps: [UInt8]) throws(RecordingRefusal) {
    let size = size
    do throws(RecordingRefusal) {
      try append(writer.map { $0.seal(steps, at: size) } ?? steps, at: size)
    } catch {
      // What its stream would say next does not follow what is in the file.
      writer = nil
      throw error
    }
  }

  private var size: Int { Int(lseek(descriptor, 0, SEEK_END)) }

  /// Appends bytes to the file, which has `size` of them.
  private func append(_ bytes: [UInt8], at size: Int) throws(RecordingRefusal) {
    let count = Glibc.write(descriptor, bytes, bytes.count)
    guard count != bytes.count else { return }
    let reason = count < 0 ? Errno(last: "write").reason : "no space left"
    _ = ftruncate(descriptor, off_t(size))
    throw RecordingRefusal(path, reason)
  }

  /// Cuts off an incomplete step; returns whether there is any step, or the line before the first.
  private func cutAfterLastStep(
    size: Int, _ keys: SealedRecording.Keys?
  ) throws(RecordingRefusal) -> Bool {
    var bytes = [UInt8](repeating: 0, count: size)
    guard pread(descriptor, &bytes, size, 0) == size else {
      throw RecordingRefusal(path, Errno(last: "read").reason)
    }
    guard SealedRecording.isSealed(bytes) == (keys != nil) else {
      let state = keys == nil ? "it is encrypted" : "it is not encrypted"
      throw RecordingRefusal(path, "\(state); name another file")
    }
    do throws(RecordingFault) {
      let (end, hasBegun) = try Self.endOfLastStep(in: bytes, keys)
      guard end == size || ftruncate(descriptor, off_t(end)) == 0 else { throw RecordingFault.end }
      return hasBegun
    } catch {
      throw RecordingRefusal(path, "it holds something else: \(error)")
    }
  }

  private static func endOfLastStep(
    in bytes: [UInt8], _ keys: SealedRecording.Keys?
  ) throws(RecordingFault) -> (Int, hasBegun: Bool) {
    if let keys {
      let content = try SealedRecording.open(bytes, with: keys)
      return (content.offset, !content.bytes.isEmpty)
    }
    var reader = try RecordingReader(bytes)
    while try reader.next() != nil {}
    return (reader.offset, true)
  }
}

/// Why recording cannot start, or has stopped.
struct RecordingRefusal: Error, CustomStringConvertible {
  let description: String

  init(_ path: String, _ reason: String) {
    description = "\(path): \(reason); nothing more is recorded"
  }
}
