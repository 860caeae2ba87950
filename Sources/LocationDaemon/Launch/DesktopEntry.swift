import LocationHost
import LocationModel

/// An entry of the desktop's menu that lets the daemon start its app: `X-Meridian-Launch=true` in its
/// group `[Desktop Entry]`.
struct DesktopEntry: Hashable, Sendable {
  /// The program and its arguments, without those that stand for files.
  var words: [String]

  /// Reads an entry; `nil` for one that does not ask to be started.
  init?(file: String) throws(LaunchRegistration.Fault) {
    // Most entries are somebody else's: only those that ask have to be safe.
    guard let bytes = SmallFile.read(file, limit: Self.limit),
      let entry = try Self(String(decoding: bytes, as: UTF8.self))
    else { return nil }
    do throws(OwnedFile.Fault) {
      guard try OwnedFile.read(file, limit: Self.limit) == bytes else { return nil }
    } catch { throw LaunchRegistration.Fault(description: error.description) }
    self = entry
  }

  /// Parses the text of an entry; `nil` for one that does not ask to be started.
  init?(_ text: String) throws(LaunchRegistration.Fault) {
    let values = DesktopCommand.values(of: text)
    guard values["X-Meridian-Launch"] == "true", values["Hidden"] != "true" else { return nil }
    guard let command = values["Exec"] else {
      throw LaunchRegistration.Fault(description: "`Exec` is missing")
    }
    do throws(DesktopCommand.Fault) { words = try DesktopCommand.words(of: command) } catch {
      throw LaunchRegistration.Fault(description: error.description)
    }
    guard let program = words.first, !program.isEmpty else {
      throw LaunchRegistration.Fault(description: "`Exec` is empty")
    }
    guard let path = DesktopCommand.path(of: program) else {
      throw LaunchRegistration.Fault(description: "there is no program \(program)")
    }
    words[0] = path
  }

  /// The registration of the app: its identifier counts for the program of the entry.
  func registration() throws(LaunchRegistration.Fault) -> LaunchRegistration {
    let path = SmallFile.resolved(words[0]) ?? words[0]
    let app = AppIdentity(
      declaring: Manifest(ofExecutable: path).identifier, path: path)
    return LaunchRegistration(
      app: app, holder: app.path == nil ? path : nil, method: .command(words))
  }

  private static let limit = 65_536
}
