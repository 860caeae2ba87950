import Glibc

/// Where an index lies on this machine, and how to make one.
package struct IndexLocation: Sendable {
  private let variable: String
  private let file: String
  private let recipe: String

  /// The place index that is installed with the package.
  package static let places = IndexLocation(
    variable: "MERIDIAN_PLACES", file: "places.sqlite",
    recipe:
      "No place index is installed. Install the package meridian-places, build one with make places, or "
      + "name one")
  /// What a person does who has no place index.
  package static let howToGetPlaces =
    "install the package meridian-places, or in the folder of the source: make places"
  /// The address index that `locationctl geocode import` makes.
  package static let streets = IndexLocation(
    variable: "MERIDIAN_STREETS", file: "streets.sqlite",
    recipe: "No address index is installed. Import one with locationctl geocode import, or name one"
  )

  /// The first candidate that can be read.
  package var found: String? { candidates.first { access($0, R_OK) == 0 } }

  /// The environment's word alone, when it says one; else beside the executable, the user's own,
  /// the `share` folders of the executable's prefix and of the system, the package's build folder.
  package var candidates: [String] {
    if let named = Self.environment(variable) { return [named] }
    let folder = Self.executableFolder
    return
      ([folder, Self.userFolder, "\(folder)/../share/meridian"]
      + ["/usr/local/share/meridian", "/usr/share/meridian"] + Self.buildFolders(above: folder))
      .map { "\($0)/\(file)" }
  }

  /// Where an index made by the user goes.
  package var writable: String { Self.environment(variable) ?? "\(Self.userFolder)/\(file)" }

  /// The next step for a person without an index.
  package var advice: String {
    "\(recipe) in \(variable). Looked for: \(candidates.joined(separator: ", "))"
  }

  private static var userFolder: String {
    let data = environment("XDG_DATA_HOME") ?? "\(environment("HOME") ?? "")/.local/share"
    return "\(data)/meridian"
  }

  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static var executableFolder: String {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let path = String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    return String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
  }

  /// The `.build` folder that holds the executable, when one does.
  private static func buildFolders(above folder: String) -> [String] {
    let parts = folder.split(separator: "/", omittingEmptySubsequences: false)
    guard let depth = parts.lastIndex(of: ".build") else { return [] }
    return [parts[...depth].joined(separator: "/")]
  }
}
