import LocationModel

/// The subscribers of one service, each with its machine, in the order of subscription.
struct Subscribers<Service: Machine>: Sendable {
  struct Entry: Sendable {
    var client: ClientID
    var subscriber: SubscriberID
    var service: Service
  }

  var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }

  var nextDeadline: Instant? {
    entries.reduce(nil) { earliest($0, $1.service.nextDeadline) }
  }

  func index(of subscriber: SubscriberID, _ client: ClientID) -> Int? {
    entries.firstIndex { $0.subscriber == subscriber && $0.client == client }
  }

  /// Adds a subscriber, or replaces it if it exists; returns its index.
  mutating func add(_ subscriber: SubscriberID, _ client: ClientID, _ service: Service) -> Int {
    if let index = index(of: subscriber, client) {
      entries[index].service = service
      return index
    }
    entries.append(Entry(client: client, subscriber: subscriber, service: service))
    return entries.endIndex - 1
  }

  mutating func remove(_ subscriber: SubscriberID, _ client: ClientID) {
    entries.removeAll { $0.subscriber == subscriber && $0.client == client }
  }

  mutating func removeAll(of client: ClientID) {
    entries.removeAll { $0.client == client }
  }
}
