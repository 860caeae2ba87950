import Dispatch
import Glibc
package import LocationProviders
import LocationService

/// Follows the sessions of persons on a bus, on a queue of its own: a bus that hangs delays nobody else.
///
/// Connects again to a bus that goes away; where there is none at the start, there is nothing to follow.
package actor LoginWatch: QueueActor {
  nonisolated package let executor: HostQueue
  private let address: String?
  private var monitor: any SessionMonitor
  private var bus: BusConnection?
  private var report: (@Sendable (SessionOutput) -> Void)?
  /// How long the next attempt to connect again waits; seconds.
  private var wait = LoginWatch.firstWait

  nonisolated package var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Creates a watch on the bus at an address; `nil` is the system's bus.
  package init(_ monitor: any SessionMonitor, bus address: String?) {
    self.monitor = monitor
    self.address = address
    executor = HostQueue(label: "meridian.sessions")
  }

  /// Calls `report` on the watch's queue with each change, and with ``SessionOutput/unlocked(_:)`` of
  /// `nil` if there is no bus.
  nonisolated package func begin(_ report: @escaping @Sendable (SessionOutput) -> Void) {
    enter { $0.follow(report) }
  }

  /// Ends the watch.
  nonisolated package func end() {
    enter { $0.leave() }
  }

  private func follow(_ report: @escaping @Sendable (SessionOutput) -> Void) {
    guard self.report == nil else { return }
    self.report = report
    if !connect() { report(.unlocked(nil)) }
  }

  /// Connects to the bus; returns `false` if there is none.
  private func connect() -> Bool {
    do throws(BusFault) {
      bus = try connect(to: address, serving: { $0.serve() }) { watch, event in
        watch.wait = Self.firstWait
        watch.step(event)
      }
    } catch { return false }
    step(.connected)
    serve()
    return true
  }

  /// Connects again to a bus that has gone away, less and less often.
  private func connectLater() {
    queue.asyncAfter(deadline: .now() + .seconds(wait)) { [weak self] in
      self?.onQueue { watch in
        guard watch.report != nil, watch.bus == nil else { return }
        if !watch.connect() { watch.connectLater() }
      }
    }
    wait = min(wait * 2, Self.longestWait)
  }

  private func step(_ event: BusEvent) {
    for output in monitor.take(event) {
      switch output {
      case .bus(let action): bus?.carryOut(action)
      case .unlocked, .displayOn: report?(output)
      }
    }
    // What was asked is sent after this step.
    queue.async { [weak self] in self?.onQueue { $0.serve() } }
  }

  private func serve() {
    guard let bus, !bus.process() else { return }
    disconnect()
    step(.disconnected)
    connectLater()
  }

  private func leave() {
    report = nil
    disconnect()
  }

  private func disconnect() {
    bus?.end()
    bus = nil
  }

  isolated deinit {
    bus?.end()
  }

  /// Seconds. Chosen: a bus that is started anew is there in less.
  private static let firstWait = 1
  /// Seconds. Chosen: a wake-up that costs nothing.
  private static let longestWait = 600
}
