public import CoreLocation
import LocationEngine
package import LocationModel
import LocationSimulation
import Synchronization

/// A device in a world of its own, where time passes only when a test says so.
///
/// Apps on it run unchanged Core Location code against the real engine:
///
/// ```swift
/// let device = SimulatedDevice(at: .init(latitude: 52.52, longitude: 13.40))
/// let app = device.app("com.example.walk")
/// try await app.run {
///   let model = WalkModel()
///   model.start()
///   try await device.advance(by: .seconds(60))
///   #expect(model.distance > 50)
/// }
/// ```
public final class SimulatedDevice: Sendable {
  private struct State {
    var world: VirtualWorld
    var clients: [ClientID: @Sendable (Delivery) -> Void] = [:]
    /// Who waits for time to pass, the earliest first.
    var waits: [Wait] = []
  }

  /// A call of `advance` that has not returned.
  private struct Wait {
    var end: Instant
    var task: UInt64
    var continuation: CheckedContinuation<Void, any Error>
  }

  private let state: Mutex<State>
  /// The line of everything that runs on this device.
  let line: WorkLine

  /// Makes a device that is switched on at a place and a date, with one receiver under an open sky.
  public convenience init(
    at place: CLLocationCoordinate2D, date: Date = Date(timeIntervalSince1970: 1_767_254_400),
    seed: UInt64 = 1
  ) {
    let origin = Coordinate(latitude: place.latitude, longitude: place.longitude)
    self.init(
      VirtualWorld(
        at: origin, date: UnixTime(seconds: date.timeIntervalSince1970),
        receivers: [VirtualReceiver(seed: seed)]))
  }

  init(_ world: sending VirtualWorld) {
    TaskOwners.shared.isNeeded = true
    state = Mutex(State(world: world))
    let device = WeakDevice()
    line = WorkLine(
      now: { device.value?.now.uptime ?? .start }, whenQuiet: { device.value?.goOn() ?? false })
    device.value = self
  }

  // MARK: Time

  /// Lets time pass, and returns when everything due in it was delivered and handled.
  public func advance(by duration: Duration) async throws {
    let task = virtualTask()
    let end = now.uptime + duration
    try await withCheckedThrowingContinuation { continuation in
      state.withLock { state in
        let place = state.waits.firstIndex { $0.end > end } ?? state.waits.endIndex
        state.waits.insert(Wait(end: end, task: task, continuation: continuation), at: place)
      }
      line.poke()
    }
  }

  /// The date on the device.
  public var date: Date { Date(timeIntervalSince1970: now.unixTime.seconds) }

  /// Nothing waits in line: time may go on, if somebody wants it to. Returns whether it did.
  private func goOn() -> Bool {
    let next = line.nextWake
    let (effects, finished) = state.withLock { state -> ([VirtualWorld.Effect]?, Wait?) in
      guard let first = state.waits.first else { return (nil, nil) }
      if let due = earliest(state.world.nextDeadline, next), due <= first.end {
        state.world.advance(to: due)
        return (state.world.wake(), nil)
      }
      state.world.advance(to: first.end)
      return (nil, state.waits.removeFirst())
    }
    if let effects {
      carryOut(effects)
      line.wakeSleepers(at: now.uptime)
      return true
    }
    guard let finished else { return false }
    finished.continuation.resume()
    return true
  }

  // MARK: The world

  /// Changes the world now, in its turn.
  func change(_ body: @escaping @Sendable (inout VirtualWorld) -> [VirtualWorld.Effect]) {
    line.add(.call { self.carryOut(self.state.withLock { body(&$0.world) }) })
  }

  private func carryOut(_ effects: [VirtualWorld.Effect]) {
    for effect in effects {
      guard case .deliver(let client, let delivery) = effect else { continue }
      state.withLock { $0.clients[client] }?(delivery)
    }
  }
}

/// A device that is not there yet, or not any more.
private final class WeakDevice: Sendable {
  private struct Reference {
    weak var device: SimulatedDevice?
  }

  private let reference = Mutex(Reference())

  var value: SimulatedDevice? {
    get { reference.withLock { $0.device } }
    set { reference.withLock { $0.device = newValue } }
  }
}

// MARK: The engine, as apps reach it

extension SimulatedDevice: EngineLink {
  package var now: Moment { state.withLock { $0.world.now } }

  package func connect(
    _ client: ClientDescription, receiving deliver: @escaping @Sendable (Delivery) -> Void
  ) -> (ClientID, ClientState) {
    let (id, effects, readable) = state.withLock { state in
      let (id, effects) = state.world.connect(client)
      state.clients[id] = deliver
      return (id, effects, state.world.state(of: id))
    }
    line.add(.call { self.carryOut(effects) })
    return (id, readable)
  }

  package func send(_ request: Request, from client: ClientID) {
    change { $0.handle(.client(client, .request(request))) }
  }

  package func disconnect(_ client: ClientID) {
    change { $0.handle(.client(client, .disconnected)) }
    line.add(.call { self.state.withLock { $0.clients[client] = nil } })
  }
}
