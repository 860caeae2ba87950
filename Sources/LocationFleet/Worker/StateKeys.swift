package import LocationSecrets

/// The keys with which the devices of a partition are stored.
///
/// A store keeps bytes that were replaced, often for long. Only who has the key can read them, and the
/// key is stored once: when it is erased, everything that was stored with it is.
struct StateKeys: Sendable {
  private struct Entry {
    var key: SecretKey
    var sequence: UInt64
  }

  private let partition: Int
  private var known: [UInt64: Entry] = [:]

  /// Takes the keys out of what is stored of a partition.
  init(of partition: Int, _ values: [String: LogMessage]) {
    self.partition = partition
    let head = "st.\(partition).key."
    for (subject, message) in values where subject.hasPrefix(head) {
      guard let number = UInt64(subject.dropFirst(head.count)),
        let key = SecretKey(bytes: message.entry.bytes)
      else { continue }
      known[number] = Entry(key: key, sequence: message.sequence)
    }
  }

  /// The number of the key that seals; `nil` while there is none.
  var current: UInt64? { known.keys.max() }

  static func name(_ number: UInt64, of partition: Int) -> String {
    "st.\(partition).key.\(number)"
  }

  /// A key with this number is stored.
  mutating func add(_ key: SecretKey, number: UInt64, sequence: UInt64) {
    known[number] = Entry(key: key, sequence: sequence)
  }

  /// The messages of all keys but the newest.
  var older: [UInt64] {
    known.filter { $0.key != current }.map(\.value.sequence).sorted()
  }

  mutating func forgetOlder() { known = known.filter { $0.key == current } }

  /// Seals what is stored at a place, with the newest key.
  func seal(
    _ bytes: [UInt8], at place: String, using generator: inout KeyedGenerator
  ) -> [UInt8]? {
    guard let current, let entry = known[current] else { return nil }
    var writer = ByteWriter()
    writer.add(current)
    let nonce = (0..<Seal.nonceLength).map { _ in
      UInt8.random(in: 0 ... .max, using: &generator)
    }
    return writer.bytes
      + Seal.seal(bytes, at: Array(place.utf8), nonce: nonce, with: entry.key)
  }

  /// `nil` where it was changed, or its key is gone.
  func open(_ bytes: [UInt8], at place: String) -> [UInt8]? {
    var reader = ByteReader(bytes)
    guard let number = reader.number(), let entry = known[number] else { return nil }
    return Seal.open(reader.rest, at: Array(place.utf8), with: entry.key)
  }
}

/// Numbers that nobody without the secret can know: of keys, and of what goes with them.
package struct KeyedGenerator: RandomNumberGenerator, Sendable {
  private let function: KeyedFunction
  private var count: UInt64 = 0

  package init(_ secret: SecretKey) {
    function = KeyedFunction(secret, purpose: "the keys of a fleet's devices")
  }

  package mutating func next() -> UInt64 {
    count += 1
    return function.number(of: count)
  }
}
