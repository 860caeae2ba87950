import Glibc
package import LocationModel

/// Reads the manifests of programs, and caches each one while its file stays the same.
///
/// May be called on any thread, and waits for file systems: the daemon never calls it on its queue.
package final class ManifestReader: Sendable {
  /// A program's manifest, and what of its files was ignored.
  package struct Reading: Hashable, Sendable {
    package var manifest: Manifest
    /// Why the list was ignored; `nil` if it was read, or there is none.
    package var fault: String?
    /// Why the texts in the person's language were ignored; `nil` if they were read, or there are none.
    package var textsFault: String?

    package init(manifest: Manifest, fault: String?) {
      (self.manifest, self.fault) = (manifest, fault)
    }
  }

  /// A list, and the texts in the person's language beside it.
  private struct Stamps: Hashable {
    var list: FileStamp
    var texts: FileStamp?
  }

  private let memory = BoundedCache<Stamps, Reading>(capacity: ManifestReader.kept)
  /// The most files cached. Chosen: a list has at most a tenth of a megabyte.
  package static let kept = 256

  /// The number of files cached, for the tests.
  package var count: Int { memory.count }

  /// The languages of the person, the preferred first.
  private let languages: [String]

  /// Whether a list may be a link, or lie behind one. A daemon may read more than the user of a
  /// program, who could so have it read what is not the user's.
  private let followsLinks: Bool

  package init(
    languages: [String] = HostEnvironment.current.languages, followsLinks: Bool = true
  ) {
    (self.languages, self.followsLinks) = (languages, followsLinks)
  }

  /// Reads the manifest of the program at a path, from the places where its own process looks
  /// (`Info.plist` of its bundle, else `NAME.plist` beside it).
  package func read(ofExecutable path: String) -> Reading {
    let places = Manifest.places(ofExecutable: path)
    for place in places {
      if let reading = read(list: place) { return reading }
    }
    let obstacle = places.lazy.compactMap { self.obstacle(at: $0) }.first
    return Reading(manifest: Manifest(file: "\(path).plist"), fault: obstacle)
  }

  /// Why what lies at the place of a list is none; `nil` if nothing is there, or what may be read.
  private func obstacle(at place: String) -> String? {
    var status = stat()
    guard lstat(place, &status) == 0 else { return nil }
    let most = PropertyList.Limits().bytes
    return switch status.st_mode & S_IFMT {
    case S_IFLNK where followsLinks: "\(place) leads to no file that can be read"
    case S_IFLNK: "\(place) is a link, and not read for that"
    case S_IFREG where status.st_size > most: "\(place) is not read: it has more than \(most) bytes"
    case S_IFREG where status.st_size == 0: "\(place) is not read: it is empty"
    case S_IFREG: "\(place) cannot be read"
    default: "\(place) is no plain file, and not read for that"
    }
  }

  /// Reads a property list; `nil` if there is no plain file of an allowed length.
  fileprivate func read(list place: String) -> Reading? {
    guard let file = SmallFile.open(place, in: 1...PropertyList.Limits().bytes) else { return nil }
    defer { close(file.descriptor) }
    guard isThere(file, place) else {
      return Reading(
        manifest: Manifest(file: place), fault: "\(place) is a link, and not read for that")
    }
    let texts = openTexts(beside: place)
    defer { if let texts { close(texts.file.descriptor) } }
    return reading(of: file, at: place, texts)
  }

  /// An open file of texts in the person's language.
  private typealias Texts = (file: SmallFile.Opened, place: String)

  /// Opens the texts of the first language for which there are any (AUTH-52).
  private func openTexts(beside list: String) -> Texts? {
    let folder = Manifest.folder(of: list)
    for language in languages {
      for place in ["\(folder)/Resources/", "\(folder)/"] {
        let path = "\(place)\(language).lproj/InfoPlist.strings"
        guard let file = SmallFile.open(path, in: 1...PropertyList.Limits().bytes) else { continue }
        if isThere(file, path) { return (file, path) }
        close(file.descriptor)
      }
    }
    return nil
  }

  /// Whether an open file lies at its path itself, and no link has led to it.
  private func isThere(_ file: SmallFile.Opened, _ path: String) -> Bool {
    followsLinks || SmallFile.target(of: "/proc/self/fd/\(file.descriptor)") == path
  }

  private func reading(of file: SmallFile.Opened, at place: String, _ texts: Texts?) -> Reading {
    let stamps = Stamps(
      list: FileStamp(file.status), texts: texts.map { FileStamp($0.file.status) })
    if var known = memory[stamps] {
      known.manifest.file = place
      return known
    }
    let reading = Self.parse(file, at: place, texts)
    memory.keep(reading, as: stamps)
    return reading
  }

  private static func parse(
    _ file: SmallFile.Opened, at place: String, _ texts: Texts?
  ) -> Reading {
    guard let bytes = SmallFile.read(file.descriptor, limit: PropertyList.Limits().bytes) else {
      return Reading(manifest: Manifest(file: place), fault: "\(place) cannot be read")
    }
    let (localized, fault) = parse(texts)
    do throws(PropertyList.Fault) {
      let list = try PropertyList.read(bytes)
      let manifest = Manifest(list, localized: localized, file: place)
      var reading = Reading(manifest: manifest, fault: nil)
      reading.textsFault = fault
      return reading
    } catch {
      return Reading(manifest: Manifest(file: place), fault: "\(place) is not read: \(error)")
    }
  }

  private static func parse(_ texts: Texts?) -> ([String: String], fault: String?) {
    guard let texts else { return ([:], nil) }
    let limit = PropertyList.Limits().bytes
    guard let bytes = SmallFile.read(texts.file.descriptor, limit: limit) else {
      return ([:], "\(texts.place) cannot be read")
    }
    do throws(StringsFile.Fault) { return (try StringsFile.read(bytes), nil) } catch {
      return ([:], "\(texts.place) is not read: \(error)")
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

  /// Reads the manifest of an app at a path: a program, or the folder of a bundle; `nil` if there is
  /// none.
  package init?(ofApp path: String, isFolder: Bool) {
    let places =
      isFolder
      ? ["Contents/Info.plist", "Resources/Info.plist", "Info.plist"].map { "\(path)/\($0)" }
      : Self.places(ofExecutable: path)
    let reader = ManifestReader()
    guard let reading = places.lazy.compactMap({ reader.read(list: $0) }).first else { return nil }
    self = reading.manifest
  }

  fileprivate static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }
}
