import LocationModel
package import LocationProviders

/// What the machine of a ``SessionBusAgent`` learns about its bus.
package protocol SessionBusInput {
  static func bus(_ event: BusEvent) -> Self
  /// The bus cannot be entered.
  static func closed(reason: String) -> Self
}

/// An actor whose machine enters and leaves the bus of the person's session.
package protocol SessionBusAgent: QueueActor {
  associatedtype Input: SessionBusInput & Sendable

  /// The address of the bus; `nil` if there is no session.
  nonisolated var address: String? { get }
  /// `nil` while the agent is not on the bus.
  var bus: BusConnection? { get set }

  /// Passes an input to the machine, and carries out its outputs.
  func step(_ input: Input)
}

extension SessionBusAgent {
  /// Connects; the machine learns the result after the present step.
  func enterBus() {
    leaveBus()
    guard let address else { return later(.closed(reason: SessionBus.missing)) }
    do throws(BusFault) {
      bus = try connect(to: address, serving: { $0.serve() }) { $0.step(.bus($1)) }
    } catch {
      return later(.closed(reason: Errno(code: error.code, call: address).description))
    }
    later(.bus(.connected))
  }

  func leaveBus() {
    _ = bus?.process()
    bus?.end()
    bus = nil
  }

  /// Sends what was called, and takes what has come.
  func serve() {
    guard let bus, !bus.process() else { return }
    leaveBus()
    step(.bus(.disconnected))
  }

  private func later(_ input: Input) {
    enter { $0.step(input) }
  }
}
