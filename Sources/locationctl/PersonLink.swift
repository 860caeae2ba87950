import LocationModel
import Synchronization

/// The connection of the one who types to an engine, in the words that an app's framework speaks with it
/// (docs/decisions/0006).
final class PersonLink: Sendable {
  private struct State {
    /// `nil` before the first.
    var readable: ClientState?
    var listeners: [SubscriberID: AsyncStream<Delivery>.Continuation] = [:]
    var last: UInt32 = 0
  }

  /// The engine's link keeps this alone, so that the connection ends when it is let go.
  private final class Inbox: Sendable {
    let state = Mutex(State())

    func take(_ delivery: Delivery) {
      if case .state(let readable) = delivery { state.withLock { $0.readable = readable } }
      guard let subscriber = delivery.subscriber else { return }
      _ = state.withLock { $0.listeners[subscriber] }?.yield(delivery)
    }
  }

  private let link: any EngineLink
  private let id: ClientID
  private let inbox = Inbox()

  /// Connects an app.
  init(_ description: ClientDescription, over link: any EngineLink) {
    self.link = link
    let (id, readable) = link.connect(description) { [inbox] in inbox.take($0) }
    self.id = id
    // One that came meanwhile is newer.
    inbox.state.withLock { $0.readable = $0.readable ?? readable }
  }

  deinit { link.disconnect(id) }

  /// What is known without a request.
  var readable: ClientState { inbox.state.withLock { $0.readable } ?? ClientState() }

  /// Begins to receive; a reader that is slow misses the oldest.
  func subscribe() -> Subscription {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Delivery.self, bufferingPolicy: .bufferingNewest(Output.unreadReports))
    let number = inbox.state.withLock { state in
      state.last += 1
      state.listeners[SubscriberID(state.last)] = continuation
      return SubscriberID(state.last)
    }
    return Subscription(number: number, stream: stream, link: self)
  }

  fileprivate func send(_ request: Request) { link.send(request, from: id) }

  fileprivate func end(_ subscriber: SubscriberID) {
    inbox.state.withLock { $0.listeners.removeValue(forKey: subscriber) }?.finish()
    send(.end(subscriber))
  }

  /// What was asked for, and what comes of it, until it and its sequence are let go.
  final class Subscription: Sendable {
    private let stream: AsyncStream<Delivery>
    private let number: SubscriberID
    private let link: PersonLink

    fileprivate init(number: SubscriberID, stream: AsyncStream<Delivery>, link: PersonLink) {
      (self.number, self.stream, self.link) = (number, stream, link)
    }

    deinit { link.end(number) }

    /// What comes; who iterates it keeps the subscription.
    var deliveries: some AsyncSequence<Delivery, Never> {
      stream.map { delivery in withExtendedLifetime(self) { delivery } }
    }

    /// Asks for something as this subscriber.
    func send(_ request: (SubscriberID) -> Request) { link.send(request(number)) }
  }
}
