import Glibc
package import LocationModel
package import LocationProviders
import LocationService

/// Asks by notifications with buttons, on the bus of the person's session.
///
/// Runs on its own queue, so that no desktop delays a fix.
package actor NotificationAgent: PromptAgent, SessionBusAgent {
  nonisolated package let executor = HostQueue(label: "meridian.notifications")
  nonisolated package var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }
  nonisolated package let name = AgentChoice.notification.name
  /// The address of the bus; `nil` if there is no session.
  nonisolated package let address: String?
  private var presenter = NotificationPresenter()
  /// Messages of others that were rejected, counted by reason.
  package var refusals: [BusRefusal: Int] { presenter.refusals }
  package var bus: BusConnection?
  private var replies: [Prompt.ID: @Sendable (AgentReply) -> Void] = [:]

  /// Creates an agent on the bus at an address.
  package init(bus address: String?) {
    self.address = address
  }

  nonisolated package var obstacle: String? {
    guard let address else { return SessionBus.missing }
    let prefix = "unix:path="
    guard address.hasPrefix(prefix) else { return nil }
    let path = String(address.dropFirst(prefix.count).prefix { $0 != "," })
    return access(path, R_OK | W_OK) == 0 ? nil : Errno(last: path).description
  }

  nonisolated package func show(
    _ prompt: Prompt, reply: @escaping @Sendable (AgentReply) -> Void
  ) {
    enter { agent in
      agent.replies[prompt.id] = reply
      agent.step(.show(prompt))
    }
  }

  nonisolated package func withdraw(_ prompt: Prompt.ID) {
    enter { agent in
      agent.replies[prompt] = nil
      agent.step(.withdraw(prompt))
    }
  }

  package func step(_ input: NotificationPresenter.Input) {
    for output in presenter.handle(input, at: HostClock.now) {
      switch output {
      case .enter: enterBus()
      case .leave: leaveBus()
      case .bus(let action): bus?.carryOut(action)
      case .reply(let prompt, let reply): replies.removeValue(forKey: prompt)?(reply)
      }
    }
    // The request is sent after this step.
    enter { $0.serve() }
  }

  isolated deinit {
    bus?.end()
  }
}

extension NotificationPresenter.Input: SessionBusInput {}
