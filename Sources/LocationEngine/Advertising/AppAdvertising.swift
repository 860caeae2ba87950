import LocationModel

/// The beacons that one app asks this computer to be, in the order of the requests.
struct AppAdvertising: Sendable {
  struct Request: Hashable, Sendable {
    var client: ClientID
    var subscriber: SubscriberID
    var advert: IBeaconAdvert
    /// The state that was delivered last.
    var delivered: BeaconAdvertising?
  }

  private let app: AppIdentity
  private(set) var requests: [Request] = []

  init(app: AppIdentity) { self.app = app }

  var isEmpty: Bool { requests.isEmpty }

  /// The first request, which is the one that is advertised.
  var first: IBeaconAdvert? { requests.first?.advert }

  func contains(_ client: ClientID) -> Bool { requests.contains { $0.client == client } }

  mutating func handle(
    _ request: AdvertisingRequest, of subscriber: SubscriberID, _ client: ClientID
  ) -> [AppOutput] {
    let index = requests.firstIndex { $0.client == client && $0.subscriber == subscriber }
    func post(_ state: BeaconAdvertising) -> AppOutput {
      .post(.advertising(subscriber, state), to: client)
    }
    switch (request, index) {
    case (.start(let advert), let index?):
      guard requests[index].advert != advert else { break }
      (requests[index].advert, requests[index].delivered) = (advert, nil)
    case (.start, nil) where requests.count >= Bounds.adverts:
      let text = "asks to be \(Bounds.adverts) beacons already, and must stop some first"
      return [post(.refused(text)), .engine(.note(.limit(app, text)))]
    case (.start(let advert), nil):
      requests.append(Request(client: client, subscriber: subscriber, advert: advert))
    case (.stop, let index?):
      requests.remove(at: index)
      return [post(.stopped)]
    case (.stop, nil): break
    }
    return []
  }

  mutating func remove(_ subscriber: SubscriberID, _ client: ClientID) {
    requests.removeAll { $0.client == client && $0.subscriber == subscriber }
  }

  mutating func removeAll(of client: ClientID) { requests.removeAll { $0.client == client } }

  /// Delivers the state to each subscriber for which it has changed; `state` returns that of an
  /// advert, `nil` while it is not known.
  mutating func settle(_ state: (IBeaconAdvert) -> BeaconAdvertising?) -> [AppOutput] {
    requests.indices.flatMap { index -> [AppOutput] in
      let request = requests[index]
      guard let state = state(request.advert), state != request.delivered else { return [] }
      requests[index].delivered = state
      return [.post(.advertising(request.subscriber, state), to: request.client)]
    }
  }
}
