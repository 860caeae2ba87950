package import LocationEngine
package import LocationModel
import LocationService

/// A program that declares an identifier, as it was verified.
package struct Claimant: Hashable, Sendable {
  /// The path of the program, or the folder of its Flatpak.
  package var program: String
  /// The installed package that it is part of; `nil` for none.
  package var package: String?

  package init(program: String, package: String? = nil) {
    (self.program, self.package) = (program, package)
  }
}

/// Whether a program may use an identifier.
package enum Claim: Hashable, Sendable {
  case held
  case refused
  /// It passed to the program from another one of the same package: from `program`.
  case passed(program: String)
}

/// The programs that use identifiers (docs/decisions/0089).
extension StateKeeper {
  /// Decides whether a program may use the identity: the first to use it keeps it, until another
  /// program of the same package uses it.
  package func claim(_ identity: AppIdentity, by claimant: Claimant, noting: (Note) -> Void)
    -> Claim
  {
    let key = Self.identityKey(of: identity)
    if let entry = entries.first(where: { $0.key == key }) {
      return claim(entry, of: identity, by: claimant, noting)
    }
    // A person cannot distinguish names that differ only in upper and lower case.
    let folded = identity.name.lowercased()
    let isVariant = entries.contains {
      $0.key.domain == key.domain && $0.key.owner.lowercased() == folded
    }
    guard !isVariant else { return .refused }
    guard hasRoom(for: identity) else {
      let text =
        "its user's programs keep \(Bounds.identifiersPerUser) identifiers already; make room with: "
        + "locationctl data erase --app APP"
      noting(.limit(identity, text))
      return .refused
    }
    note(claimant, of: identity, noting)
    return .held
  }

  /// Gives an identifier to another program, as the owner has decided; what the app may know stays.
  ///
  /// - Returns: the program that had it; `nil` if none has.
  /// - Throws: `StoreError` with why nothing was changed.
  package func reassign(
    _ identity: AppIdentity, to executable: String
  ) throws(StoreError) -> String? {
    let key = Self.identityKey(of: identity)
    guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
    let earlier = String(decoding: entries[index].value, as: UTF8.self)
    let value = [UInt8](executable.utf8)
    let package = Self.packageKey(of: identity)
    try store([.set(key, value), .remove(package)])
    entries[index].value = value
    entries.removeAll { $0.key == package }
    return earlier
  }

  /// Returns whether the user of an identity may have one more, so that names cannot fill the disk.
  private func hasRoom(for identity: AppIdentity) -> Bool {
    let known = entries.count {
      $0.key.domain == "identity" && AppIdentity($0.key.owner).user == identity.user
    }
    return known < Bounds.identifiersPerUser
  }

  /// Returns the key under which the program that may use an identity is stored.
  package static let identityDomain = "identity"

  static func identityKey(of identity: AppIdentity) -> StateKey {
    StateKey(domain: identityDomain, owner: identity.name)
  }

  /// Returns the key under which the package of that program is stored.
  static func packageKey(of identity: AppIdentity) -> StateKey {
    StateKey(domain: "package", owner: identity.name)
  }

  /// Decides about an identifier that a program has: it passes to another one only if both are part of
  /// the same installed package.
  private func claim(
    _ entry: StateEntry, of identity: AppIdentity, by claimant: Claimant, _ noting: (Note) -> Void
  ) -> Claim {
    let key = Self.packageKey(of: identity)
    let package = claimant.package.map { [UInt8]($0.utf8) }
    let known = entries.first { $0.key == key }?.value
    guard entry.value != [UInt8](claimant.program.utf8) else {
      // A program that was not part of a package, or is now part of another one.
      if package != known { note(claimant, of: identity, noting) }
      return .held
    }
    guard let package, package == known else { return .refused }
    note(claimant, of: identity, noting)
    return .passed(program: String(decoding: entry.value, as: UTF8.self))
  }

  /// Stores who uses an identifier.
  private func note(_ claimant: Claimant, of identity: AppIdentity, _ noting: (Note) -> Void) {
    var changes = [
      StateChange.set(Self.identityKey(of: identity), [UInt8](claimant.program.utf8))
    ]
    let key = Self.packageKey(of: identity)
    if let package = claimant.package {
      changes.append(.set(key, [UInt8](package.utf8)))
    } else if entries.contains(where: { $0.key == key }) {
      changes.append(.remove(key))
    }
    entries = Self.applying(changes, to: entries)
    commit(changes.map { .engine(.persist($0)) })
    if let fault { noting(.store("\(fault); who may use \(identity) is not stored yet")) }
  }

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
