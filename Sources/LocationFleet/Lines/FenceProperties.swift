internal import LocationCoding

/// The properties of fences, and words in a file that were probably meant to be one.
package struct FenceProperties: Sendable {
  static let known = ["identifier", "radius", "dwell", "revision", "tenant", "audience"]

  /// By word, what was meant, the first feature that has it, and how many have.
  private var strange: [String: (meant: String?, feature: Int, count: Int)] = [:]
  private var words: [String] = []

  package init() {}

  /// Notes a property that is passed over.
  mutating func note(_ word: String, feature: Int) {
    if let known = strange[word] {
      strange[word]?.count = known.count + 1
      return
    }
    guard words.count < Self.most else { return }
    words.append(word)
    strange[word] = (NearWord.find(for: word, among: Self.known), feature, 1)
  }

  /// A text for each word that is near a property, in the order of the file.
  package var warnings: [String] {
    words.compactMap { word in
      guard let found = strange[word], let meant = found.meant else { return nil }
      let others = found.count > 1 ? " (and \(found.count - 1) others)" : ""
      guard meant != word else {
        return
          "feature \(found.feature)\(others): \"\(word)\" is passed over, as it is not among the "
          + "\"properties\""
      }
      return "feature \(found.feature)\(others): property \"\(word.prefix(64))\" is passed over; "
        + "did you mean \"\(meant)\"?"
    }
  }

  /// Different words that are looked at.
  private static let most = 1000
}
