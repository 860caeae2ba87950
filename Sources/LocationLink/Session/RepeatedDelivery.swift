package import LocationCoding
package import LocationModel

/// Encodes a delivery that is the same for many clients only once: positions.
package struct RepeatedDelivery {
  private var live: (news: LiveUpdate, words: JSON)?
  private var updates: (news: UpdatesDelivery, words: JSON)?

  package init() {}

  /// Returns the encoded value of a delivery; `nil` for one that does not go to many clients.
  package mutating func words(of delivery: Delivery) -> JSON? {
    switch delivery {
    case .live(_, let news): Self.words(of: news, &live)
    case .updates(_, let news): Self.words(of: news, &updates)
    default: nil
    }
  }

  private static func words<News: JSONCodable & Equatable>(
    of news: News, _ last: inout (news: News, words: JSON)?
  ) -> JSON {
    if let last, last.news == news { return last.words }
    let words = JSON.written(news.json.bytes)
    last = (news, words)
    return words
  }
}
