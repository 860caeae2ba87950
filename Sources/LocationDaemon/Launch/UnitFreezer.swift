import Dispatch
import LocationHost
import LocationModel
import LocationProviders

/// Freezes units of systemd, and thaws them, over the bus of the service manager.
///
/// Runs on its own queue, so that a service manager that hangs delays nobody.
actor UnitFreezer: QueueActor {
  /// Receives why it was refused; `nil` once it is done.
  typealias Answer = @Sendable (String?) -> Void

  nonisolated let executor = HostQueue(label: "meridian.units")
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }
  nonisolated private let place: Address
  private var bus: BusConnection?
  /// The number of the last call.
  private var last = 0
  private var waiting: [Int: Answer] = [:]

  /// The bus of a service manager.
  enum Address: Sendable {
    /// That of the machine, on the system bus.
    case system
    /// That of a user, on the bus at this address; `nil` if there is no session.
    case user(bus: String?)
  }

  init(_ place: Address) {
    self.place = place
  }

  /// Freezes a unit, or thaws it, and answers when systemd has; at most once, from any thread.
  ///
  /// - Parameters:
  ///   - unit: the name of the unit, such as `boat.service`.
  ///   - isFrozen: whether its processes are to be stopped.
  ///   - answer: receives why that was refused, in words; `nil` if the unit is as asked for.
  nonisolated func freeze(_ unit: String, _ isFrozen: Bool, _ answer: @escaping Answer) {
    enter { $0.call(unit, isFrozen, answer) }
  }

  private func call(_ unit: String, _ isFrozen: Bool, _ answer: @escaping Answer) {
    guard waiting.count < Self.mostWaiting else { return answer("too many units wait for systemd") }
    if let obstacle = enterBus() { return answer(obstacle) }
    last += 1
    waiting[last] = answer
    let call = BusCall(
      "org.freedesktop.systemd1", path: "/org/freedesktop/systemd1",
      interface: "org.freedesktop.systemd1.Manager",
      member: isFrozen ? "FreezeUnit" : "ThawUnit", reply: "")
    bus?.carryOut(.call(last, call.with(.string(unit))))
    serve()
  }

  /// Returns why there is no bus.
  private func enterBus() -> String? {
    guard bus == nil else { return nil }
    let address: String?
    switch place {
    case .system: address = nil
    case .user(nil): return SessionBus.missing
    case .user(let named): address = named
    }
    do throws(BusFault) {
      bus = try connect(to: address, serving: { $0.serve() }) { $0.receive($1) }
      return nil
    } catch {
      return Errno(code: error.code, call: address ?? "the system bus").description
    }
  }

  private func receive(_ event: BusEvent) {
    guard case .reply(let number, let reply) = event else { return }
    switch reply {
    case .values: waiting.removeValue(forKey: number)?(nil)
    case .error(let name): waiting.removeValue(forKey: number)?("systemd refuses it: \(name)")
    }
  }

  private func serve() {
    guard let bus, !bus.process() else { return }
    leaveBus()
    for number in waiting.keys.sorted() {
      waiting.removeValue(forKey: number)?("the bus closed the connection")
    }
  }

  private func leaveBus() {
    bus?.end()
    bus = nil
  }

  isolated deinit {
    bus?.end()
  }

  /// Chosen: more units than apps are woken at once.
  private static let mostWaiting = 64
}
