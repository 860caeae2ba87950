/// Learns which tasks wait for deliveries of an app, and which have one in hand.
///
/// Only virtual time asks: it goes on when everybody waits again (docs/decisions/0012).
package protocol ReadingWatch: Sendable {
  /// The present task is about to wait for a delivery.
  func waits()
  /// It waits no longer.
  func goesOn()
  /// A loop has an element in hand, from now until it asks again or ends.
  func took(_ loop: ObjectIdentifier, name: String)
  /// A loop has nothing in hand.
  func finished(_ loop: ObjectIdentifier)
}

/// One loop over something that an app is told.
final class ReadingLoop: Sendable {
  private let name: String
  private let watch: (any ReadingWatch)?

  init(_ name: String, of client: LocationClient) {
    self.name = name
    watch = client.watch
  }

  deinit {
    watch?.finished(ObjectIdentifier(self))
  }

  /// Reads the next element; `nil` is the loop's end.
  func read<Element>(_ next: () async -> Element?) async -> Element? {
    guard let watch else { return await next() }
    watch.finished(ObjectIdentifier(self))
    watch.waits()
    let element = await next()
    watch.goesOn()
    if element != nil { watch.took(ObjectIdentifier(self), name: name) }
    return element
  }
}
