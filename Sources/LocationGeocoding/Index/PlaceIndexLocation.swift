import Glibc

/// Where the place index lies on this machine.
package enum PlaceIndexLocation {
  /// The first that exists of: `$MERIDIAN_PLACES`, beside the executable, the `share` folder of the
  /// same prefix, the package's own build folder.
  package static var found: String? { candidates.first { access($0, R_OK) == 0 } }

  package static var candidates: [String] {
    if let named = getenv("MERIDIAN_PLACES") { return [String(cString: named)] }
    let folder = executableFolder
    return [
      "\(folder)/places.sqlite",
      "\(folder)/../share/meridian/places.sqlite",
      "/usr/local/share/meridian/places.sqlite",
      "/usr/share/meridian/places.sqlite",
    ] + buildFolders(above: folder).map { "\($0)/places.sqlite" }
  }

  /// What to tell a person who has no index.
  package static var advice: String {
    "No place index is installed (looked for \(candidates.joined(separator: ", "))). Build one with "
      + "Scripts/build_place_index.py, or name one in MERIDIAN_PLACES."
  }

  private static var executableFolder: String {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let path = String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    return String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
  }

  /// The `.build` folders that hold the executable.
  private static func buildFolders(above folder: String) -> [String] {
    let parts = folder.split(separator: "/", omittingEmptySubsequences: false)
    guard let depth = parts.lastIndex(of: ".build") else { return [] }
    return [parts[...depth].joined(separator: "/")]
  }
}
