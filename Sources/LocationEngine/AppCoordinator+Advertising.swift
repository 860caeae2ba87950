import LocationModel

extension AppCoordinator {
  /// A beacon that one subscriber asks this computer to advertise.
  struct Advertising: Hashable, Sendable {
    var client: ClientID
    var subscriber: SubscriberID
    var advert: IBeaconAdvert
    /// The state that was delivered last.
    var delivered: BeaconAdvertising?
  }

  mutating func handle(
    _ request: AdvertisingRequest, of subscriber: SubscriberID, _ client: ClientID, at now: Moment
  ) -> [Output] {
    let index = advertising.firstIndex { $0.client == client && $0.subscriber == subscriber }
    switch (request, index) {
    case (.start(let advert), let index?):
      guard advertising[index].advert != advert else { return [] }
      advertising[index].advert = advert
      advertising[index].delivered = nil
    case (.start, nil) where advertising.count >= Bounds.adverts:
      let text = "asks to be \(Bounds.adverts) beacons already, and must stop some first"
      return post(.advertising(subscriber, .refused(text)), to: client)
        + [.note(.limit(app, text))]
    case (.start(let advert), nil):
      advertising.append(Advertising(client: client, subscriber: subscriber, advert: advert))
    case (.stop, let index?):
      advertising.remove(at: index)
      let stopped = post(.advertising(subscriber, .stopped), to: client)
      return stopped + settleBeaconWish(at: now)
    case (.stop, nil): break
    }
    return settleBeaconWish(at: now)
  }

  /// Requests the beacon permission while a process asks to advertise.
  mutating func settleBeaconWish(at now: Moment) -> [Output] {
    guard authorization.wantsBeacon == advertising.isEmpty else { return [] }
    return authorize(.beaconWish(!advertising.isEmpty), at: now)
  }

  /// The beacon to advertise for this app: its first request, while the app is in the foreground
  /// (BEACON-3) and the person has allowed it (docs/decisions/0070).
  @inline(__always)
  var advert: IBeaconAdvert? {
    guard !advertising.isEmpty, life == .foreground, authorization.beacon == .allowed else {
      return nil
    }
    return advertising.first?.advert
  }

  /// Delivers the advertising state to each subscriber for which it has changed.
  ///
  /// `air` is the radio's state for `chosen`, the one beacon that this computer advertises.
  mutating func settleAdvertising(
    _ air: BeaconAdvertising?, of chosen: IBeaconAdvert?
  ) -> [Output] {
    let refusal = authorization.beaconRefusal
    return advertising.indices.flatMap { index -> [Output] in
      let asker = advertising[index]
      let state: BeaconAdvertising? =
        if life != .foreground {
          .stopped
        } else if let refusal {
          .refused(refusal)
        } else if asker.advert != chosen {
          .waiting
        } else {
          air
        }
      guard let state, state != asker.delivered else { return [] }
      advertising[index].delivered = state
      return post(.advertising(asker.subscriber, state), to: asker.client)
    }
  }
}
