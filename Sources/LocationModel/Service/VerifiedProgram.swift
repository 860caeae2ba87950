/// The program of a client, as the server has verified it: nothing here is a claim of the app.
package struct VerifiedProgram: Hashable, Sendable {
  /// The absolute path of the file that runs, links resolved.
  package var path: String
  /// The number of its user.
  package var user: UInt32
  /// The folder of the installed Flatpak that it belongs to; `nil` for none.
  package var package: String?
  /// Whether only root and the server's user can replace the file at its path.
  package var isProtected: Bool

  package init(path: String, user: UInt32, package: String? = nil, isProtected: Bool) {
    self.path = path
    self.user = user
    self.package = package
    self.isProtected = isProtected
  }

  /// Its path and its user, to show beside the claims of the app.
  package var words: String { "\(path.escapedForDisplay(limit: 4096)), user \(user)" }
}

/// A program as its owner names it in a file: `NAME`, `NAME@UID`, `NAME=PATH`, or `NAME@UID=PATH`.
///
/// NAME is an identifier, or a path as it stands in the name of an app. A PATH is that of the program,
/// or the folder of an installed Flatpak.
package struct NamedProgram: Hashable, Sendable {
  /// The app without its user.
  package var base: String
  /// The only user that it matches; `nil` for any.
  package var user: UInt32?
  /// The only program that it matches; `nil` for the one that holds the identifier.
  package var path: String?

  /// Parses a word; `nil` if it is not valid.
  package init?(_ word: String) {
    let halves = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    var name = word
    if !word.hasPrefix("/"), halves.count == 2 {
      guard halves[1].hasPrefix("/") else { return nil }
      name = String(halves[0])
      path = AppIdentity.unescaped(String(halves[1]))
    }
    let app = AppIdentity(name)
    (base, user) = (app.base, app.user)
    if base.hasPrefix("/") {
      base = Self.stored(AppIdentity.unescaped(base))
    } else if AppIdentity.fault(ofIdentifier: base) != nil {
      return nil
    }
  }

  /// The app it stands for: of its one user, else of the user who keeps the state.
  package var app: AppIdentity { AppIdentity(base + (user.map { "@\($0)" } ?? "")) }

  /// Why a word names nothing, and what would.
  package static func fault(in word: String) -> String {
    let shown = word.escapedForDisplay()
    return "`\(shown)` is no app: expected an identifier such as org.example.App, or the path of a "
      + "program, with @UID behind it for one user's and, behind an identifier, =PATH for one program"
  }

  /// Whether a program is the one at the path that is given; also when another one holds the name.
  package func names(_ program: VerifiedProgram?) -> Bool {
    guard let path, let program else { return false }
    let stored = Self.stored(path)
    return stored == Self.stored(program.path) || stored == program.package.map(Self.stored)
  }

  /// A path as names of apps have it, in which two that differ in a byte are never taken for the same.
  private static func stored(_ path: String) -> String { AppIdentity(path: path).base }

  /// Whether it stands for an app that a program asks as.
  ///
  /// Without a path, an identifier stands for the program that holds it, which must be one that nobody
  /// but root and the user who serves it can replace: else whoever uses the identifier first would
  /// have what was meant for another one.
  package func matches(_ app: AppIdentity, of program: VerifiedProgram?) -> Bool {
    guard user == nil || user == app.user ?? program?.user else { return false }
    guard path == nil else {
      return (app.base == base || app.base.hasPrefix("/")) && names(program)
    }
    return app.base == base && (base.hasPrefix("/") || program?.isProtected == true)
  }
}
