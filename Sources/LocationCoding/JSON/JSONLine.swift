internal import LocationModel

/// One JSON object on one line; keys in the order in which they are added.
///
/// A value that is not known is left out: a missing field is unknown.
package struct JSONLine {
  private var members: [String]

  package init(type: String) {
    members = []
    add("type", type)
  }

  package var text: String { ("{" + members.joined(separator: ",") + "}").escapedInJSON }

  package mutating func add(_ key: String, _ text: String?) {
    guard let text else { return }
    put(key, Self.quoted(text))
  }

  package mutating func add(_ key: String, _ number: Double?) {
    guard let number, number.isFinite else { return }
    put(key, Int(exactly: number).map(String.init) ?? "\(number)")
  }

  package mutating func add(_ key: String, _ number: Int?) {
    guard let number else { return }
    put(key, String(number))
  }

  package mutating func add(_ key: String, flag: Bool) {
    put(key, flag ? "true" : "false")
  }

  package mutating func add(_ key: String, texts: [String]) {
    put(key, "[" + texts.map(Self.quoted).joined(separator: ",") + "]")
  }

  /// Of an object, its members; its type is left out.
  package mutating func add(_ key: String, object: JSONLine) {
    put(key, "{" + object.members.dropFirst().joined(separator: ",") + "}")
  }

  /// A value that is JSON already.
  package mutating func add(_ key: String, json: String) { put(key, json) }

  /// An array of objects; their types are left out.
  package mutating func add(_ key: String, objects: [JSONLine]) {
    let members = objects.map { "{" + $0.members.dropFirst().joined(separator: ",") + "}" }
    put(key, "[" + members.joined(separator: ",") + "]")
  }

  /// A value that is known to be none is `null`.
  package mutating func addOrNull(_ key: String, _ text: String?) {
    put(key, text.map(Self.quoted) ?? "null")
  }

  private mutating func put(_ key: String, _ value: String) {
    members.append("\(Self.quoted(key)):\(value)")
  }

  private static func quoted(_ text: String) -> String {
    // Nearly every text is plain, and a day in virtual time has a million of them.
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5c }) else {
      return "\"" + text + "\""
    }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
