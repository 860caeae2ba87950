import Foundation
import LocationEngine
import LocationHost
import LocationModel
import LocationProviders

/// A real host with one app that may know where it is, and what the app receives.
struct HostOnBus {
  let host: LocationHost
  let client: ClientID
  let state: ClientState
  let deliveries: AsyncStream<Delivery>
  static let manager = SubscriberID(1)
  static let app = AppIdentity("org.example.signals")

  init(
    _ source: Source, bus: String, sensors: String = "/nonexistent",
    _ setting: AuthorizationSetting = .whileUsing, sessions: LoginWatches = LoginWatches()
  ) {
    let host = LocationHost(
      sources: [source], places: HostPaths(bus: bus, sensors: sensors), sessions: sessions)
    let app = Self.app
    let (deliveries, listener) = AsyncStream.makeStream(of: Delivery.self)
    let description = ClientDescription(app: app, manifest: Manifest())
    let (client, state) = host.connect(description) { listener.yield($0) }
    host.pass(.setting(.authorization(app, setting)))
    self.host = host
    self.client = client
    self.state = state
    self.deliveries = deliveries
  }

  func range(_ constraint: BeaconConstraint) {
    host.send(.ranging(Self.manager, .start(constraint)), from: client)
  }

  func send(_ request: HeadingRequest) {
    host.send(.heading(Self.manager, request), from: client)
  }

  func advertise(_ request: AdvertisingRequest) {
    host.send(.advertising(Self.manager, request), from: client)
  }

  /// The first delivery from now on of which something can be made.
  func first<Value>(_ pick: (Delivery) -> Value?) async -> Value? {
    for await delivery in deliveries {
      if let value = pick(delivery) { return value }
    }
    return nil
  }

  func nextBeacons() async -> [RangedBeacon]? {
    await first { delivery in
      guard case .ranging(_, .ranged(_, let beacons)) = delivery, !beacons.isEmpty else {
        return nil
      }
      return beacons
    }
  }

  func nextRangingFailure() async -> RangingFailure? {
    await first { delivery in
      guard case .ranging(_, .failed(_, let failure)) = delivery else { return nil }
      return failure
    }
  }

  func nextAdvertising() async -> BeaconAdvertising? {
    await first { delivery in
      guard case .advertising(_, let state) = delivery else { return nil }
      return state
    }
  }

  func nextRefusal() async -> String? {
    await first { delivery in
      guard case .advertising(_, .refused(let reason)) = delivery else { return nil }
      return reason
    }
  }

  func nextHeading() async -> Heading? {
    await first { delivery in
      guard case .heading(_, .heading(let heading)) = delivery else { return nil }
      return heading
    }
  }
}
