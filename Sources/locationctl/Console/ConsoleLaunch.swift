import LocationCoding
import LocationHost
import LocationLink
import LocationModel

/// Whether the daemon starts an app for a pending event: what `locationctl apps register` and
/// `unregister` do.
struct ConsoleLaunch: Hashable, Sendable {
  let app: String
  let isRegistered: Bool

  /// Reads what a page wants.
  init(_ body: [UInt8]) throws(Failure) {
    do throws(CodingFault) {
      let parameters = try JSON(parsing: body)
      app = try parameters.get("app")
      isRegistered = try parameters.get("registered")
    } catch {
      throw .usage("the page has asked for what is not understood: \(error)", next: "load it again")
    }
  }

  /// Writes or removes the registration, in the folder of the daemon in use.
  func perform() throws(Failure) {
    let installed = try program(among: try RunningDaemon.needed().ask(.apps, "apps"))
    guard let installed else { return try StoredRegistration(of: AppIdentity(app)).remove() }
    _ = try StoredRegistration(installed, [], unit: nil, continues: false).write()
  }

  /// The program that is to be started; `nil` for none. Which one is the app's is the daemon's word,
  /// not the page's.
  func program(among apps: [AppStatus]) throws(Failure) -> InstalledApp? {
    let shown = app.escapedForDisplay()
    guard let status = apps.first(where: { $0.app == app }) else {
      throw .refused("the location daemon knows no app \(shown)", next: "start it once")
    }
    guard isRegistered else { return nil }
    guard let path = status.program else {
      throw .refused(
        "the program of \(shown) is not known", next: "locationctl apps register PROGRAM")
    }
    let installed = try InstalledApp(path)
    guard installed.identity.base == AppIdentity(app).base else {
      throw .refused(
        "\(path.escapedForDisplay()) is another app now: "
          + installed.identity.name.escapedForDisplay(), next: "locationctl apps")
    }
    return installed
  }
}
