import Dispatch
import Glibc
package import LocationProviders
import LocationService

/// Follows the sessions of persons on a bus, on a queue of its own: a bus that hangs delays nobody else.
package actor SessionWatch: QueueActor {
  nonisolated package let executor: HostQueue
  private let address: String?
  private var monitor: any SessionMonitor
  private var bus: BusConnection?
  private var report: (@Sendable (SessionOutput) -> Void)?

  nonisolated package var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Creates a watch on the bus at an address; `nil` is the system's bus.
  package init(_ monitor: any SessionMonitor, bus address: String?) {
    self.monitor = monitor
    self.address = address
    executor = HostQueue(label: "meridian.sessions")
  }

  /// Calls `report` on the watch's queue with each change, and with ``SessionOutput/unlocked(_:)`` of
  /// `nil` when there is no bus.
  nonisolated package func begin(_ report: @escaping @Sendable (SessionOutput) -> Void) {
    queue.async { self.onQueue { $0.enter(report) } }
  }

  /// Ends the watch.
  nonisolated package func end() {
    queue.async { self.onQueue { $0.leave() } }
  }

  private func enter(_ report: @escaping @Sendable (SessionOutput) -> Void) {
    guard bus == nil else { return }
    self.report = report
    do throws(BusFault) {
      let bus = try BusConnection(address: address) { [weak self] event in
        self?.onQueue { watch in
          guard case .bus(let event) = event else { return }
          watch.step(event)
        }
      }
      self.bus = bus
      try bus.begin(on: queue) { [weak self] in self?.onQueue { $0.serve() } }
    } catch {
      leave()
      return report(.unlocked(nil))
    }
    step(.connected)
    serve()
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
    leave()
    step(.disconnected)
  }

  private func leave() {
    bus?.end()
    bus = nil
  }

  isolated deinit {
    bus?.end()
  }
}
