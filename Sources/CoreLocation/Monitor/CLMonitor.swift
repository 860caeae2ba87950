import LocationModel

/// Monitors conditions and keeps the last event of each.
public actor CLMonitor {
  private let link: MonitorLink
  /// Conditions of the app's own types, which the service does not know (MON-20).
  private var unknown: [String: any CLCondition] = [:]

  /// The events from now on; each iteration receives those that were not yet handled.
  public let events: Events

  /// Opens the monitor with a name, with the conditions it had when the app last ran (MON-1).
  ///
  /// Ends the process with a message if the name is not valid, or if the monitor is open already in
  /// any process of the app (MON-2).
  ///
  /// - Parameter name: Letters, digits, and inner underscores (MON-4).
  public init(_ name: String) async {
    if let fault = Self.fault(in: name) {
      fatalError("CLMonitor: the name \"\(name)\" is not valid, as \(fault): \(Self.nameRule)")
    }
    link = MonitorLink(name)
    events = Events(link: link)
    guard case .taken(let process) = await link.opened() else { return }
    let first = process.map { "process \($0) of this app" } ?? "this process"
    fatalError("CLMonitor: the monitor \"\(name)\" is already in use by \(first)")
  }

  /// Why a name is not valid; `nil` for one that is (MON-4).
  private static func fault(in name: String) -> String? {
    guard !MonitorRequest.isValid(name: name) else { return nil }
    let odd = name.first { !MonitorRequest.isValid(name: "a\($0)a") }
    return odd.map { "it has \"\($0)\"" } ?? (name.isEmpty ? "it is empty" : "\"_\" is at its edge")
  }

  private static let nameRule = """
    a name is made of the letters A to Z, digits, and underscores between them, as Apple documents \
    and checks it (com.example.places: com_example_places)
    """

  /// The identifiers of all conditions, in the order in which they were added (MON-16).
  ///
  /// - Complexity: Linear in the conditions of the monitor.
  public var identifiers: [String] { link.identifiers }

  /// Returns a condition and the last event about it that the app has handled.
  ///
  /// - Parameter identifier: The name of the condition within this monitor.
  /// - Returns: The record; `nil` for an unknown identifier (MON-15).
  /// - Complexity: Linear in the conditions of the monitor.
  public func record(for identifier: String) -> Record? {
    guard let record = link.record(for: identifier),
      let condition = record.target.condition ?? unknown[identifier]
    else { return nil }
    return Record(condition: condition, lastEvent: Event(record.lastEvent))
  }

  /// Monitors a condition whose state is unknown (MON-9), and replaces one of the same name
  /// (MON-10).
  ///
  /// - Parameters:
  ///   - condition: The circle or the beacons; another type gives one event with
  ///     `conditionUnsupported` (MON-20).
  ///   - identifier: The name of the condition within this monitor.
  /// - Complexity: Linear in the conditions of the monitor.
  public func add(_ condition: any CLCondition, identifier: String) {
    add(condition, identifier: identifier, assuming: .unknown)
  }

  /// Monitors a condition from an assumed state, and replaces one of the same name (MON-10).
  ///
  /// - Parameters:
  ///   - condition: The circle or the beacons; another type gives one event with
  ///     `conditionUnsupported` (MON-20).
  ///   - identifier: The name of the condition within this monitor.
  ///   - state: The state to start from; the first event corrects it if it is wrong (MON-12).
  /// - Complexity: Linear in the conditions of the monitor.
  public func add(
    _ condition: any CLCondition, identifier: String, assuming state: CLMonitor.Event.State
  ) {
    let target = ConditionTarget(condition)
    unknown[identifier] = target == .unsupported ? condition : nil
    link.add(target, identifier: identifier, assuming: ConditionState(state))
  }

  /// Stops monitoring a condition; events that were not delivered are dropped (MON-14).
  ///
  /// - Parameter identifier: The name of the condition within this monitor.
  /// - Complexity: Linear in the conditions of the monitor.
  public func remove(_ identifier: String) {
    unknown[identifier] = nil
    link.remove(identifier)
  }

  /// A condition and its last event.
  public struct Record: Sendable {
    /// The monitored condition.
    public let condition: any CLCondition
    /// The last event that the app handled.
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
    ///
    /// - Returns: The iteration.
    public func makeAsyncIterator() -> Iterator {
      Iterator(iteration: link.iterate())
    }

    /// One iteration.
    public struct Iterator: AsyncIteratorProtocol {
      /// An event.
      public typealias Element = Events.Element

      let iteration: MonitorIteration

      /// Waits for the next event; the previous one now counts as handled (MON-23).
      ///
      /// - Returns: The event; `nil` only when the task is canceled.
      /// - Throws: Nothing; the signature is Apple's.
      public mutating func next() async throws -> Element? {
        await iteration.next().map { Event($0) }
      }
    }
  }
}
