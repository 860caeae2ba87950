import LocationModel

/// What ties a manager to its app's client: a subscription, and the place of its callbacks.
final class ManagerLink: Sendable {
  let client: LocationClient
  let place: CallbackPlace
  let subscriber: SubscriberID
  private let handle: ManagerHandle

  /// Subscribes a manager; its first callback of authorization follows later (AUTH-11).
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

  /// Tells a delegate that comes late what waits for one (LIFE-5): the last event brings the earlier.
  func tellUntaken() {
    guard let last = client.untaken.last else { return }
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
}

/// A manager that may be gone, carried to the place of its callbacks and touched only there.
///
/// A manager is not sendable, and its callbacks run where it was made: this one field is the way
/// between (docs/decisions/0004).
struct ManagerHandle: Sendable {
  nonisolated(unsafe) weak var manager: CLLocationManager?

  init(_ manager: CLLocationManager) {
    self.manager = manager
  }
}
