import Glibc
import LocationSecrets

/// The key that opens the keys of a state, and where it is from.
struct MasterKey {
  /// Where it is from.
  enum Origin: Hashable {
    /// A systemd credential, for the unit of the daemon.
    case credential
    /// A file beside the keys.
    case file
    /// The item with this name in the Secret Service of a person.
    case service(item: String)

    /// The word for it in the file of the keys.
    var word: String {
      switch self {
      case .credential: "credential"
      case .file: "file"
      case .service(let item): Self.service + item
      }
    }

    /// Reads the word of ``word``; `nil` for any other.
    init?(word: Substring) {
      switch word {
      case "credential": self = .credential
      case "file": self = .file
      default:
        let item = word.dropFirst(Self.service.count)
        guard word.hasPrefix(Self.service), Self.isName(item) else { return nil }
        self = .service(item: String(item))
      }
    }

    /// Whether this is the name of an item, as this program makes them.
    static func isName(_ text: Substring) -> Bool {
      text.utf8.count == nameLength && text.allSatisfy { $0.isHexDigit }
    }

    /// The name of the item; `nil` without one.
    var item: String? {
      guard case .service(let item) = self else { return nil }
      return item
    }

    /// Creates the origin of a new key in the Secret Service.
    static func newInService() -> Origin {
      // Digits by chance, of a key that nothing uses.
      .service(item: String(SecretKey.random().hexadecimal.prefix(nameLength)))
    }

    private static let service = "service:"
    private static let nameLength = 16
  }

  var key: SecretKey
  var origin: Origin

  /// The name of the credential; with `-before` at its end that of the one that it replaces.
  static let credential = "meridian.state-key"

  /// Reads the credentials that this process was given.
  ///
  /// - Parameter folder: that of `$CREDENTIALS_DIRECTORY`.
  /// - Returns: the present one first.
  /// - Throws: `StoreError` if one is there and is no key, or not only root's and this user's.
  static func credentials(in folder: String?) throws(StoreError) -> [MasterKey] {
    guard let folder, folder.hasPrefix("/") else { return [] }
    var keys: [MasterKey] = []
    for name in [credential, credential + "-before"] {
      let path = "\(folder)/\(name)"
      guard access(path, F_OK) == 0 else { continue }
      var bytes: [UInt8]
      do throws(OwnedFile.Fault) { bytes = try OwnedFile.read(path, limit: 256) } catch {
        throw StoreError(code: StoreError.locked, context: path, message: error.description)
      }
      defer { wipe(&bytes) }
      guard let key = Self.key(bytes) else {
        throw StoreError(
          code: StoreError.locked, context: path,
          message: "it is no key: it needs 32 bytes, or 64 hexadecimal digits")
      }
      keys.append(MasterKey(key: key, origin: .credential))
    }
    return keys
  }

  /// Reads a key: 32 bytes, or 64 hexadecimal digits and perhaps the end of the line.
  static func key(_ bytes: [UInt8]) -> SecretKey? {
    if let key = SecretKey(bytes: bytes) { return key }
    let digits = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
    return SecretKey(digits: digits)
  }
}
