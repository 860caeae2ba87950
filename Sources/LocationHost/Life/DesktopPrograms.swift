import Glibc
import LocationProviders

/// The programs that the desktop entries of app identifiers start.
///
/// An identifier `org.example.Boat` stands for the program in `Exec` of `org.example.Boat.desktop`,
/// of the first folder that has one, and for no other.
package struct DesktopPrograms: Sendable {
  /// The folders of entries, those that count first in front.
  private let folders: [String]

  /// Creates the programs of a person, whose folders the variables name.
  package init(_ variables: [String: String]) {
    func value(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
    let own = value("XDG_DATA_HOME") ?? value("HOME").map { "\($0)/.local/share" }
    let others = (value("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share")
      .split(separator: ":").map(String.init)
    folders = ([own].compactMap(\.self) + others).filter { $0.hasPrefix("/") }
      .prefix(Self.mostFolders).map { "\($0)/applications" }
  }

  /// The windows, with programs in place of the identifiers that have an entry.
  func resolved(_ windows: WindowState) -> WindowState {
    WindowState(
      owners: Set(windows.owners.compactMap(resolved)),
      active: Set(windows.active.compactMap(resolved)))
  }

  private func resolved(_ owner: WindowOwner) -> WindowOwner? {
    guard case .app(let identifier) = owner else { return owner }
    return program(of: identifier).map { .program($0) }
  }

  /// The path of the program of an app; `nil` without an entry.
  package func program(of identifier: String) -> String? {
    guard !identifier.isEmpty, !identifier.utf8.contains(UInt8(ascii: "/")) else { return nil }
    for folder in folders {
      guard let bytes = SmallFile.read("\(folder)/\(identifier).desktop", limit: Self.limit) else {
        continue
      }
      let entry = DesktopCommand.values(of: String(decoding: bytes, as: UTF8.self))
      guard entry["Hidden"] != "true", let command = entry["Exec"],
        let words = try? DesktopCommand.words(of: command)
      else { return nil }
      let program = words.first { $0 != "env" && !$0.hasSuffix("/env") && !$0.contains("=") }
      return program.flatMap(DesktopCommand.path).flatMap(SmallFile.resolved)
    }
    return nil
  }

  /// Bytes of an entry. Chosen.
  private static let limit = 65_536
  /// Chosen.
  private static let mostFolders = 16
}

/// The text of desktop entries (specifications.freedesktop.org/desktop-entry-spec).
package enum DesktopCommand {
  /// Why a command cannot be read.
  package struct Fault: Error, Hashable {
    package var description: String
  }

  /// The values of the group `[Desktop Entry]`.
  package static func values(of text: String) -> [Substring: Substring] {
    var values: [Substring: Substring] = [:]
    var isIn = false
    for line in text.split(separator: "\n") {
      if line.hasPrefix("[") { isIn = line == "[Desktop Entry]" }
      guard isIn, !line.hasPrefix("#"), let mark = line.firstIndex(of: "=") else { continue }
      let key = line[..<mark].filter { !$0.isWhitespace }
      values[Substring(key)] = line[line.index(after: mark)...].drop(while: \.isWhitespace)
    }
    return values
  }

  /// Splits a command as the specification of desktop entries does: quotes, escapes, and codes such
  /// as `%U`, which stand for nothing here.
  package static func words(
    of command: Substring
  ) throws(Fault) -> [String] {
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
    guard !isQuoted else { throw Fault(description: "`Exec` has an open quote") }
    return words + (word.map { [$0] } ?? [])
  }

  /// The program at a path, or of a name where the system's programs are.
  package static func path(of program: String) -> String? {
    let places = ["/usr/local/bin", "/usr/bin", "/bin"].map { "\($0)/\(program)" }
    let candidates = program.hasPrefix("/") ? [program] : program.contains("/") ? [] : places
    return candidates.first { access($0, X_OK) == 0 }
  }
}
