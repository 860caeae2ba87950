public import CoreLocation
import LocationModel
import Synchronization

/// Makes this computer an iBeacon, as a CoreBluetooth peripheral manager does on Apple systems.
///
///     let region = CLBeaconRegion(uuid: shop, major: 1, minor: 7, identifier: "door")
///     let advertiser = BeaconAdvertiser()
///     try advertiser.startAdvertising(region.peripheralData(withMeasuredPower: nil))
///     for await state in advertiser.states { print(state) }
///
/// The beacon is transmitted while the app is in the foreground, the person allows it, the
/// advertiser exists, and an adapter is on (BEACON-3). The person is asked once, with the text of
/// `NSBluetoothAlwaysUsageDescription` in the app's information property list; no location
/// authorization is needed, and none implies this one. One computer is one beacon at a time: the
/// first request is served, later ones wait.
public final class BeaconAdvertiser: Sendable {
  /// The state of the beacon.
  public enum State: Hashable, Sendable {
    /// The advertiser was stopped, or the app has left the foreground.
    case stopped
    case advertising
    /// Another beacon that was requested first is being transmitted.
    case waiting
    /// No Bluetooth adapter is on, or it cannot advertise; starts by itself when one can.
    case unavailable
    /// The person has not allowed it: the text says what to do about that; or `bluetoothd` refused:
    /// the text is the name of its error. Starts by itself when the reason is gone.
    case refused(String)
  }

  /// The dictionary was not made by a beacon region.
  public struct NoBeacon: Error, CustomStringConvertible {
    /// What was wrong, and what to do.
    public var description: String {
      "the data is no beacon's: use what CLBeaconRegion.peripheralData(withMeasuredPower:) returns"
    }
  }

  /// The changes of state; unread, only the newest is kept. At most one loop may iterate it.
  public let states: AsyncStream<State>
  private let client: LocationClient
  private let subscriber: SubscriberID
  private let last: Last

  /// Makes an advertiser that is stopped.
  public init() {
    let (states, continuation) = AsyncStream.makeStream(
      of: State.self, bufferingPolicy: .bufferingNewest(1))
    let last = Last()
    client = LocationClient.current
    subscriber = client.subscribe { delivery in
      guard case .advertising(_, let word) = delivery else { return }
      let state = State(word)
      last.state.withLock { $0 = state }
      continuation.yield(state)
    }
    self.states = states
    self.last = last
  }

  deinit {
    client.end(subscriber)
  }

  /// Whether this computer transmits the beacon now.
  public var isAdvertising: Bool { last.state.withLock { $0 } == .advertising }

  /// Starts to transmit the beacon that a region describes, in place of an earlier one.
  ///
  /// - Parameter peripheralData: What `CLBeaconRegion.peripheralData(withMeasuredPower:)` returned.
  /// - Throws: ``NoBeacon`` when the dictionary is not one that a beacon region makes.
  public func startAdvertising(_ peripheralData: NSDictionary) throws {
    guard let data = peripheralData.object(forKey: Self.key) as? Data,
      let advert = IBeaconAdvert(bytes: Array(data))
    else { throw NoBeacon() }
    client.send(.advertising(subscriber, .start(advert)))
  }

  /// Stops transmitting the beacon.
  public func stopAdvertising() {
    client.send(.advertising(subscriber, .stop))
  }

  private final class Last: Sendable {
    let state = Mutex(State.stopped)
  }

  /// The key of the one entry that a beacon region writes.
  private static let key = "kCBAdvDataAppleBeaconKey"
}

extension BeaconAdvertiser.State {
  fileprivate init(_ word: BeaconAdvertising) {
    switch word {
    case .stopped: self = .stopped
    case .advertising: self = .advertising
    case .waiting: self = .waiting
    case .unavailable: self = .unavailable
    case .refused(let error): self = .refused(error)
    }
  }
}
