internal import LocationModel

/// A name that is compared by its bytes, as everything is that is stored of its owner.
///
/// - Chosen (FLEET-93): `é` in one scalar and in two are two names, as they give two subjects and two keys.
///   Swift takes them for one text.
package struct ExactName: Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
  package let text: String

  package init(_ text: String) { self.text = text }
  package init(stringLiteral text: String) { self.text = text }

  package static func == (left: ExactName, right: ExactName) -> Bool {
    let (text, other) = (left.text.utf8.span, right.text.utf8.span)
    return text.count == other.count && text.has(other, at: 0)
  }

  package static func < (left: ExactName, right: ExactName) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // No byte of a text: names behind one another do not run together.
    hasher.combine(0xff as UInt8)
  }
}

extension String {
  /// Whether a name is this one byte for byte.
  func isExactly(_ other: String) -> Bool { ExactName(self) == ExactName(other) }
}
