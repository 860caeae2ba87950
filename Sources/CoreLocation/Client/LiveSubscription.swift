import LocationModel
import Synchronization

/// One iteration over live updates: starts the service, holds what was not read yet, and stops the
/// service when it is let go (LIVE-1).
///
/// At most 64 plain locations wait; then the oldest of them goes. An element that carries a
/// changed diagnostic or a change of stillness is never dropped (LIVE-30, LIVE-31).
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
      Self.take(update, into: state)
    }
    client.send(.live(subscriber, .start(options)))
  }

  deinit {
    client.end(subscriber)
  }

  /// The next element; `nil` when the task was canceled (LIVE-2).
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

  private static func take(_ update: LiveUpdate, into state: StateBox) {
    let waiting = state.value.withLock { $0.add(update) }
    waiting?.resume(returning: update)
  }
}

/// What one iteration has not read yet, and who waits for it.
struct LiveBuffer {
  private enum Reader {
    case none
    case waiting(UnsafeContinuation<LiveUpdate?, Never>)
    case canceled
  }

  private var unread: [LiveUpdate] = []
  /// How many of the unread are nothing but a location.
  private var plain = 0
  private var last: LiveUpdate?
  private var reader = Reader.none

  /// Undelivered plain locations that are kept (LIVE-30).
  private static let bound = 64

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

  /// Whether nothing but the location is new.
  private func isPlain(_ update: LiveUpdate, after earlier: LiveUpdate?) -> Bool {
    guard let earlier, update.fix != nil, earlier.fix != nil else { return false }
    return update.diagnostics == earlier.diagnostics && update.stationary == earlier.stationary
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

  /// The oldest unread element at once, or `nil` when the reader has to wait.
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

  /// Returns the reader that must not wait any longer.
  mutating func cancel() -> UnsafeContinuation<LiveUpdate?, Never>? {
    defer { reader = .canceled }
    guard case .waiting(let continuation) = reader else { return nil }
    return continuation
  }
}
