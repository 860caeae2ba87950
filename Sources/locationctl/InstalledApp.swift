import FoundationEssentials
import LocationHost
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
  /// of its executable (MODEL-1). For a daemon the app of another user has `@UID` behind its name.
  init(_ word: String) throws(Failure) {
    guard word.contains("/") else {
      identity = AppIdentity(word)
      return
    }
    let mark = word.lastIndex(of: "@").flatMap { mark in
      word[mark...].dropFirst().allSatisfy(\.isNumber) && word.last != "@" ? mark : nil
    }
    let (file, user) = (word[..<(mark ?? word.endIndex)], word[(mark ?? word.endIndex)...])
    let isThere = FileManager.default.fileExists(atPath: String(file))
    // As `locationctl apps` lists it: some characters stand there as % and two digits.
    let url = URL(fileURLWithPath: isThere ? String(file) : AppIdentity.unescaped(String(file)))
      .resolvingSymlinksInPath()
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw .refused(
        "there is no file \(url.path)", next: "name the app's executable, or its bundle identifier")
    }
    path = url.path
    manifest = Manifest(ofApp: url.path, isFolder: url.hasDirectoryPath)
    identity = AppIdentity(
      declaring: manifest?.identifier, path: url.path, user: UInt32(user.dropFirst()))
  }
}
