import Glibc
import LocationModel

/// Finds files of an app that the daemon cannot read because their folder is closed to others.
package enum ClosedPlace {
  /// Returns why the daemon cannot read a program, and how to open the folder; `nil` if it can, or
  /// if the cause is another.
  package static func refusal(ofProgram path: String) -> String? {
    guard let folder = folder(on: path) else { return nil }
    return "its program \(path) lies in \(folder), which is closed to the daemon's user: "
      + advice(folder)
  }

  /// Returns why the daemon cannot read a program's manifest; `nil` if it can, or there is none.
  package static func refusal(ofPropertyListsBeside path: String) -> String? {
    for place in Manifest.places(ofExecutable: path) {
      if faccessat(AT_FDCWD, place, R_OK, AT_EACCESS) == 0 { return nil }
      guard errno == EACCES else { continue }
      if let folder = folder(on: place) {
        return "what it declares lies in \(folder), which is closed to the daemon's user: "
          + advice(folder)
      }
      return "what it declares in \(place) cannot be read by the daemon's user: "
        + "chmod o+r \(place.quotedForShell)"
    }
    return nil
  }

  /// Returns the commands that open a folder to the daemon.
  package static func advice(_ folder: String) -> String {
    "chmod o+x \(folder.quotedForShell), or install the app in a folder that is open to all, such as "
      + "/usr/local/bin, or let the daemon look everywhere: AmbientCapabilities=CAP_DAC_READ_SEARCH "
      + "and CapabilityBoundingSet=CAP_DAC_READ_SEARCH in systemctl edit locationd"
  }

  /// Returns the first folder on the path of a file that this process may not enter.
  private static func folder(on path: String) -> String? {
    var status = stat()
    let slash = UInt8(ascii: "/")
    return path.utf8.indices.dropFirst().lazy.filter { path.utf8[$0] == slash }
      .map { String(path[..<$0]) }
      .first { stat($0 + "/.", &status) != 0 && errno == EACCES }
  }
}
