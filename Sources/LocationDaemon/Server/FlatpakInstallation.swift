import Glibc
import LocationHost

/// A folder in which Flatpak installs apps, and the users who may write there.
struct FlatpakInstallation: Hashable {
  /// The path with links resolved.
  var folder: String
  var owners: Set<uid_t>

  /// Why a sandbox belongs to no installed app.
  struct Fault: Error, Hashable, CustomStringConvertible {
    var description: String
  }

  /// Returns the installation in a folder that a sandbox names. The name is not trusted: it must be
  /// one of the system, one of the daemon's configuration, or that of the process's own user.
  ///
  /// - Throws: `Fault` if there is no such installation.
  static func named(
    _ base: String, user: uid_t, configured: [String]
  ) throws(Fault) -> FlatpakInstallation {
    guard let folder = SmallFile.resolved(base) else {
      throw Fault(description: "there is no folder \(base)")
    }
    if ([system] + systemConfigured()).contains(where: { SmallFile.resolved($0) == folder }) {
      return FlatpakInstallation(folder: folder, owners: [0])
    }
    if configured.contains(where: { SmallFile.resolved($0) == folder }) {
      return FlatpakInstallation(folder: folder, owners: OwnedFile.owners)
    }
    if let home = home(of: user), SmallFile.resolved(home + "/.local/share/flatpak") == folder {
      return FlatpakInstallation(folder: folder, owners: [0, user])
    }
    throw Fault(
      description: "\(base) is no folder in which Flatpak installs apps for all or for user "
        + "\(user); name it in the daemon's configuration: flatpak-installation = \(base)")
  }

  /// Returns the folder of an app, `FOLDER/app/NAME`, whose files and program only the owners can
  /// have put there. `files` are as the sandbox names them,
  /// `BASE/app/NAME/ARCH/BRANCH/COMMIT/files`.
  ///
  /// - Throws: `Fault` with who else could have put them there.
  func home(ofFiles files: String, under base: String, program: String) throws(Fault) -> String {
    let inside = files.dropFirst(base.count)
    guard SmallFile.resolved(files) == folder + inside else {
      throw Fault(description: "\(files) leads out of \(folder)")
    }
    if let cause = OwnedFile.intruder(on: program, owners: owners) {
      throw Fault(description: cause)
    }
    return folder + inside.split(separator: "/").prefix(2).map { "/\($0)" }.joined()
  }

  private static let system = "/var/lib/flatpak"
  private static let systemFolder = "/etc/flatpak/installations.d"

  /// Returns the `Path=` of each installation that root has configured for Flatpak itself.
  private static func systemConfigured() -> [String] {
    SmallFile.names(in: systemFolder).filter { $0.hasSuffix(".conf") }.flatMap { name in
      let bytes = (try? OwnedFile.read("\(systemFolder)/\(name)", limit: 65_536)) ?? []
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
        line.hasPrefix("Path=/") ? String(line.dropFirst("Path=".count)) : nil
      }
    }
  }

  /// Returns a user's home from the system's list of users.
  private static func home(of user: uid_t) -> String? {
    var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
    var text = [CChar](repeating: 0, count: 16_384)
    guard getpwuid_r(user, &entry, &text, text.count, &found) == 0, found != nil,
      let home = entry.pw_dir.map({ String(cString: $0) }), home.hasPrefix("/")
    else { return nil }
    return home
  }
}
