import LocationRecording
import LocationSecrets

/// The keys of a state (docs/decisions/0108): for each generation one for the names of rows, and a
/// data key for each app and for the machine.
package struct KeyRing: Hashable {
  /// The keys that are in use from one change of all keys to the next.
  struct Generation: Hashable {
    /// The key of the names of owners and rows.
    var names: SecretKey
    /// The data key of each owner, by the bytes of its name; the machine's is that of no bytes.
    var owners: [[UInt8]: SecretKey]

    static func new() -> Generation {
      Generation(names: .random(), owners: [[]: .random()])
    }

    /// The keys of recordings by their numbers. They lie among those of owners, whose names are text, in
    /// which no byte is ``recordingsMark``.
    var recordings: SealedRecording.Keys {
      owners.reduce(into: [:]) { keys, owner in
        guard Self.isRecordings(owner.key) else { return }
        var number = owner.key[1...]
        if let number = number.takeNumber() { keys[number] = owner.value }
      }
    }

    /// Whether these are the bytes of no owner, but of a key of recordings.
    static func isRecordings(_ owner: [UInt8]) -> Bool {
      owner.count == 5 && owner[0] == recordingsMark
    }

    /// Adds a key of recordings; of too many, the oldest is dropped.
    mutating func addRecordingsKey() {
      let numbers = recordings.keys.sorted()
      if numbers.count == Self.mostRecordings {
        owners[[Self.recordingsMark] + numbers[0].bytes] = nil
      }
      let next = numbers.last.map { $0 + 1 } ?? .random(in: 1 << 16...1 << 30)
      owners[[Self.recordingsMark] + next.bytes] = .random()
    }

    private static let recordingsMark: UInt8 = 0xff
    /// The most keys of recordings. Chosen: each change of all keys adds one.
    private static let mostRecordings = 100
  }

  var generations: [UInt32: Generation]

  /// Creates keys of a first generation, whose number no other state has.
  static func new() -> KeyRing {
    KeyRing(generations: [.random(in: 1 << 16...1 << 30): .new()])
  }

  var newest: UInt32 { generations.keys.max() ?? 0 }

  // MARK: Bytes

  /// The bytes of all keys, in the order of their names; who seals them overwrites them afterward.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    // Whatever grows leaves a copy behind.
    bytes.reserveCapacity(length)
    for (number, generation) in generations.sorted(by: { $0.key < $1.key }) {
      bytes += number.bytes + UInt32(generation.owners.count).bytes
      generation.names.withUnsafeBytes { bytes += $0 }
      let owners = generation.owners.sorted { $0.key.lexicographicallyPrecedes($1.key) }
      for (owner, key) in owners {
        bytes += UInt32(owner.count).bytes + owner
        key.withUnsafeBytes { bytes += $0 }
      }
    }
    return bytes
  }

  /// The number of ``bytes``.
  private var length: Int {
    generations.values.reduce(0) { length, generation in
      generation.owners.keys.reduce(length + 8 + SecretKey.length) {
        $0 + 4 + $1.count + SecretKey.length
      }
    }
  }

  init(generations: [UInt32: Generation]) { self.generations = generations }

  /// Reads keys; `nil` if the bytes are not those of ``bytes``.
  package init?(bytes: [UInt8]) {
    var rest = bytes[...]
    generations = [:]
    while !rest.isEmpty {
      guard let number = rest.takeNumber(), let count = rest.takeNumber(),
        let names = rest.takeKey()
      else { return nil }
      var owners: [[UInt8]: SecretKey] = [:]
      for _ in 0..<count {
        guard let length = rest.takeNumber(), let owner = rest.take(Int(length)),
          let key = rest.takeKey()
        else { return nil }
        owners[owner] = key
      }
      generations[number] = Generation(names: names, owners: owners)
    }
    guard !generations.isEmpty else { return nil }
  }
}

extension UInt32 {
  /// The four bytes of the number, the lowest first.
  var bytes: [UInt8] { withUnsafeBytes(of: littleEndian) { [UInt8]($0) } }
}

extension ArraySlice<UInt8> {
  /// Removes and returns so many bytes; `nil` if there are fewer.
  mutating func take(_ count: Int) -> [UInt8]? {
    guard self.count >= count else { return nil }
    defer { removeFirst(count) }
    return Array(prefix(count))
  }

  /// Removes and returns a key; `nil` if there are fewer bytes.
  mutating func takeKey() -> SecretKey? {
    guard count >= SecretKey.length else { return nil }
    defer { removeFirst(SecretKey.length) }
    return SecretKey(bytes: prefix(SecretKey.length))
  }

  /// Removes and returns a number of four bytes; `nil` if there are fewer.
  mutating func takeNumber() -> UInt32? {
    take(4)?.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
