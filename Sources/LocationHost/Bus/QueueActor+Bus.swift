package import LocationProviders

extension QueueActor {
  /// Connects to the bus at an address, `nil` for the system bus. Its events enter the actor as long as
  /// there is one: `receive` is called with each, from within `BusConnection.process()`, which `serve`
  /// is to call whenever there is work.
  nonisolated package func connect(
    to address: String?, serving serve: @escaping @Sendable (isolated Self) -> Void,
    _ receive: @escaping @Sendable (isolated Self, BusEvent) -> Void
  ) throws(BusFault) -> BusConnection {
    let bus = try BusConnection(address: address) { [weak self] event in
      guard case .bus(let event) = event else { return }
      self?.onQueue { receive($0, event) }
    }
    do throws(BusFault) {
      try bus.begin(on: queue) { [weak self] in self?.onQueue { serve($0) } }
    } catch {
      bus.end()
      throw error
    }
    return bus
  }
}
