import Glibc
import LocationModel
import LocationSecrets

/// A second, small file beside the state, for data that must not be lost with it: the switch of
/// location services, the claims on identifiers, and the secret of coarse places.
///
/// It is written with each change of these, in the same transaction, under another name and then
/// renamed, so that one of both files has the last decision (docs/decisions/0069).
struct StateGuard {
  /// The contents of the file.
  enum Reading: Hashable {
    case missing
    case entries([StateEntry])
    /// It is damaged or cannot be read.
    case damaged
    /// A newer program has written it, in a form of this number.
    case newer(Int)
  }

  let path: String
  /// The path for a person.
  var shownPath: String { folder.map { "\($0.path)/\(StateFolder.guardian)" } ?? path }
  /// Keeps the path valid.
  private let folder: HeldFolder?

  /// Creates the guard of a state that cannot be opened.
  init(beside file: String) {
    path = StateFolder(containing: file).path + "/" + StateFolder.guardian
    folder = nil
  }

  /// Creates the guard in a folder that was checked.
  init(in folder: HeldFolder) {
    path = folder.file(StateFolder.guardian)
    self.folder = folder
  }

  /// The domains that are stored twice.
  static let domains = ["identity", "package", "secret", "settings"]
  /// Those of them that are sealed; the others must be readable when the keys are lost.
  private static let sealed = ["secret"]

  static func concerns(_ change: StateChange) -> Bool {
    switch change {
    case .set(let key, _), .remove(let key): domains.contains(key.domain)
    }
  }

  // MARK: Reading

  /// Reads the file; a secret that the seal does not open is left out.
  func read(sealedBy seal: StateSeal? = nil) -> Reading {
    var status = stat()
    guard lstat(path, &status) == 0 else { return errno == ENOENT ? .missing : .damaged }
    guard status.st_mode & S_IFMT == S_IFREG,
      let bytes = SmallFile.read(path, limit: Self.largest)
    else { return .damaged }
    return Self.read(String(decoding: bytes, as: UTF8.self), sealedBy: seal)
  }

  /// Whether the file is of an earlier form, in which the secret was not sealed.
  var isOlder: Bool {
    let bytes = SmallFile.read(path, limit: Self.largest) ?? []
    return bytes.starts(with: Array("\(Self.name) 1\n".utf8))
  }

  /// - Complexity: linear in the length of the text.
  static func read(_ text: String, sealedBy seal: StateSeal? = nil) -> Reading {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    let head = lines.popFirst()?.split(separator: " ") ?? []
    guard head.count == 2, head[0] == name, let number = Int(head[1]) else { return .damaged }
    guard number <= version else { return .newer(number) }
    guard lines.popLast() == "", let sum = lines.popLast() else { return .damaged }
    guard sum == checksum(of: ([head.joined(separator: " ")[...]] + lines)) else {
      return .damaged
    }
    var entries: [StateEntry] = []
    for line in lines {
      let words = line.split(separator: " ", omittingEmptySubsequences: false)
        .map { Self.bytes($0) }
      guard words.count == 4, let domain = words[0], let owner = words[1], let name = words[2],
        let value = words[3]
      else { return .damaged }
      let key = StateKey(
        domain: String(decoding: domain, as: UTF8.self),
        owner: String(decoding: owner, as: UTF8.self),
        name: String(decoding: name, as: UTF8.self))
      let isSealed = number > 1 && Self.sealed.contains(key.domain)
      guard let value = isSealed ? seal?.open(value, ofGuarded: key) : value else { continue }
      entries.append(StateEntry(key: key, value: value))
    }
    return .entries(entries)
  }

  // MARK: Writing

  /// Replaces the file; it is on disk before this returns. Without a seal no secret is written.
  ///
  /// - Throws: `StoreError` of the system; the earlier file then still exists.
  func write(_ entries: [StateEntry], sealedBy seal: StateSeal? = nil) throws(StoreError) {
    let text = Array(Self.text(entries, sealedBy: seal).utf8)
    guard text.count <= Self.largest else {
      throw StoreError(
        code: StoreError.tooLarge, context: shownPath,
        message:
          "it would have \(text.count) bytes, and \(Self.largest) are read; nothing was stored")
    }
    do throws(Errno) { try ReplacedFile.write(text, to: path) } catch {
      throw StoreError(error, in: folder)
    }
  }

  static func text(_ entries: [StateEntry], sealedBy seal: StateSeal? = nil) -> String {
    let lines =
      ["\(name) \(version)"]
      + entries.sorted { $0.key < $1.key }.compactMap { entry in
        let isSealed = sealed.contains(entry.key.domain)
        return (isSealed ? seal?.seal(guarded: entry) : entry.value).map { value in
          [
            Array(entry.key.domain.utf8), Array(entry.key.owner.utf8), Array(entry.key.name.utf8),
            value,
          ].map { MessageDigest.hexadecimal($0) }.joined(separator: " ")
        }
      }
    return (lines + [checksum(of: lines.map { $0[...] }), ""]).joined(separator: "\n")
  }

  // MARK: Encoding

  private static func bytes(_ word: Substring) -> [UInt8]? {
    let digits = Array(word.utf8)
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard
        let byte = UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  /// FNV-1a: detects damage by a broken disk, not forgery; a forger who can write the guard can
  /// write the whole folder.
  private static func checksum(of lines: [Substring]) -> String {
    let sum = lines.reduce(FNV1a.empty) { FNV1a.hash(Array($1.utf8) + [10], from: $0) }
    return MessageDigest.hexadecimal(
      (0..<8).map { UInt8(truncatingIfNeeded: sum >> (56 - 8 * $0)) })
  }

  private static let name = "meridian-guard"
  private static let version = 2
  /// The greatest size in bytes. Chosen: thousands of identifiers.
  private static let largest = 8 << 20
}
