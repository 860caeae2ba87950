package import LocationModel

extension StateKeeper {
  /// Returns the program of an entry's app; `nil` if the entry does not contain it.
  package static func program(of entry: StateEntry) -> String? {
    let app = AppIdentity(entry.key.owner)
    if entry.key == identityKey(of: app) {
      return String(decoding: entry.value, as: UTF8.self)
    }
    return app.path
  }

  /// Returns the program that uses an identifier; an app without one is named by its program.
  package static func program(of app: AppIdentity, in entries: [StateEntry]) -> String? {
    if let claim = entries.first(where: { $0.key == identityKey(of: app) }) {
      return String(decoding: claim.value, as: UTF8.self)
    }
    return app.path
  }
}
