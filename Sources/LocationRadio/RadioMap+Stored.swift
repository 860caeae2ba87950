package import LocationModel
package import LocationSecrets

// The map without a source: for its owner, who sees and changes what is stored.
extension RadioMap {
  /// Reads a map from its rows.
  package init(secret: SecretKey, restoring entries: [StateEntry]) {
    self.init(secret: secret)
    adopt(entries)
  }

  /// Returns what the map must store because of an input.
  package mutating func changes(for input: Input, at now: Moment) -> [StateChange] {
    handle(input, at: now).compactMap { output in
      if case .store(let change) = output { change } else { nil }
    }
  }

  /// Returns how many rows are stored.
  package var rowCount: Int { rows.all.count }
}
