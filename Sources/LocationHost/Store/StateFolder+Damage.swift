import CLinux
import Glibc
import LocationEngine
package import LocationModel

/// A file of a damaged state, which was moved aside for inspection.
package struct DamagedFile: Hashable, Sendable {
  package var name: String
  /// The size in bytes.
  package var size: Int64
  /// The time at which it was moved aside, from its name.
  package var date: UnixTime
}

extension StateFolder {
  static let mark = "state.sqlite.damaged-"

  /// Renames a damaged file for inspection, to make room for a new one, while no process opens it.
  ///
  /// - Parameters:
  ///   - found: the file that was found damaged.
  ///   - attempts: how often the lock is tried.
  /// - Returns: its new name; `nil` if another file lies there by now, since another process was first.
  /// - Throws: `StoreError` of the system, or if a process does not end opening it.
  func moveDamagedFileAside(
    _ found: FileNumber?, attempts: Int = 2000
  ) throws(StoreError) -> String? {
    let held = try StoreError.locking(path) { () throws(StateFault) in try hold() }
    try held.lock(alone: true, attempts: attempts)
    defer { held.unlock() }
    guard let found, FileNumber(of: file) == found else { return nil }
    let name = Self.aside(file)
    for suffix in ["", "-wal", "-shm"] {
      guard rename(file + suffix, name + suffix) == 0 || errno == ENOENT else {
        throw StoreError(Errno(last: "rename \(file)\(suffix)"))
      }
    }
    fsync(held.descriptor)
    return name
  }

  /// A name that is free, for a file that is moved aside now.
  static func aside(_ file: String) -> String {
    let stem = file + ".damaged-\(linux_unix_nanoseconds() / 1_000_000_000)"
    var (name, number) = (stem, 1)
    while access(name, F_OK) == 0 {
      number += 1
      name = "\(stem).\(number)"
    }
    return name
  }

  /// Whether a state exists here, or existed.
  var hasState: Bool {
    access(file, F_OK) == 0 || access(path + "/" + Self.guardian, F_OK) == 0
      || !damagedFiles().isEmpty
  }

  /// Returns whether a state existed here, so that a missing one is lost and not new.
  package func isLost(_ lock: StateLock?) -> Bool {
    lock?.hadState == true || !damagedFiles().isEmpty
  }

  /// Returns the files that ``moveDamagedFileAside(_:attempts:)`` has kept.
  package func damagedFiles() -> [DamagedFile] {
    entryNames().compactMap { name in
      var status = stat()
      guard name.hasPrefix(Self.mark), lstat("\(path)/\(name)", &status) == 0 else { return nil }
      let digits = name.dropFirst(Self.mark.count).prefix { $0.isNumber }
      return DamagedFile(
        name: name, size: Int64(status.st_size), date: UnixTime(seconds: Double(digits) ?? 0))
    }
  }

  /// Overwrites and removes the files that ``moveDamagedFileAside(_:attempts:)`` has kept; returns their
  /// number.
  ///
  /// The data of one app cannot be found in them, so erasing one app removes all of these files.
  @discardableResult
  package func removeDamagedFiles() -> Int {
    let files = damagedFiles()
    for file in files { remove(file.name) }
    removeUnusedKeys()
    return files.count
  }

  /// Removes damaged files after the longest retention.
  ///
  /// - Parameters:
  ///   - term: the retention, counted from their date.
  ///   - now: the present moment.
  ///   - seen: when this process has first seen each file. A file with a date in the future, by a
  ///     clock that was set back since, is kept no longer than if it had that moment as its date.
  func removeDamagedFiles(
    olderThan term: Duration, at now: Moment, seen: inout [String: Instant]
  ) {
    for file in damagedFiles() {
      let first = seen[file.name] ?? now.uptime
      seen[file.name] = first
      if now.unixTime - file.date >= term || now.uptime - first >= term {
        remove(file.name)
        seen[file.name] = nil
      } else if file.date > now.unixTime {
        redate(file.name, now, &seen)
      }
    }
    removeUnusedKeys()
  }

  /// Overwrites and removes keys that were moved aside with a state, when none of those is left.
  private func removeUnusedKeys() {
    guard damagedFiles().isEmpty else { return }
    let marks = [Self.keyFile, Self.master].map { $0 + ".damaged-" }
    for name in keys.entryNames() where marks.contains(where: { name.hasPrefix($0) }) {
      ReplacedFile.wipe("\(keys.path)/\(name)")
    }
  }

  /// Gives a file a new date, from which the next run also counts.
  private func redate(_ name: String, _ now: Moment, _ seen: inout [String: Instant]) {
    let rest = name.dropFirst(Self.mark.count).drop { $0.isNumber }
    let dated = "\(Self.mark)\(now.unixTime.nanoseconds / 1_000_000_000)\(rest)"
    guard access("\(path)/\(dated)", F_OK) != 0,
      rename("\(path)/\(name)", "\(path)/\(dated)") == 0
    else { return }
    seen[dated] = seen.removeValue(forKey: name)
  }

  private func remove(_ name: String) { ReplacedFile.wipe("\(path)/\(name)") }
}

extension RetentionTerms {
  /// How long a damaged file is kept: as long as any data that may be in it; `nil` for ever.
  /// Without terms a season, which is the default for visited places.
  var longest: Duration? {
    guard self != RetentionTerms() else { return .seconds(90 * 86_400) }
    guard let position, let visits else { return nil }
    return max(position, visits, access ?? .zero)
  }
}
