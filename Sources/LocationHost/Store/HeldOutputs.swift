package import LocationService
import LocationEngine
package import LocationModel

/// Outputs that may leave the process only after the changes on which they depend are stored, in
/// the order in which they were decided, up to a bound for each client and one for all.
package struct HeldOutputs {
  /// Held outputs in their order, and the step that must be stored before each.
  private var waiting: [(output: ServiceCore.Output, step: Int)] = []
  /// The index of the first output that has not left.
  private var next = 0
  private var counts: [ClientID: Int] = [:]

  /// The most deliveries held for one client, and for all. Chosen: minutes of a busy app, and some
  /// ten megabytes.
  package static let most = (ofClient: 1000, ofAll: 20_000)

  package var isEmpty: Bool { next == waiting.count }
  package var count: Int { waiting.count - next }

  /// Whether outputs are held for a client, so that later ones must be held, too.
  package func concerns(_ client: ClientID) -> Bool { counts[client] != nil }

  /// Adds an output at the end; a launch or wake of an app only once. A position replaces a held
  /// one of the same subscriber, because an old position is worth less.
  ///
  /// - Parameters:
  ///   - output: what may leave later.
  ///   - step: the step with changes that must be stored before; not lower than that of one before.
  /// - Returns: whether there was room.
  package mutating func add(_ output: ServiceCore.Output, after step: Int = 0) -> Bool {
    guard case .engine(.deliver(let client, let delivery)) = output else {
      if !waiting[next...].contains(where: { $0.output.errand == output.errand }) {
        waiting.append((output, step))
      }
      return true
    }
    if let subscriber = delivery.positionSubscriber { dropPosition(of: subscriber, client) }
    let own = counts[client] ?? 0
    guard own < Self.most.ofClient, count < Self.most.ofAll else { return false }
    counts[client] = own + 1
    waiting.append((output, step))
    return true
  }

  /// Adds an output beyond the bound for its client.
  package mutating func keep(_ output: ServiceCore.Output, after step: Int = 0) {
    guard count < Self.most.ofAll else { return }
    if case .engine(.deliver(let client, _)) = output { counts[client, default: 0] += 1 }
    waiting.append((output, step))
  }

  private mutating func dropPosition(of subscriber: SubscriberID, _ client: ClientID) {
    guard concerns(client) else { return }
    let index = waiting[next...].lastIndex { held in
      guard case .engine(.deliver(client, let delivery)) = held.output else { return false }
      return delivery.positionSubscriber == subscriber
    }
    guard let index else { return }
    waiting.remove(at: index)
    settle(client)
  }

  /// Removes and returns the first output.
  ///
  /// - Parameter step: the last step that is stored.
  /// - Returns: `nil` if there is none, or it must wait for a later step.
  package mutating func popFirst(storedUpTo step: Int = .max) -> ServiceCore.Output? {
    guard !isEmpty, waiting[next].step <= step else { return nil }
    let output = waiting[next].output
    next += 1
    if isEmpty { (waiting, next) = ([], 0) }
    if case .engine(.deliver(let client, _)) = output { settle(client) }
    return output
  }

  /// Removes the outputs of a client that has gone.
  package mutating func forget(_ client: ClientID) {
    guard concerns(client) else { return }
    waiting.removeFirst(next)
    next = 0
    waiting.removeAll { if case .engine(.deliver(client, _)) = $0.output { true } else { false } }
    counts[client] = nil
  }

  private mutating func settle(_ client: ClientID) {
    let rest = (counts[client] ?? 0) - 1
    counts[client] = rest > 0 ? rest : nil
  }
}

extension ServiceCore.Output {
  /// The launch or wake of an app, or the end of its running time, and the app; else `nil`.
  fileprivate var errand: [String]? {
    switch self {
    case .engine(.launch(let app)): ["launch", app.name]
    case .engine(.wakeApp(let app)): ["wake", app.name]
    case .engine(.runtimeOver(let app)): ["over", app.name]
    default: nil
    }
  }
}

extension Delivery {
  /// The subscriber that receives a position by it; `nil` for every other delivery.
  fileprivate var positionSubscriber: SubscriberID? {
    switch self {
    case .updates(let subscriber, .fixes): subscriber
    case .live(let subscriber, let update): update.fix == nil ? nil : subscriber
    default: nil
    }
  }

  /// Whether it is an event, which the engine delivers once and keeps in a bounded number.
  var isEvent: Bool {
    switch self {
    case .pending, .monitor(_, .event): true
    default: false
    }
  }
}
