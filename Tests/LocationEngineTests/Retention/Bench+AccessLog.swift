import LocationEngine
import LocationModel
import TestSupport

extension Bench where M.Output == BoundedLog.Output {
  /// What a store would have of a log now.
  var stored: [StateEntry] {
    var entries: [StateKey: [UInt8]] = [:]
    for case .persist(let change) in outputs.map(\.output) {
      switch change {
      case .set(let key, let value): entries[key] = value
      case .remove(let key): entries[key] = nil
      }
    }
    return entries.sorted { $0.key < $1.key }.map { StateEntry(key: $0.key, value: $0.value) }
  }
}
