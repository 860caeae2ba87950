import LocationModel

/// Watches conditions and remembers what is known of each.
public actor CLMonitor {
  private let link: MonitorLink
  /// The app's own conditions that nobody can watch; the service does not know them (MON-20).
  private var unknown: [String: any CLCondition] = [:]

  /// What happens from now on; each iteration gets what was not yet handled.
  public let events: Events

  /// Opens the monitor of a name, with the conditions it had when the app last ran (MON-1).
  ///
  /// The name consists of letters, digits, and inner underscores (MON-4), and is open once at a
  /// time in all processes of the app (MON-2); anything else ends the process with a message.
  public init(_ name: String) async {
    precondition(
      MonitorRequest.isValid(name: name),
      "CLMonitor: the name \"\(name)\" is not valid: use letters, digits, and inner underscores")
    link = MonitorLink(name)
    events = Events(link: link)
    guard case .taken(let process) = await link.opened() else { return }
    let first = process.map { "process \($0) of this app" } ?? "this process"
    preconditionFailure("CLMonitor: the monitor \"\(name)\" is already in use by \(first)")
  }

  /// The identifiers of all conditions, in the order in which they were added (MON-16).
  public var identifiers: [String] { link.identifiers }

  /// What is known of a condition; `nil` for an unknown identifier (MON-15).
  public func record(for identifier: String) -> Record? {
    guard let record = link.record(for: identifier),
      let condition = record.target.condition ?? unknown[identifier]
    else { return nil }
    return Record(condition: condition, lastEvent: Event(record.lastEvent))
  }

  /// Watches a condition of which nothing is known (MON-9).
  public func add(_ condition: any CLCondition, identifier: String) {
    add(condition, identifier: identifier, assuming: .unknown)
  }

  /// Watches a condition from an assumed state; the first event corrects it if it is wrong
  /// (MON-12).
  public func add(
    _ condition: any CLCondition, identifier: String, assuming state: CLMonitor.Event.State
  ) {
    let target = ConditionTarget(condition)
    unknown[identifier] = target == .unsupported ? condition : nil
    link.add(target, identifier: identifier, assuming: ConditionState(state))
  }

  /// Watches a condition no longer (MON-14).
  public func remove(_ identifier: String) {
    unknown[identifier] = nil
    link.remove(identifier)
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

    let link: MonitorLink

    /// Begins an iteration.
    public func makeAsyncIterator() -> Iterator {
      Iterator(iteration: link.iterate())
    }

    /// One iteration.
    public struct Iterator: AsyncIteratorProtocol {
      /// An event.
      public typealias Element = Events.Element

      let iteration: MonitorIteration

      /// The next event; `nil` only when the task is canceled.
      public mutating func next() async throws -> Element? {
        await iteration.next().map { Event($0) }
      }
    }
  }
}
