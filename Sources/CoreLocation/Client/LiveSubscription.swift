import LocationModel
import Synchronization

/// One iteration over live updates: starts the service, buffers unread elements, and stops the
/// service when it is released (LIVE-1).
///
/// At most 64 plain locations are buffered; then the oldest of them is dropped. An element with a
/// changed diagnostic or a change of `stationary` is never dropped (LIVE-30, LIVE-31).
final class LiveSubscription: Sendable {
  private let client: LocationClient
  private let subscriber: SubscriberID
  private let state: StateBox
  private let loop: ReadingLoop

  /// Shared with the listener, so that the listener does not keep the subscription alive.
  private final class StateBox: Sendable {
    let value = Mutex(LiveBuffer())
  }

  init(_ options: LiveOptions, of client: LocationClient) {
    let state = StateBox()
    self.client = client
    self.state = state
    loop = ReadingLoop("live updates", of: client)
    subscriber = client.subscribe { delivery in
      guard case .live(_, let update) = delivery else { return }
      let waiting = state.value.withLock { $0.add(update) }
      waiting?.resume(returning: update)
    }
    client.send(.live(subscriber, .start(options)))
  }

  deinit {
    client.end(subscriber)
  }

  /// Returns the next element; `nil` when the task was canceled (LIVE-2).
  func next() async -> LiveUpdate? { await loop.read { await nextUpdate() } }

  private func nextUpdate() async -> LiveUpdate? {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let ready: LiveUpdate?? = state.value.withLock { $0.read(continuation) }
        if let ready { continuation.resume(returning: ready) }
      }
    } onCancel: {
      let waiting = state.value.withLock { $0.cancel() }
      waiting?.resume(returning: nil)
    }
  }
}

/// The unread elements of one iteration, and its waiting reader.
struct LiveBuffer {
  private enum Reader {
    case none
    case waiting(UnsafeContinuation<LiveUpdate?, Never>)
    case canceled
  }

  private var unread: [LiveUpdate] = []
  /// The number of unread elements with nothing new but a location.
  private var plain = 0
  private var last: LiveUpdate?
  private var reader = Reader.none

  /// The greatest number of unread plain locations (LIVE-30).
  private static var bound: Int { Bounds.waitingLive }

  /// Adds an element; returns the reader that waits for it.
  mutating func add(_ update: LiveUpdate) -> UnsafeContinuation<LiveUpdate?, Never>? {
    if case .waiting(let continuation) = reader {
      reader = .none
      last = update
      return continuation
    }
    if isPlain(update, after: unread.last ?? last) {
      plain += 1
      if plain > Self.bound { dropOldestPlain() }
    }
    unread.append(update)
    return nil
  }

  /// Returns whether nothing but the location is new.
  private func isPlain(_ update: LiveUpdate, after earlier: LiveUpdate?) -> Bool {
    earlier.map { update.isPlain(after: $0) } ?? false
  }

  private mutating func dropOldestPlain() {
    for index in unread.indices {
      let earlier = index > 0 ? unread[index - 1] : last
      guard isPlain(unread[index], after: earlier) else { continue }
      unread.remove(at: index)
      plain -= 1
      return
    }
  }

  /// Returns the oldest unread element, or `nil` when the reader has to wait.
  mutating func read(
    _ continuation: UnsafeContinuation<LiveUpdate?, Never>
  ) -> LiveUpdate?? {
    if case .canceled = reader { return .some(nil) }
    guard !unread.isEmpty else {
      reader = .waiting(continuation)
      return nil
    }
    let next = unread.removeFirst()
    if isPlain(next, after: last) { plain -= 1 }
    last = next
    return .some(next)
  }

  /// Returns the waiting reader, which must be resumed.
  mutating func cancel() -> UnsafeContinuation<LiveUpdate?, Never>? {
    defer { reader = .canceled }
    guard case .waiting(let continuation) = reader else { return nil }
    return continuation
  }
}
