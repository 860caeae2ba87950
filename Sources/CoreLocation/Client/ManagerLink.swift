import LocationModel

/// Connects a manager to its app's client: a subscription, and the place of its callbacks.
final class ManagerLink: Sendable {
  let client: LocationClient
  let place: CallbackPlace
  let subscriber: SubscriberID
  private let handle: ManagerHandle

  /// Subscribes a manager; its first authorization callback follows later (AUTH-11).
  init(_ manager: CLLocationManager) {
    let client = LocationClient.current
    let place = CallbackPlace.ofCaller(in: client)
    let handle = ManagerHandle(manager)
    self.client = client
    self.place = place
    self.handle = handle
    subscriber = client.subscribe { delivery in
      place.run { handle.manager?.take(delivery) }
    }
    client.send(.authorization(.observe(subscriber)))
  }

  deinit {
    client.end(subscriber)
  }

  /// Delivers the authorization that came without a delegate, and pending events (LIFE-5), to a new
  /// one: taking the last event delivers the earlier too.
  func deliverPending() {
    place.run { [handle] in handle.manager?.reportAuthorization() }
    guard let last = client.pending.last else { return }
    place.run { [handle] in handle.manager?.take(.pending(last.number, last.event)) }
  }

  func send(_ request: UpdatesRequest) {
    client.send(.updates(subscriber, request))
  }

  func send(_ request: RegionRequest) {
    client.send(.region(subscriber, request))
  }

  func watchChanges(_ on: Bool) {
    client.send(.significantChanges(subscriber, on: on))
  }

  func watchVisits(_ on: Bool) {
    client.send(.visits(on: on, by: subscriber))
  }
}

/// A weak reference to a manager, used only at the place of its callbacks.
///
/// A manager is not sendable, and its callbacks run where it was made: this field carries it there
/// (docs/decisions/0004).
struct ManagerHandle: Sendable {
  nonisolated(unsafe) weak var manager: CLLocationManager?

  init(_ manager: CLLocationManager) {
    self.manager = manager
  }
}
