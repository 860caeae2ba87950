package import Glibc
import LocationHost

/// Finds the Debian package that a program is part of, in dpkg's lists of files.
///
/// Only root installs packages, so a program counts as part of one only if nobody but root can write
/// the program, the list, or the way to them. May be called on any thread, and waits for file systems.
package final class InstalledPackages: Sendable {
  /// Identifies a program and the lists as they were when they were read.
  private struct Stamp: Hashable {
    var path: String
    var program: FileStamp
    var lists: FileStamp
  }

  private let folder: String
  private let owners: Set<uid_t>
  /// The packages of programs; `nil` in it for a program that is part of none.
  private let memory = BoundedCache<Stamp, String?>(capacity: InstalledPackages.kept)

  /// - Parameters:
  ///   - folder: The folder of dpkg's lists.
  ///   - owners: The users who may own the program and the lists.
  package init(folder: String = "/var/lib/dpkg/info", owners: Set<uid_t> = [0]) {
    (self.folder, self.owners) = (folder, owners)
  }

  /// The number of programs cached, for the tests.
  package var count: Int { memory.count }

  /// Returns the package of the program at a path, such as `dpkg:boat`; `nil` if it is part of none, or
  /// others could have written it.
  package func package(of program: String) -> String? {
    guard OwnedFile.intruder(on: program, owners: owners) == nil,
      OwnedFile.intruder(on: folder, owners: owners) == nil,
      let own = FileStamp(ofFileAt: program), let lists = FileStamp(ofFileAt: folder)
    else { return nil }
    let stamp = Stamp(path: program, program: own, lists: lists)
    if let known = memory[stamp] { return known }
    let found = search(program)
    memory.keep(found, as: stamp)
    return found
  }

  /// Reads the lists, which takes some hundredths of a second on a computer with a thousand packages.
  private func search(_ program: String) -> String? {
    var lines = ["\n\(program)\n"]
    // A package may name a file in /usr by the link that older systems had as a folder.
    if program.hasPrefix("/usr/") { lines.append("\n\(program.dropFirst(4))\n") }
    let ending = ".list"
    var left = Self.most
    for name in SmallFile.names(in: folder).prefix(Self.mostLists) where name.hasSuffix(ending) {
      guard left > 0 else { return nil }
      guard let bytes = SmallFile.read("\(folder)/\(name)", limit: Self.longest) else { continue }
      left -= bytes.count
      let text = (bytes + [0]).map { CChar(bitPattern: $0) }
      guard lines.contains(where: { strstr(text, $0) != nil }),
        OwnedFile.intruder(on: "\(folder)/\(name)", owners: owners) == nil
      else { continue }
      // `boat:amd64.list` is of a package that can be installed for several architectures.
      return "dpkg:" + name.dropLast(ending.count).prefix { $0 != ":" }
    }
    return nil
  }

  /// Programs cached. Chosen: many times the apps of a computer.
  package static let kept = 256
  /// Chosen: more than the largest archive has packages.
  private static let mostLists = 200_000
  /// Bytes of a list. Chosen: the longest of Debian has some four million.
  package static let longest = 16 << 20
  /// Bytes of all lists that are read for a program. Chosen: ten times those of a full desktop; less than
  /// a second.
  package static let most = 512 << 20
}
