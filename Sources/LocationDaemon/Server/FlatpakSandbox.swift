import Glibc
import LocationHost
import LocationModel

/// The Flatpak that a process runs in, as far as the kernel can verify it.
///
/// The sandbox's own file says only where to look; any program can write one. The evidence is that
/// the program which runs is, by device and inode, the file that the installed app has at that
/// place.
struct FlatpakSandbox: Hashable, Sendable {
  /// The identifier of the app, such as `org.example.Boat`.
  var name: String
  /// The folder of the installed app, the same after each update.
  var home: String
  /// The program's path in the daemon's view.
  var executable: String

  /// The unverified contents of a sandbox's file.
  struct Claim: Hashable {
    var name: String
    /// The folder of the app's files outside of the sandbox.
    var files: String

    /// Parses the text of a `.flatpak-info`; `nil` if it is not one.
    init?(_ text: String) {
      var values: [String: String] = [:]
      var section = ""
      for line in text.split(separator: "\n") {
        if line.hasPrefix("[") {
          section = String(line)
        } else if let equals = line.firstIndex(of: "=") {
          values[section + line[..<equals]] = String(line[line.index(after: equals)...])
        }
      }
      guard let name = values["[Application]name"], let files = values["[Instance]app-path"]
      else { return nil }
      (self.name, self.files) = (name, files)
    }

    /// `BASE` of `BASE/app/NAME/ARCH/BRANCH/COMMIT/files`; `nil` if the path has another form or a
    /// component leads elsewhere.
    var base: String? {
      let words = files.split(separator: "/", omittingEmptySubsequences: false)
      guard files.hasPrefix("/"), words.count > 7, words.last == "files", !words.contains(".."),
        !words.contains("."), !words.dropFirst().contains(""), !name.isEmpty,
        words[words.count - 5] == name, words[words.count - 6] == "app"
      else { return nil }
      return words.dropLast(6).joined(separator: "/")
    }
  }

  /// Verifies the sandbox of a process whose program has this path in its own view; `nil` if it is
  /// in none, or the program is not the app's at that place.
  ///
  /// - Throws: `Fault` if the app is not installed.
  init?(
    of pid: Int32, running path: String, user: uid_t, _ configured: [String]
  ) throws(Peer.Fault) {
    guard path.hasPrefix("/app/"), !path.holds("/../"),
      let bytes = SmallFile.read("/proc/\(pid)/root/.flatpak-info", limit: Self.longest),
      let claim = Claim(String(decoding: bytes, as: UTF8.self)), let base = claim.base
    else { return nil }
    let installed = claim.files + path.dropFirst("/app".count)
    var (running, present) = (stat(), stat())
    guard stat("/proc/\(pid)/exe", &running) == 0, stat(installed, &present) == 0,
      running.st_dev == present.st_dev, running.st_ino == present.st_ino
    else { return nil }
    (name, executable) = (claim.name, installed)
    do throws(FlatpakInstallation.Fault) {
      let installation = try FlatpakInstallation.named(base, user: user, configured: configured)
      home = try installation.home(ofFiles: claim.files, under: base, program: installed)
    } catch {
      throw Peer.Fault(
        description: "the sandbox of process \(pid) is of no installed Flatpak: \(error)")
    }
  }

  /// The greatest size of the file in bytes. Real ones have under 2,000.
  private static let longest = 65_536
}
