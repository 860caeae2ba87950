import Dispatch
import Glibc
import LocationProviders

/// A file that is read where a look-up wants it, so that a database of any size takes no memory, and one that is
/// overwritten meanwhile is a damaged one and no fault of memory.
struct DatabaseFile: RandomAccess {
  let descriptor: Int32
  let size: Int

  /// Looks addresses up in the database of a file.
  ///
  /// Waits for the file system, so never call it on the host's queue.
  static func answer(to query: GeoIPLookUp) -> ChannelEvent {
    do throws(Errno) {
      let descriptor = try Opening.file(query.path)
      defer { close(descriptor) }
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw Errno(last: "stat \(query.path)") }
      guard status.st_mode & S_IFMT == S_IFREG else { return .places(.foreign) }
      return .places(
        query.answer(from: DatabaseFile(descriptor: descriptor, size: Int(status.st_size))))
    } catch { return .closed(ChannelEnd(error)) }
  }

  func bytes(at offset: Int, count: Int) -> [UInt8]? {
    guard offset >= 0, count >= 0, count <= size - offset else { return nil }
    var isWhole = true
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let read = pread(
          descriptor, buffer.baseAddress?.advanced(by: filled), count - filled,
          off_t(offset + filled))
        if read < 0, errno == EINTR { continue }
        guard read > 0 else { return isWhole = false }
        filled += read
      }
    }
    return isWhole ? bytes : nil
  }
}

extension LocationHost {
  /// Looks addresses up, off the queue.
  func answer(_ query: GeoIPLookUp, as id: ChannelID) {
    DispatchQueue.global().async { [weak self] in
      let event = DatabaseFile.answer(to: query)
      self?.enter { $0.receive(event, of: id) }
    }
  }
}
