import Glibc
package import LocationModel
import Synchronization

/// Reads the manifests of programs, and caches each one while its file stays the same.
///
/// May be called on any thread, and waits for file systems: the daemon never calls it on its queue.
package final class ManifestReader: Sendable {
  /// A program's manifest, and why its list was ignored if it could not be read.
  package struct Reading: Hashable, Sendable {
    package var manifest: Manifest
    package var fault: String?

    package init(manifest: Manifest, fault: String?) {
      (self.manifest, self.fault) = (manifest, fault)
    }
  }

  /// Identifies a file as it was when it was read: a later write changes the stamp.
  private struct Stamp: Hashable {
    var (device, inode): (UInt64, UInt64)
    var size: Int
    var modified: [Int]
    var changed: [Int]

    init(_ status: stat) {
      (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
      size = Int(status.st_size)
      modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
      changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    }
  }

  private struct Memory {
    var readings: [Stamp: Reading] = [:]
    /// In the order in which they were read.
    var order: [Stamp] = []

    mutating func keep(_ reading: Reading, as stamp: Stamp) {
      if readings.updateValue(reading, forKey: stamp) == nil { order.append(stamp) }
      guard order.count > ManifestReader.kept else { return }
      readings[order.removeFirst()] = nil
    }
  }

  private let memory = Mutex(Memory())
  /// The most files cached. Chosen: a list has at most a tenth of a megabyte.
  package static let kept = 256

  /// The number of files cached, for the tests.
  package var count: Int { memory.withLock { $0.readings.count } }

  package init() {}

  /// Reads the manifest of the program at a path, from the places where its own process looks
  /// (`Info.plist` of its bundle, else `NAME.plist` beside it).
  package func read(ofExecutable path: String) -> Reading {
    for place in Manifest.places(ofExecutable: path) {
      if let reading = read(list: place) { return reading }
    }
    return Reading(manifest: Manifest(file: "\(path).plist"), fault: nil)
  }

  /// Reads a property list; `nil` if there is no plain file of an allowed length.
  fileprivate func read(list place: String) -> Reading? {
    guard let file = SmallFile.open(place, in: 1...PropertyList.Limits().bytes) else { return nil }
    defer { close(file.descriptor) }
    return reading(of: file, at: place)
  }

  private func reading(of file: SmallFile.Opened, at place: String) -> Reading {
    let stamp = Stamp(file.status)
    if var known = memory.withLock({ $0.readings[stamp] }) {
      known.manifest.file = place
      return known
    }
    let reading = Self.parse(file, at: place)
    memory.withLock { $0.keep(reading, as: stamp) }
    return reading
  }

  private static func parse(_ file: SmallFile.Opened, at place: String) -> Reading {
    guard let bytes = SmallFile.read(file.descriptor, limit: PropertyList.Limits().bytes) else {
      return Reading(manifest: Manifest(file: place), fault: "\(place) cannot be read")
    }
    do throws(PropertyList.Fault) {
      return Reading(manifest: Manifest(try PropertyList.read(bytes), file: place), fault: nil)
    } catch {
      return Reading(manifest: Manifest(file: place), fault: "\(place) is not read: \(error)")
    }
  }
}

extension Manifest {
  /// Reads the manifest of the program at a path; waits for its file system.
  package init(ofExecutable path: String) {
    self = ManifestReader().read(ofExecutable: path).manifest
  }

  /// Reads a property list; one that cannot be read gives an empty manifest.
  package init(list path: String) {
    self = ManifestReader().read(list: path)?.manifest ?? Manifest(file: path)
  }

  /// Returns where the list of a program may be; the first plain file of an allowed length is used.
  package static func places(ofExecutable path: String) -> [String] {
    let folder = folder(of: path)
    var places = ["\(folder)/Contents/Info.plist", "\(folder)/Resources/Info.plist"]
    if folder.hasSuffix("/Contents/Linux") {
      places.append("\(Self.folder(of: folder))/Info.plist")
    }
    return places + ["\(path).plist"]
  }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }
}
