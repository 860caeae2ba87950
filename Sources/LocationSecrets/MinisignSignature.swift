internal import CSodium

/// A signature that minisign has written, with a comment that is signed, too.
///
/// Only the form that hashes the file first is read, which minisign writes since its version 0.10.
package struct MinisignSignature: Sendable {
  /// The publisher's public key in base64, as minisign shows it.
  package let publisher: String
  package let comment: String
  private let key: [UInt8]
  private let signature: [UInt8]

  /// Reads a signature and its public key, and checks that the key has signed the comment; `nil` if
  /// either is damaged, or the signature is by another key.
  ///
  /// - Parameters:
  ///   - file: The bytes of the signature's file (`NAME.minisig`).
  ///   - keyFile: The bytes of the public key's file.
  package init?(file: [UInt8], keyFile: [UInt8]) {
    let lines = Self.lines(of: file)
    let keyLines = Self.lines(of: keyFile)
    guard lines.count >= 4, keyLines.count >= 2, lines[2].starts(with: Self.mark),
      let key = Self.decode(keyLines[1], length: 42),
      let signature = Self.decode(lines[1], length: 74),
      let signatureOfComment = Self.decode(lines[3], length: 64),
      key.starts(with: "Ed".utf8), signature.starts(with: "ED".utf8),
      key[2..<10] == signature[2..<10]
    else { return nil }
    self.key = Array(key[10...])
    self.signature = Array(signature[10...])
    let comment = lines[2].dropFirst(Self.mark.count)
    guard Self.isSigned(self.signature + comment, signatureOfComment, self.key) else { return nil }
    publisher = String(decoding: keyLines[1], as: UTF8.self)
    self.comment = String(decoding: comment, as: UTF8.self)
  }

  /// Whether the key has signed the file with this hash.
  package func covers(_ hash: consuming FileHash) -> Bool {
    Self.isSigned(hash.value(), signature, key)
  }

  private static func lines(of file: [UInt8]) -> [ArraySlice<UInt8>] {
    file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
  }

  private static func isSigned(_ message: [UInt8], _ signature: [UInt8], _ key: [UInt8]) -> Bool {
    crypto_sign_verify_detached(signature, message, UInt64(message.count), key) == 0
  }

  /// Decodes a line of base64; `nil` unless it has that many bytes.
  private static func decode(_ line: ArraySlice<UInt8>, length: Int) -> [UInt8]? {
    let text = line.map { CChar(bitPattern: $0) }
    var bytes = [UInt8](repeating: 0, count: length)
    var count = 0
    let status = sodium_base642bin(
      &bytes, length, text, text.count, nil, &count, nil, sodium_base64_VARIANT_ORIGINAL)
    return status == 0 && count == length ? bytes : nil
  }

  private static let mark = Array("trusted comment: ".utf8)
}

/// Computes the hash of a file that minisign signs, BLAKE2b of 64 bytes, from one piece after another.
package struct FileHash: ~Copyable {
  private let state: OpaquePointer
  private let memory: UnsafeMutableRawPointer

  package init() {
    memory = .allocate(byteCount: crypto_generichash_statebytes(), alignment: 64)
    state = OpaquePointer(memory)
    crypto_generichash_init(state, nil, 0, Self.length)
  }

  deinit { memory.deallocate() }

  /// Adds the next piece of the file.
  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    let piece = bytes.assumingMemoryBound(to: UInt8.self)
    crypto_generichash_update(state, piece.baseAddress, UInt64(piece.count))
  }

  fileprivate consuming func value() -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: Self.length)
    crypto_generichash_final(state, &hash, Self.length)
    return hash
  }

  private static let length = 64
}
