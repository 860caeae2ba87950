import FoundationEssentials
import Glibc

/// The files of the page, and of the map library that it shows maps with, where they are installed.
struct ConsolePage: Sendable {
  /// Everything that the page consists of.
  static let files = [
    "index.html", "console.css", "console.js", "live.js", "lanes.js", "questions.js",
    "sky.js", "day.js", "beacons.js", "timeline.js", "map.js", "words.js", "icon.svg",
  ]
  /// What is served of Leaflet, and what each is called where it is installed, the first that is there.
  static let libraryFiles = ["leaflet.js", "leaflet.css"]
  private static let libraryNames = [
    "leaflet.js": ["leaflet.esm.min.js", "leaflet.esm.js"], "leaflet.css": ["leaflet.css"],
  ]

  private let folder: String
  private let library: String

  /// Finds both.
  ///
  /// - Throws: what is missing, and how to get it.
  init(_ environment: [String: String], program: String) throws(Failure) {
    guard
      let folder = Self.folders(environment, program).first(where: { Self.has("\($0)/index.html") })
    else {
      throw .refused(
        "the page of the console is not installed: there is no console/index.html in share/meridian",
        next: "make install, or name its folder in MERIDIAN_CONSOLE")
    }
    guard let library = Self.libraryFolders.first(where: { Self.has("\($0)/leaflet.css") }) else {
      throw .refused(
        "the library of maps, Leaflet, is not installed", next: "apt install libjs-leaflet")
    }
    (self.folder, self.library) = (folder, library)
  }

  /// The folder that the environment names alone; else of the program's prefix, of the system, and for a
  /// program that was only built, of its package.
  private static func folders(_ environment: [String: String], _ program: String) -> [String] {
    if let named = environment["MERIDIAN_CONSOLE"], !named.isEmpty { return [named] }
    let parts = program.split(separator: "/", omittingEmptySubsequences: false)
    let own = parts.dropLast().joined(separator: "/")
    let package = parts.lastIndex(of: ".build").map {
      parts[..<$0].joined(separator: "/") + "/console"
    }
    return (package.map { [$0] } ?? [])
      + ["\(own)/../share", "/usr/local/share", "/usr/share"].map { "\($0)/meridian/console" }
  }

  private static let libraryFolders = ["/usr/share/javascript/leaflet", "/usr/share/leaflet/dist"]

  private static func has(_ path: String) -> Bool { access(path, R_OK) == 0 }

  func file(_ name: String) -> ConsoleResponse { Self.response(to: name, in: folder, as: [name]) }

  func libraryFile(_ name: String) -> ConsoleResponse {
    Self.response(to: name, in: library, as: Self.libraryNames[name] ?? [])
  }

  private static func response(
    to name: String, in folder: String, as names: [String]
  ) -> ConsoleResponse {
    for file in names {
      guard let data = try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)")) else {
        continue
      }
      return ConsoleResponse(type: type(of: name), [UInt8](data))
    }
    return ConsoleResponse(404, "\(name) is not installed.")
  }

  private static func type(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    default: "application/octet-stream"
    }
  }
}
