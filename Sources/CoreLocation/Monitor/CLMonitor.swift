/// Watches conditions and remembers what is known of each.
public actor CLMonitor {
  private let service: any MonitorService

  /// What happens from now on; each iteration gets what was not yet handled.
  public let events: Events

  /// Opens the monitor of a name, with the conditions it had when the app last ran.
  public init(_ name: String) async {
    service = currentService.openMonitor(name)
    events = Events(service: service)
  }

  /// The identifiers of all conditions, in the order in which they were added (MON-16).
  public var identifiers: [String] { service.identifiers }

  /// What is known of a condition; `nil` for an unknown identifier (MON-15).
  public func record(for identifier: String) -> Record? {
    service.record(for: identifier)
  }

  /// Watches a condition of which nothing is known (MON-9).
  public func add(_ condition: any CLCondition, identifier: String) {
    service.add(condition, identifier: identifier, assuming: .unknown)
  }

  /// Watches a condition from an assumed state; the first event corrects it if it is wrong
  /// (MON-12).
  public func add(
    _ condition: any CLCondition, identifier: String, assuming state: CLMonitor.Event.State
  ) {
    service.add(condition, identifier: identifier, assuming: state)
  }

  /// Watches a condition no longer (MON-14).
  public func remove(_ identifier: String) {
    service.remove(identifier)
  }

  /// A condition and what is known of it.
  public struct Record: Sendable {
    /// What is watched.
    public let condition: any CLCondition
    /// What the app last handled.
    public let lastEvent: Event
  }

  /// A sequence of events, which never ends by itself.
  public struct Events: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = Event
    /// One iteration.
    public typealias AsyncIterator = Iterator

    let service: any MonitorService

    /// Begins an iteration.
    public func makeAsyncIterator() -> Iterator {
      Iterator(stream: service.events().makeAsyncIterator())
    }

    /// One iteration.
    public struct Iterator: AsyncIteratorProtocol {
      /// An event.
      public typealias Element = Events.Element

      var stream: AsyncThrowingStream<Event, any Error>.Iterator

      /// The next event; `nil` only when the task is canceled.
      public mutating func next() async throws -> Element? {
        try await stream.next(isolation: #isolation)
      }
    }
  }
}
