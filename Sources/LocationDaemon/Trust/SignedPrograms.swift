package import Glibc
import LocationHost
import LocationSecrets

/// Finds the publisher who has signed a program, with minisign, together with its identifier.
///
/// `NAME.minisig` lies beside the program, with the publisher's public key in `NAME.pub`; the comment
/// that is signed contains the word `identifier:NAME`. May be called on any thread, and waits for file
/// systems.
package final class SignedPrograms: Sendable {
  /// Identifies a program, its signature, and the key as they were when they were read.
  private struct Stamp: Hashable {
    var identifier: String
    var program: FileStamp
    var signature: FileStamp
    var key: FileStamp
  }

  /// The publishers of programs; `nil` in it for a program whose signature is not valid.
  private let memory = BoundedCache<Stamp, String?>(capacity: SignedPrograms.kept)

  package init() {}

  /// The number of programs cached, for the tests.
  package var count: Int { memory.count }

  /// Returns who has signed the program at a path, such as `minisign:RWQf6LRC…`; `nil` if nobody has, if
  /// it was signed with another identifier, or if users other than root and `user` could have changed
  /// it.
  package func publisher(of program: String, declaring identifier: String, user: uid_t) -> String? {
    let places = (signature: program + ".minisig", key: program + ".pub")
    guard let signature = FileStamp(ofFileAt: places.signature),
      let key = FileStamp(ofFileAt: places.key),
      OwnedFile.intruder(on: program, owners: [0, user]) == nil,
      let file = SmallFile.open(program, in: 1...Self.longest)
    else { return nil }
    defer { close(file.descriptor) }
    let stamp = Stamp(
      identifier: identifier, program: FileStamp(file.status), signature: signature, key: key)
    if let known = memory[stamp] { return known }
    let found = verify(file, declaring: identifier, places.signature, places.key)
    memory.keep(found, as: stamp)
    return found
  }

  private func verify(
    _ file: SmallFile.Opened, declaring identifier: String, _ signature: String, _ key: String
  ) -> String? {
    guard let bytes = SmallFile.read(signature, limit: Self.longestSignature),
      let keyBytes = SmallFile.read(key, limit: Self.longestSignature),
      let found = MinisignSignature(file: bytes, keyFile: keyBytes),
      found.comment.split(whereSeparator: \.isWhitespace).contains("identifier:\(identifier)")
    else { return nil }
    var hash = FileHash()
    guard file.read(into: &hash, limit: Self.longest), found.covers(hash) else { return nil }
    return "minisign:" + found.publisher
  }

  /// Programs cached. Chosen: many times the apps of a computer.
  package static let kept = 256
  /// Bytes of a program. Chosen: as many are read in about a second.
  private static let longest = 1 << 30
  /// Bytes of a signature, and of a key. minisign's have some three hundred.
  private static let longestSignature = 4096
}

extension SmallFile.Opened {
  /// Adds the whole file to a hash; returns `false` if it cannot be read, or has more bytes than the
  /// limit.
  fileprivate func read(into hash: inout FileHash, limit: Int) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    var total = 0
    while total <= limit {
      let count = Glibc.read(descriptor, &bytes, bytes.count)
      guard count > 0 else { return count == 0 }
      bytes.withUnsafeBytes { hash.add(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      total += count
    }
    return false
  }
}
