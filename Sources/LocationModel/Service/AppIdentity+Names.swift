// How the names of apps are made, so that no app can have the name of another one: an identifier has
// no `/` and no `@`, a path begins with `/` and has its own `@` escaped, and what follows the one
// `@` is the number of a user (docs/decisions/0067).
extension AppIdentity {
  /// The app with the identifier that it declares, where that is one; else with its path.
  ///
  /// - Parameters:
  ///   - identifier: what the program declares; `nil` for nothing.
  ///   - path: the absolute path of the program.
  ///   - user: the number of its user; `nil` for the user who keeps the state.
  package init(declaring identifier: String?, path: String, user: UInt32? = nil) {
    guard let identifier, Self.fault(ofIdentifier: identifier) == nil else {
      self.init(path: path, user: user)
      return
    }
    self.init(identifier + Self.suffix(user))
  }

  /// The app that is known by the path of its program.
  package init(path: String, user: UInt32? = nil) {
    self.init(Self.escaped(path) + Self.suffix(user))
  }

  /// The name without the user: an identifier, or a path as it is stored.
  package var base: String { split.base }

  /// The number of its user; `nil` for the user who keeps the state.
  package var user: UInt32? { split.user }

  /// The owner of a daemon, as an app of its engine (docs/decisions/0006). No program can be it.
  package static let owner = AppIdentity("locationctl")

  /// Whether a program claims to be the owner, for one user or another.
  package var isOwner: Bool { base.lowercased() == Self.owner.name }

  /// The path of its program as the system has it; `nil` for an app with an identifier.
  package var path: String? {
    base.hasPrefix("/") ? Self.unescaped(base) : nil
  }

  private var split: (base: String, user: UInt32?) {
    guard let mark = name.utf8.lastIndex(of: UInt8(ascii: "@")) else { return (name, nil) }
    let digits = name[name.utf8.index(after: mark)...]
    guard let user = UInt32(digits), "\(user)" == digits else { return (name, nil) }
    return (String(name[..<mark]), user)
  }

  private static func suffix(_ user: UInt32?) -> String { user.map { "@\($0)" } ?? "" }

  // MARK: Identifiers

  /// Bytes of the longest identifier, as for Flatpak and D-Bus.
  package static let longestIdentifier = 255

  /// Why text that a program declares is no identifier, to follow its name in a sentence; `nil` when
  /// it is one.
  ///
  /// A reverse-DNS name in ASCII: two labels or more, of letters, digits, `-`, and `_`, joined by `.`.
  package static func fault(ofIdentifier text: String) -> String? {
    guard text.utf8.count <= longestIdentifier else {
      return "is longer than \(longestIdentifier) bytes"
    }
    if let wrong = text.unicodeScalars.first(where: { !isAllowed($0) }) {
      let number = String(wrong.value, radix: 16, uppercase: true)
      let digits = String(repeating: "0", count: max(0, 4 - number.count)) + number
      return
        "has the character U+\(digits); an identifier has letters and digits of ASCII, and . - _"
    }
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    guard !labels.contains(where: \.isEmpty) else { return "has an empty part between its dots" }
    guard labels.count > 1 else { return "is not of the form org.example.App" }
    return text.hasPrefix("-") ? "begins with a hyphen" : nil
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", ".", "-", "_": true
    default: false
    }
  }

  // MARK: Paths

  /// A path in printable ASCII, without `@`: other bytes, and `%`, are `%` and two hexadecimal digits.
  private static func escaped(_ path: String) -> String {
    path.utf8.reduce(into: "") { escaped, byte in
      switch byte {
      case UInt8(ascii: "%"), UInt8(ascii: "@"), 0..<0x20, 0x7f...:
        let digits = String(byte, radix: 16, uppercase: true)
        escaped += "%" + (digits.utf8.count < 2 ? "0" : "") + digits
      default: escaped.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
  }

  /// The path that was escaped; a `%` without two digits behind it stands for itself.
  package static func unescaped(_ path: String) -> String {
    let bytes = Array(path.utf8)
    var plain: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let digits = bytes.dropFirst(index + 1).prefix(2)
      if bytes[index] == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(isDigit),
        let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        plain.append(byte)
        index += 3
      } else {
        plain.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: plain, as: UTF8.self)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    Unicode.Scalar(byte).properties.isASCIIHexDigit
  }
}
