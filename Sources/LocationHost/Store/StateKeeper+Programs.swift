package import LocationModel

extension StateKeeper {
  /// The program of the app that an entry is about; `nil` when the entry does not tell.
  package static func program(of entry: StateEntry) -> String? {
    let app = AppIdentity(entry.key.owner)
    if entry.key == identityKey(of: app) {
      return String(decoding: entry.value, as: UTF8.self)
    }
    return app.path
  }

  /// The program that uses an identifier; an app without one is named by its program.
  package static func program(of app: AppIdentity, in entries: [StateEntry]) -> String? {
    if let claim = entries.first(where: { $0.key == identityKey(of: app) }) {
      return String(decoding: claim.value, as: UTF8.self)
    }
    return app.path
  }
}
