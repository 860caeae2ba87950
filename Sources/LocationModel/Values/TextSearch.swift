// The standard library has the like in its module of regular expressions, which would then be a part of the daemon
// (docs/decisions/0110).
extension StringProtocol {
  /// The first place of a text that is not empty, character by character; `nil` if it is not there.
  ///
  /// Takes as many comparisons as this text has characters, each of at most the length of the other.
  package func firstPlace(of text: some StringProtocol) -> Range<Index>? {
    guard !text.isEmpty else { return nil }
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      formIndex(after: &start)
    }
    return nil
  }

  /// Whether a text that is not empty is in this one.
  package func holds(_ text: some StringProtocol) -> Bool { firstPlace(of: text) != nil }

  /// What lies between the places of a text, also where that is nothing.
  package func pieces(between separator: some StringProtocol) -> [SubSequence] {
    var pieces: [SubSequence] = []
    var rest = self[...]
    while let place = rest.firstPlace(of: separator) {
      pieces.append(rest[..<place.lowerBound])
      rest = rest[place.upperBound...]
    }
    return pieces + [rest]
  }

  /// The same with another text at each of its places.
  package func substituting(
    _ text: some StringProtocol, with other: some StringProtocol
  ) -> String {
    pieces(between: text).joined(separator: String(other))
  }
}
