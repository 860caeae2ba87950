import Glibc
import LocationHost
import LocationLink
import LocationModel

// The identity of a program in the engine.
extension SocketServer {
  /// Returns the app that the program declares, or, if that is refused, the app of its path. An
  /// identifier belongs to the first program that has used it, and to its next version in the same
  /// package (docs/decisions/0089); another user's app is another app.
  func app(of peer: Peer, declaring manifest: Manifest) -> AppIdentity {
    let user = peer.user == getuid() ? nil : peer.user
    let byPath = AppIdentity(path: peer.executable, user: user)
    // A sandboxed app has the name under which it was installed, and keeps it through its updates.
    guard let identifier = peer.sandbox?.name ?? manifest.identifier else { return byPath }
    guard let cause = obstacle(to: identifier, of: peer, user) else {
      return AppIdentity(declaring: identifier, path: peer.executable, user: user)
    }
    let text =
      "\(peer.executable) declares \(identifier.escapedForDisplay()), which \(cause); it is "
      + "served as \(byPath)"
    journal.write(
      .client, text, isFault: true, from: LogCaller(user: peer.user, program: peer.executable))
    return byPath
  }

  /// Returns why a program cannot have an identifier, as the end of a sentence; `nil` if it can.
  private func obstacle(to identifier: String, of peer: Peer, _ user: UInt32?) -> String? {
    let isOwners = AppIdentity(identifier).isOwner
    if !isOwners, let fault = AppIdentity.fault(ofIdentifier: identifier) { return fault }
    let identity = AppIdentity(declaring: identifier, path: peer.executable, user: user)
    let claimant = Claimant(
      program: peer.sandbox?.home ?? peer.executable, package: peer.package)
    switch isOwners ? .refused : host.onQueue({ $0.claim(identity, by: claimant) }) {
    case .held: return nil
    case .refused:
      guard let origin = peer.package else {
        return "is another program's, and this one is part of no package, nor signed with it"
      }
      return "is another program's, and not one of \(origin) as this one is"
    case .passed(let program):
      let text =
        "\(identity) passes from \(program) to \(peer.executable): both are of "
        + "\(peer.package ?? "one package")"
      journal.write(.client, text, from: LogCaller(user: peer.user, program: peer.executable))
      return nil
    }
  }
}

extension Peer {
  /// The program as far as it was verified.
  var program: VerifiedProgram {
    VerifiedProgram(
      path: executable, user: user, package: sandbox?.home, isProtected: isProtected)
  }

  /// Looks whether others can write the program, or the manifest that names it.
  mutating func protect(_ manifest: Manifest) {
    let names = sandbox == nil && manifest.identifier != nil ? manifest.file : executable
    isProtected =
      OwnedFile.intruder(on: executable) == nil
      && (names == executable || OwnedFile.intruder(on: names) == nil)
  }
}
