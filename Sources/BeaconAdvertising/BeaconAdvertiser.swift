public import CoreLocation
import LocationModel
import Synchronization

/// Makes this computer an iBeacon, as a peripheral manager of CoreBluetooth does on Apple's systems.
///
///     let region = CLBeaconRegion(uuid: shop, major: 1, minor: 7, identifier: "door")
///     let advertiser = BeaconAdvertiser()
///     try advertiser.startAdvertising(region.peripheralData(withMeasuredPower: nil))
///     for await state in advertiser.states { print(state) }
///
/// The beacon is on the air while the app is in the foreground, the person allows it, the advertiser
/// lives, and an adapter is on (BEACON-3). The person is asked once, with the text of
/// `NSBluetoothAlwaysUsageDescription` in the app's information property list; no authorization for
/// locations is needed, and none implies this one. One computer is one beacon at a time:
/// whoever asked first is it, the next one waits.
public final class BeaconAdvertiser: Sendable {
  /// How it is with the beacon.
  public enum State: Hashable, Sendable {
    /// It was stopped, or the app has left the foreground.
    case stopped
    case advertising
    /// Another beacon that was asked for first is on the air.
    case waiting
    /// No Bluetooth adapter is on, or it cannot advertise; begins by itself when one can.
    case unavailable
    /// The person has not allowed it, and what to do about that; or `bluetoothd` said no, and the name
    /// of its error. Begins by itself when nothing is against it any more.
    case refused(String)
  }

  /// The dictionary was not made by a beacon region.
  public struct NoBeacon: Error, CustomStringConvertible {
    /// What was wrong, and what to do.
    public var description: String {
      "the data is no beacon's: use what CLBeaconRegion.peripheralData(withMeasuredPower:) returns"
    }
  }

  /// Each change, the newest only when nobody has listened; one loop may listen.
  public let states: AsyncStream<State>
  private let client: LocationClient
  private let subscriber: SubscriberID
  private let last: Last

  /// An advertiser that is stopped.
  public init() {
    let (states, news) = AsyncStream.makeStream(
      of: State.self, bufferingPolicy: .bufferingNewest(1))
    let last = Last()
    client = LocationClient.current
    subscriber = client.subscribe { delivery in
      guard case .advertising(_, let word) = delivery else { return }
      let state = State(word)
      last.state.withLock { $0 = state }
      news.yield(state)
    }
    self.states = states
    self.last = last
  }

  deinit {
    client.end(subscriber)
  }

  /// Whether this computer is the beacon now.
  public var isAdvertising: Bool { last.state.withLock { $0 } == .advertising }

  /// Becomes the beacon that a region describes, in place of an earlier one.
  ///
  /// - Parameter peripheralData: What `CLBeaconRegion.peripheralData(withMeasuredPower:)` returned.
  /// - Throws: ``NoBeacon`` when the dictionary is not one that a beacon region makes.
  public func startAdvertising(_ peripheralData: NSDictionary) throws {
    guard let data = peripheralData.object(forKey: Self.key) as? Data,
      let advert = IBeaconAdvert(bytes: Array(data))
    else { throw NoBeacon() }
    client.send(.advertising(subscriber, .start(advert)))
  }

  /// Falls silent.
  public func stopAdvertising() {
    client.send(.advertising(subscriber, .stop))
  }

  private final class Last: Sendable {
    let state = Mutex(State.stopped)
  }

  /// The one entry that a beacon region writes.
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
