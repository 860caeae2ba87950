internal import CSodium
internal import Synchronization

/// The memory of one key: locked, so that it reaches no swap file, left out of core dumps, between pages
/// that nobody can touch, and overwritten when the key is gone.
///
/// Pages are taken from libsodium for many keys at once, and are kept. Where the kernel lets a process
/// lock no more memory, they are left out of core dumps all the same.
final class KeyMemory: Sendable {
  /// The addresses of room that no key uses.
  private static let free = Mutex<[UInt]>([])
  /// The bytes that are locked at once. Chosen: two thousand keys, and a hundredth of what a user may
  /// lock.
  private static let page = 65_536

  private let address: UInt

  /// Takes memory for a key, and has it filled.
  init(filling fill: (UnsafeMutableRawBufferPointer) -> Void) {
    address = Self.free.withLock { free in
      if free.isEmpty { free = Self.room() }
      return free.removeLast()
    }
    withBytes(fill)
  }

  deinit {
    withBytes { sodium_memzero($0.baseAddress, $0.count) }
    Self.free.withLock { [address] in $0.append(address) }
  }

  func withBytes<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
    body(
      UnsafeMutableRawBufferPointer(
        start: UnsafeMutableRawPointer(bitPattern: address), count: SecretKey.length))
  }

  private static func room() -> [UInt] {
    _ = Sodium.isReady
    let start =
      sodium_malloc(page) ?? UnsafeMutableRawPointer.allocate(byteCount: page, alignment: 64)
    let first = UInt(bitPattern: start)
    return stride(from: 0, to: page, by: SecretKey.length).reversed().map { first + UInt($0) }
  }
}

enum Sodium {
  /// Chooses the fastest code for the processor. Without it libsodium uses its portable code, which
  /// computes the same.
  static let isReady = sodium_init() >= 0

  /// Fills memory from the system's generator.
  static func fill(_ room: UnsafeMutableRawBufferPointer) {
    _ = isReady
    if let start = room.baseAddress { randombytes_buf(start, room.count) }
  }
}

/// Overwrites bytes that were secret; nobody else may hold them.
package func wipe(_ bytes: inout [UInt8]) {
  bytes.withUnsafeMutableBytes { sodium_memzero($0.baseAddress, $0.count) }
}

extension [UInt8] {
  /// Bytes of the system's generator.
  package static func random(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
      Sodium.fill(UnsafeMutableRawBufferPointer(start: bytes.baseAddress, count: count))
      filled = count
    }
  }
}
