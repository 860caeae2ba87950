extension String {
  /// This text as one line for a person, whoever has written it: control characters, characters that
  /// change the direction of text or are not seen, and ends of lines stand as `\u{…}`. Of a text with
  /// more than `limit` Unicode scalars so many are shown, and `…`.
  package func escapedForDisplay(limit: Int = 256) -> String {
    escaped(limit: limit) { $0.isPlainToSee }
  }

  /// The same within quotation marks: the marks of the text itself are escaped, too.
  package func quotedForDisplay(limit: Int = 256) -> String {
    "“" + escaped(limit: limit) { $0.isPlainToSee && $0 != "“" && $0 != "”" } + "”"
  }

  /// The same with its ends of lines and tabs as they are, of any length: for a text of our own with
  /// others' words in it.
  package var escapedForTerminal: String {
    guard utf8.contains(where: { ($0 < 0x20 || $0 >= 0x7f) && $0 != 0x0a }) else { return self }
    return escaped(limit: .max) { $0.isPlainToSee || $0 == "\n" || $0 == "\t" }
  }

  /// The same for a text that is JSON, where such characters stand only in strings: it is the same
  /// value, in other letters.
  package var escapedInJSON: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      guard !scalar.isPlainToSee, scalar.value >= 0x7f else {
        return text.unicodeScalars.append(scalar)
      }
      for unit in Character(scalar).utf16 {
        let digits = String(unit, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      }
    }
  }

  private func escaped(limit: Int, _ isShown: (Unicode.Scalar) -> Bool) -> String {
    var text = ""
    var count = 0
    for scalar in unicodeScalars {
      guard count < limit else { return text + "…" }
      count += 1
      if isShown(scalar) {
        text.unicodeScalars.append(scalar)
      } else {
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      }
    }
    return text
  }

  /// This text as one word for a POSIX shell, in single quotes where it needs them.
  package var quotedForShell: String {
    let plain = utf8.allSatisfy { byte in
      let scalar = Unicode.Scalar(byte)
      return byte < 0x80 && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        || "./_-@%".utf8.contains(byte)
    }
    guard isEmpty || !plain else { return self }
    return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}

extension Unicode.Scalar {
  /// Whether a person sees it as a character of its own, or as a space.
  fileprivate var isPlainToSee: Bool {
    if value >= 0x20 && value < 0x7f { return true }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
      .unassigned:
      return false
    default: return !properties.isDefaultIgnorableCodePoint || value == 0xfe0e || value == 0xfe0f
    }
  }
}
