package import LocationModel
package import LocationProviders
import Synchronization

/// Shows which apps use the location on the desktop of the person's session.
///
/// Runs on its own queue, so that no desktop delays a fix.
package actor IndicatorAgent: SessionBusAgent {
  /// What the person does in the menu, and whether the desktop shows it.
  package enum Event: Hashable, Sendable {
    case stop(AppIdentity)
    case switchServicesOff
    /// `nil` if the desktop shows the item.
    case shown(obstacle: String?)
  }

  nonisolated package let executor = HostQueue(label: "meridian.indicator")
  nonisolated package var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }
  /// The address of the bus; `nil` if there is no session.
  nonisolated package let address: String?
  /// What is to be shown next.
  nonisolated private let waiting = Mutex<IndicatorContents?>(nil)
  private var presenter = IndicatorPresenter()
  package var bus: BusConnection?
  private var receive: (@Sendable (Event) -> Void)?
  /// The deadline for which a wake is scheduled.
  private var armed: Instant?

  /// Creates an agent on the bus at an address.
  package init(bus address: String?) {
    self.address = address
  }

  /// Calls `receive` on the agent's queue with each event from now on.
  nonisolated package func begin(_ receive: @escaping @Sendable (Event) -> Void) {
    enter { $0.receive = receive }
  }

  /// Shows the apps of now in place of those before. While a desktop delays the agent, only the last
  /// contents wait.
  nonisolated package func show(_ contents: IndicatorContents) {
    let isFirst = waiting.withLock { waiting in
      defer { waiting = contents }
      return waiting == nil
    }
    guard isFirst else { return }
    enter { agent in
      guard let contents = agent.waiting.withLock({ $0.take() }) else { return }
      agent.step(.show(contents))
    }
  }

  package func step(_ input: IndicatorPresenter.Input) {
    for output in presenter.handle(input, at: HostClock.now) {
      switch output {
      case .enter: enterBus()
      case .leave: leaveBus()
      case .bus(let action): bus?.carryOut(action)
      case .stop(let app): receive?(.stop(app))
      case .switchServicesOff: receive?(.switchServicesOff)
      case .shown(let obstacle): receive?(.shown(obstacle: obstacle))
      }
    }
    // What was called and sent leaves after this step.
    enter { $0.serve() }
    arm()
  }

  /// Wakes the presenter when it is due; a wake that comes too early changes nothing.
  private func arm() {
    guard let due = presenter.nextDeadline, due != armed else { return }
    armed = due
    enter(at: due) { $0.step(.wake) }
  }

  /// Leaves the bus.
  nonisolated func end() { enter { $0.leaveBus() } }
}

extension IndicatorPresenter.Input: SessionBusInput {}
