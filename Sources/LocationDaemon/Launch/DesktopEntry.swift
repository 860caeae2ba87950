import Glibc
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
    var values: [Substring: Substring] = [:]
    var isIn = false
    for line in text.split(separator: "\n") {
      if line.hasPrefix("[") { isIn = line == "[Desktop Entry]" }
      guard isIn, !line.hasPrefix("#"), let mark = line.firstIndex(of: "=") else { continue }
      let key = line[..<mark].filter { !$0.isWhitespace }
      values[Substring(key)] = line[line.index(after: mark)...].drop(while: \.isWhitespace)
    }
    guard values["X-Meridian-Launch"] == "true", values["Hidden"] != "true" else { return nil }
    guard let command = values["Exec"] else {
      throw LaunchRegistration.Fault(description: "`Exec` is missing")
    }
    words = try Self.words(of: command)
    guard let program = words.first, !program.isEmpty else {
      throw LaunchRegistration.Fault(description: "`Exec` is empty")
    }
    guard let path = Self.path(of: program) else {
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

  /// Splits a command as the specification of desktop entries does: quotes, escapes, and codes such
  /// as `%U`, which stand for nothing here.
  private static func words(
    of command: Substring
  ) throws(LaunchRegistration.Fault) -> [String] {
    var words: [String] = []
    var word: String?
    var isQuoted = false
    var rest = command
    while let character = rest.popFirst() {
      switch character {
      case "\"":
        isQuoted.toggle()
        word = word ?? ""
      case "\\":
        guard let next = rest.popFirst() else { break }
        word = (word ?? "") + String(next)
      case "%":
        if rest.popFirst() == "%" { word = (word ?? "") + "%" }
      case " ", "\t":
        guard !isQuoted else {
          word?.append(character)
          continue
        }
        if let word { words.append(word) }
        word = nil
      default: word = (word ?? "") + String(character)
      }
    }
    guard !isQuoted else { throw LaunchRegistration.Fault(description: "`Exec` has an open quote") }
    return words + (word.map { [$0] } ?? [])
  }

  /// The program at a path, or of a name where the system's programs are.
  private static func path(of program: String) -> String? {
    let places = ["/usr/local/bin", "/usr/bin", "/bin"].map { "\($0)/\(program)" }
    let candidates = program.hasPrefix("/") ? [program] : program.contains("/") ? [] : places
    return candidates.first { access($0, X_OK) == 0 }
  }

  private static let limit = 65_536
}
