/// A file of settings: one `key = value` on a line; `#` begins a comment, and white space around a key
/// and a value does not count.
package enum KeyValueLines {
  /// Passes on each setting of a text, in order.
  ///
  /// - Parameters:
  ///   - text: the file.
  ///   - take: applies a setting, and returns what is wrong with it, or `nil`. Neither the key nor the
  ///     value is empty.
  /// - Returns: every fault in the text, with the number of its line, from 1.
  package static func read(
    _ text: String, _ take: (_ key: String, _ value: String) -> String?
  ) -> [(line: Int, cause: String)] {
    var faults: [(line: Int, cause: String)] = []
    let lines = plain(text).split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      // The system's calls end a text there: another value would be used than the one that was looked at.
      guard !line.utf8.contains(0) else {
        faults.append((index + 1, "has a NUL byte"))
        continue
      }
      let words = trim(line.prefix { $0 != "#" })
      guard !words.isEmpty, let cause = fault(in: words, take) else { continue }
      faults.append((index + 1, cause))
    }
    return faults
  }

  /// Returns a text without the mark that editors of other systems put before it, and with ends of lines as here.
  package static func plain(_ text: String) -> String {
    let text = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
    return text.replacing("\r\n", with: "\n")
  }

  /// Returns what a line sets, and to what, which may be empty; `nil` for one that is no setting.
  package static func setting(in line: Substring) -> (key: String, value: String)? {
    let words = trim(line.prefix { $0 != "#" })
    guard let equals = words.firstIndex(of: "="), equals != words.startIndex else { return nil }
    return (String(trim(words[..<equals])), String(trim(words[words.index(after: equals)...])))
  }

  private static func fault(
    in words: Substring, _ take: (_ key: String, _ value: String) -> String?
  ) -> String? {
    guard let (key, value) = setting(in: words) else {
      return "expected `key = value`, found `\(words.prefix(longestQuote))`"
    }
    guard !value.isEmpty else { return "`\(key.prefix(longestQuote))` has no value" }
    return take(key, value)
  }

  private static func trim(_ text: Substring) -> Substring {
    var text = text.drop { $0.isWhitespace }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }

  /// Characters of a line that a fault repeats.
  private static let longestQuote = 64
}
