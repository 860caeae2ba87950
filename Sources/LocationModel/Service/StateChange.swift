/// Identifies one entry of the durable state.
package struct StateKey: Hashable, Comparable, Sendable {
  /// The kind of entry: `authorization`, `condition`, `visit`, …
  package var domain: String
  /// The app it belongs to; empty for the machine as a whole.
  package var owner: String
  /// Its name within domain and owner.
  package var name: String

  package init(domain: String, owner: String, name: String = "") {
    self.domain = domain
    self.owner = owner
    self.name = name
  }

  package static func < (left: StateKey, right: StateKey) -> Bool {
    (left.domain, left.owner, left.name) < (right.domain, right.owner, right.name)
  }
}

/// One change of the durable state. All changes of one engine step are stored, or none.
package enum StateChange: Hashable, Sendable {
  /// The value is opaque to the store; machines write JSON.
  case set(StateKey, [UInt8])
  case remove(StateKey)
}

/// One entry of the durable state, as read back when the engine starts.
package struct StateEntry: Hashable, Sendable {
  package var key: StateKey
  package var value: [UInt8]

  package init(key: StateKey, value: [UInt8]) {
    self.key = key
    self.value = value
  }
}
