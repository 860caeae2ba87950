/// The 16 bytes that identify a family of beacons.
package struct BeaconUUID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Bytes 0 to 7, the first one highest.
  package var high: UInt64
  /// Bytes 8 to 15, the first one highest.
  package var low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads 16 bytes in the order of transmission; `nil` for any other number of bytes.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    self.init(high: number(of: bytes.prefix(8)), low: number(of: bytes.dropFirst(8)))
  }

  /// The 16 bytes in the order of transmission.
  package var bytes: [UInt8] {
    [high, low].flatMap { half in
      (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) }
    }
  }

  /// Reads the 32 hexadecimal digits; `nil` for any other text.
  package init?(digits: some StringProtocol) {
    guard digits.utf8.count == 32, let high = UInt64(digits.prefix(16), radix: 16),
      let low = UInt64(digits.suffix(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }

  /// The canonical form: upper case, `8-4-4-4-12`.
  package var description: String {
    let digits = bytes.map { hexadecimal($0) }
    let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }
    return groups.joined(separator: "-")
  }

  package static func < (left: BeaconUUID, right: BeaconUUID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

/// The identity that a beacon advertises (BEACON-1).
package struct BeaconIdentity: Hashable, Comparable, Sendable {
  package var uuid: BeaconUUID
  package var major: UInt16
  package var minor: UInt16

  package init(uuid: BeaconUUID, major: UInt16, minor: UInt16) {
    self.uuid = uuid
    self.major = major
    self.minor = minor
  }

  package static func < (left: BeaconIdentity, right: BeaconIdentity) -> Bool {
    (left.uuid, left.major, left.minor) < (right.uuid, right.major, right.minor)
  }
}

/// A set of beacons: a missing part matches anything (BEACON-4).
///
/// Two constraints with the same parts are equal (BEACON-5).
package struct BeaconConstraint: Hashable, Comparable, Sendable {
  package var uuid: BeaconUUID
  package var major: UInt16?
  package var minor: UInt16?

  package init(uuid: BeaconUUID, major: UInt16? = nil, minor: UInt16? = nil) {
    self.uuid = uuid
    self.major = major
    self.minor = minor
  }

  package func matches(_ identity: BeaconIdentity) -> Bool {
    guard identity.uuid == uuid, major ?? identity.major == identity.major else { return false }
    return minor ?? identity.minor == identity.minor
  }

  /// A missing part comes before every number.
  package static func < (left: BeaconConstraint, right: BeaconConstraint) -> Bool {
    (left.uuid, rank(left.major), rank(left.minor))
      < (right.uuid, rank(right.major), rank(right.minor))
  }

  private static func rank(_ part: UInt16?) -> Int { part.map(Int.init) ?? -1 }
}

private func number(of bytes: some Collection<UInt8>) -> UInt64 {
  bytes.reduce(0) { $0 << 8 | UInt64($1) }
}

private func hexadecimal(_ byte: UInt8) -> String {
  let digits = String(byte, radix: 16, uppercase: true)
  return byte < 16 ? "0" + digits : digits
}
