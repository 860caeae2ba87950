import LocationModel
import Synchronization

/// Connects a session of either kind to its app's client, until it is invalidated or released.
final class SessionLink: Sendable {
  private let client: LocationClient
  private let subscriber: SubscriberID
  private let isOpen = Mutex(true)

  init(_ request: SessionRequest) {
    client = .current
    subscriber = client.subscribe { _ in }
    client.send(.session(subscriber, request))
  }

  deinit {
    invalidate()
  }

  func invalidate() {
    let wasOpen = isOpen.withLock { isOpen in
      defer { isOpen = false }
      return isOpen
    }
    guard wasOpen else { return }
    client.send(.session(subscriber, .invalidate))
    client.end(subscriber)
  }

  /// Begins a loop over the diagnostics of the session.
  func diagnose() -> DiagnosticsLink {
    DiagnosticsLink(of: subscriber, in: client)
  }
}

/// One loop over the diagnostics of a session; ends with the session (SESS-16).
final class DiagnosticsLink: Sendable {
  private let client: LocationClient
  private let session: SubscriberID
  private let stream: SubscriberID
  private let mailbox = Mailbox<Diagnostics>()
  private let loop: ReadingLoop

  init(of session: SubscriberID, in client: LocationClient) {
    let mailbox = mailbox
    self.client = client
    self.session = session
    loop = ReadingLoop("the diagnostics of a session", of: client)
    stream = client.subscribe { delivery in
      guard case .diagnostics(_, let flags) = delivery else { return }
      if let flags { mailbox.add(flags) } else { mailbox.finish() }
    }
    client.send(.session(session, .diagnose(stream: stream)))
  }

  deinit {
    client.send(.session(session, .endDiagnosis(stream: stream)))
    client.end(stream)
  }

  func next() async -> Diagnostics? { await loop.read { await mailbox.next() } }
}
