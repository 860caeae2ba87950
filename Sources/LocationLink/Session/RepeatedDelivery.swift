package import LocationCoding
package import LocationModel

/// Encodes a delivery that is the same for many clients only once: positions.
package struct RepeatedDelivery {
  private var live: (content: LiveUpdate, words: JSON)?
  private var updates: (content: UpdatesDelivery, words: JSON)?

  package init() {}

  /// Returns the encoded value of a delivery; `nil` for one that does not go to many clients.
  package mutating func words(of delivery: Delivery) -> JSON? {
    switch delivery {
    case .live(_, let content): Self.words(of: content, &live)
    case .updates(_, let content): Self.words(of: content, &updates)
    default: nil
    }
  }

  private static func words<Content: JSONCodable & Equatable>(
    of content: Content, _ last: inout (content: Content, words: JSON)?
  ) -> JSON {
    if let last, last.content == content { return last.words }
    let words = JSON.written(content.json.bytes)
    last = (content, words)
    return words
  }
}
