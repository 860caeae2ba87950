import Synchronization

/// Values by key, of which the one added first is removed when there are too many. May be used on any
/// thread.
package final class BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct State {
    var values: [Key: Value] = [:]
    /// In the order in which they were added.
    var order: [Key] = []
  }

  private let state = Mutex(State())
  private let capacity: Int

  package init(capacity: Int) { self.capacity = capacity }

  package var count: Int { state.withLock { $0.values.count } }

  package subscript(key: Key) -> Value? { state.withLock { $0.values[key] } }

  package func keep(_ value: Value, as key: Key) {
    state.withLock { state in
      if state.values.updateValue(value, forKey: key) == nil { state.order.append(key) }
      guard state.order.count > capacity else { return }
      state.values[state.order.removeFirst()] = nil
    }
  }
}
