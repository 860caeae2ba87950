import FoundationEssentials
import LocationHost
import LocationLink
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
    let number = UInt32(user.dropFirst())
    guard user.isEmpty || number != nil else {
      throw .refused("no user has the number \(user.dropFirst())", next: "getent passwd lists them")
    }
    let isThere = FileManager.default.fileExists(atPath: String(file))
    // As `locationctl apps` lists it: some characters stand there as % and two digits.
    let url = URL(fileURLWithPath: isThere ? String(file) : AppIdentity.unescaped(String(file)))
      .resolvingSymlinksInPath()
    guard FileManager.default.fileExists(atPath: url.path) else {
      // What an app may know outlives it.
      identity = AppIdentity(declaring: nil, path: url.path, user: number)
      guard try !Self.isStored(identity, by: .find()) else { return }
      throw .refused(
        "there is no file \(url.path)", next: "name the app's executable, or its bundle identifier")
    }
    path = url.path
    manifest = Manifest(ofApp: url.path, isFolder: url.hasDirectoryPath)
    identity = AppIdentity(
      declaring: manifest?.identifier, path: url.path, user: number)
  }

  /// The same app as a daemon names it that runs as another user than the app's; as it is where the user is
  /// named already, or no program is.
  func asRun(by user: UInt32) -> InstalledApp {
    guard let path, identity.user == nil else { return self }
    var app = self
    app.identity = AppIdentity(declaring: manifest?.identifier, path: path, user: user)
    return app
  }

  /// Whether an app has asked, was decided about, or is registered, with a daemon or without.
  static func isStored(
    _ app: AppIdentity, by daemon: RunningDaemon?
  ) throws(Failure) -> Bool {
    guard let daemon else { return try SavedState().apps.contains(app) }
    let apps: [AppStatus] = try daemon.ask(.apps, "apps")
    return apps.contains { $0.app == app.name }
  }
}
