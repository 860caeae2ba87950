import CSystemd
import Glibc
import LocationFleet

/// What workers, an ingress, and sinks say: records with fields for the journal, where standard error is
/// that, else lines.
enum Log {
  private static let isJournal = getenv("JOURNAL_STREAM") != nil

  static func line(_ text: String) {
    _ = "\(text)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }

  static func note(_ note: FleetWorker.Note, worker: String) {
    var fields = ["FLEET_WORKER=\(worker)"]
    if let partition = note.partition { fields.append("FLEET_PARTITION=\(partition)") }
    record(note.text, isFault: note.isFault, fields)
  }

  static func ingress(_ text: String, isFault: Bool = false) {
    record(text, isFault: isFault, ["FLEET_INGRESS=\(getpid())"])
  }

  static func sink(
    _ text: String, of name: String, partition: Int? = nil, isFault: Bool = false
  ) {
    var fields = ["FLEET_SINK=\(name)"]
    if let partition { fields.append("FLEET_PARTITION=\(partition)") }
    record("\(name): \(text)", isFault: isFault, fields)
  }

  private static func record(_ text: String, isFault: Bool, _ more: [String]) {
    guard isJournal else { return line("locationfleet: \(text)") }
    let fields =
      ["MESSAGE=\(text)", "PRIORITY=\(isFault ? 4 : 6)", "SYSLOG_IDENTIFIER=locationfleet"] + more
    let copies = fields.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    var vectors = copies.map { iovec(iov_base: $0, iov_len: $0.map { strlen($0) } ?? 0) }
    if sd_journal_sendv(&vectors, Int32(vectors.count)) < 0 { line(text) }
  }
}

/// Whole files.
enum Input {
  /// A file of a secret. A copy that systemd makes can be read by the group of its access list.
  static func secret(_ path: String, of setting: String? = nil) throws(FleetFault) -> [UInt8] {
    let place = (setting.map { "`\($0)` " } ?? "") + path
    let mode = try mode(of: path, place)
    guard mode & 0o027 == 0 else {
      throw FleetFault(
        reason: "\(place) has mode \(String(mode, radix: 8)): others can read it, or its group can "
          + "write it; next: chmod 640 \(path)")
    }
    return try file(path, limit: 4096)
  }

  /// The permissions of a file, which must be there.
  static func mode(of path: String, _ place: String) throws(FleetFault) -> mode_t {
    var state = stat()
    guard stat(path, &state) == 0 else {
      throw FleetFault(reason: "\(place): \(String(cString: strerror(errno)))")
    }
    return state.st_mode & 0o7777
  }

  static func file(_ path: String, limit: Int) throws(FleetFault) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw FleetFault(reason: "\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw FleetFault(reason: "\(path) cannot be read: \(String(cString: strerror(errno)))")
      }
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
      guard bytes.count <= limit else {
        throw FleetFault(reason: "\(path) has more than \(limit) bytes")
      }
    }
  }
}
