/// Observes which tasks wait for deliveries of an app, and which are handling one.
///
/// Used by virtual time only, which advances when every task waits again (docs/decisions/0012).
package protocol ReadingWatch: Sendable {
  /// The current task is about to wait for a delivery, which it names.
  func waits(for what: String)
  /// The current task waits no longer.
  func goesOn()
  /// A loop is handling an element, from now until it reads again or ends.
  func noteElement(_ loop: ObjectIdentifier, name: String)
  /// A loop is not handling an element any more.
  func finished(_ loop: ObjectIdentifier)
}

/// One loop over deliveries to an app.
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

  /// Reads the next element; `nil` at the end of the loop.
  func read<Element>(_ next: () async -> Element?) async -> Element? {
    guard let watch else { return await next() }
    watch.finished(ObjectIdentifier(self))
    watch.waits(for: name)
    let element = await next()
    watch.goesOn()
    if element != nil { watch.noteElement(ObjectIdentifier(self), name: name) }
    return element
  }
}
