import CoreLocation
import LocationModel

/// An app as named on the command line: by bundle identifier, or by path.
struct InstalledApp: Sendable {
  var identity: AppIdentity
  /// What it declares; `nil` when no property list was found.
  var manifest: Manifest?
  /// The executable or the folder; `nil` when named by identifier.
  var path: String?

  /// The file it declares itself in, or the one to create.
  var manifestFile: String { manifest?.file ?? (path ?? identity.name) + ".plist" }

  /// A word with a slash is a path; its app is known by its declared identifier, else by the path
  /// of its executable (MODEL-1).
  init(_ word: String) throws(Failure) {
    guard word.contains("/") else {
      identity = AppIdentity(word)
      return
    }
    let url = URL(fileURLWithPath: word).resolvingSymlinksInPath()
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw .refused(
        "there is no file \(url.path)", next: "name the app's executable, or its bundle identifier")
    }
    path = url.path
    let file = Self.propertyLists(of: url).first {
      FileManager.default.fileExists(atPath: $0.path)
    }
    manifest = file.map { Manifest(file: $0) }
    identity = AppIdentity(manifest?.identifier ?? url.path)
  }

  /// Where an app's property list may lie, in the order in which it is looked for.
  private static func propertyLists(of url: URL) -> [URL] {
    let folder = url.hasDirectoryPath ? url : url.deletingLastPathComponent()
    return [
      url.appendingPathExtension("plist"), folder.appending(path: "Contents/Info.plist"),
      folder.appending(path: "Resources/Info.plist"), folder.appending(path: "Info.plist"),
    ]
  }
}
