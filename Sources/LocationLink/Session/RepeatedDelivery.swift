package import LocationModel

/// Writes down once what many clients are told in the same words: positions.
package struct RepeatedDelivery {
  private var live: (news: LiveUpdate, words: JSON)?
  private var updates: (news: UpdatesDelivery, words: JSON)?

  package init() {}

  /// The words of a delivery's news; `nil` for what is not told to many.
  package mutating func words(of delivery: Delivery) -> JSON? {
    switch delivery {
    case .live(_, let news): Self.words(of: news, &live)
    case .updates(_, let news): Self.words(of: news, &updates)
    case .state, .authorizationChanged, .temporaryFullAccuracy, .pending, .regions, .region,
      .monitor,
      .heading, .ranging, .advertising, .diagnostics:
      nil
    }
  }

  private static func words<News: WireCodable & Equatable>(
    of news: News, _ last: inout (news: News, words: JSON)?
  ) -> JSON {
    if let last, last.news == news { return last.words }
    let words = JSON.written(news.json.bytes)
    last = (news, words)
    return words
  }
}
