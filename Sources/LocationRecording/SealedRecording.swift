internal import LocationModel
package import LocationSecrets

/// A recording that is encrypted, as docs/formats/recording.md describes it: streams of whole steps, one
/// for each process that has written into the file.
package enum SealedRecording {
  /// Keys by the numbers by which a file says what opens it; the newest has the highest.
  package typealias Keys = [UInt32: SecretKey]

  private static let version = 1
  /// The bytes before the first stream.
  package static var opening: [UInt8] { [UInt8]("\(promise)\(version)\n".utf8) }
  /// The first bytes of every sealed recording, whatever its version.
  private static let promise = "meridian sealed recording "

  /// Whether the bytes are those of a sealed recording.
  package static func isSealed(_ bytes: [UInt8]) -> Bool { bytes.starts(with: promise.utf8) }

  /// The greatest encrypted message in bytes. Chosen: a step with the state of a thousand apps has fewer.
  private static let largest = 16 << 20

  // MARK: Writing

  /// The stream of one process.
  package struct Writer {
    private let stream: SecretStream
    /// The bytes with which the stream begins.
    package let opening: [UInt8]

    /// Begins a stream with the newest of the keys; `nil` if there are none.
    package init?(_ keys: Keys) {
      guard let (number, key) = keys.max(by: { $0.key < $1.key }) else { return nil }
      var header: [UInt8] = []
      stream = SecretStream(sealingWith: key, header: &header)
      var bytes = ByteWriter()
      bytes.append(0)
      bytes.append(word: number)
      bytes.append(header)
      opening = bytes.bytes
    }

    /// Encrypts whole steps, for a place in the file: the number of bytes before them.
    package func seal(_ steps: [UInt8], at offset: Int) -> [UInt8] {
      message(stream.seal(steps, at: SealedRecording.place(offset)))
    }

    /// The bytes that say that nothing is missing after them.
    package func end(at offset: Int) -> [UInt8] {
      message(stream.seal([], at: SealedRecording.place(offset), isLast: true))
    }

    private func message(_ sealed: [UInt8]) -> [UInt8] {
      var bytes = ByteWriter()
      bytes.append(number: UInt64(sealed.count))
      bytes.append(sealed)
      return bytes.bytes
    }
  }

  // MARK: Reading

  /// What a sealed recording holds.
  package struct Content: Sendable {
    /// The recording itself.
    package var bytes: [UInt8]
    /// Where the last whole message ended, in bytes of the file.
    package var offset: Int
    /// Whether the last process that wrote has ended its stream: nothing is cut off at the end.
    package var isEnded: Bool
  }

  /// Opens a recording up to its last whole message.
  ///
  /// - Parameters:
  ///   - bytes: the file.
  ///   - keys: those that there are.
  /// - Returns: what is in it.
  /// - Throws: `RecordingFault` if it is no sealed recording, needs another key, or was changed.
  package static func open(
    _ bytes: [UInt8], with keys: Keys
  ) throws(RecordingFault) -> Content {
    let start = try Recording.open(bytes, promise: promise, version: version)
    guard start <= bytes.count else { throw .end }
    var content = Content(bytes: [], offset: start, isEnded: true)
    var stream: SecretStream?
    while let (item, end) = try item(in: bytes, at: content.offset) {
      switch item {
      case .stream(let number, let header):
        guard let key = keys[number] else { throw .noKey }
        guard let next = SecretStream(openingWith: key, header: header) else { throw .damaged }
        (stream, content.isEnded) = (next, false)
      case .message(let sealed):
        let place = place(content.offset)
        guard !content.isEnded, let message = stream?.open(sealed, at: place) else {
          throw .damaged
        }
        content.bytes += message.bytes
        content.isEnded = message.isLast
      }
      content.offset = end
    }
    return content
  }

  private enum Item {
    case stream(UInt32, header: [UInt8])
    case message([UInt8])
  }

  /// Returns the item that begins there, and where it ends; `nil` at the end, also where the last one is
  /// incomplete.
  private static func item(
    in bytes: [UInt8], at start: Int
  ) throws(RecordingFault) -> (Item, end: Int)? {
    var scanner = RecordingScanner(bytes, at: start)
    do throws(RecordingFault) {
      let length = try scanner.number()
      guard length <= largest else { throw .damaged }
      let item: Item =
        length == 0
        ? .stream(try scanner.word(), header: try scanner.take(UInt64(SecretStream.headerLength)))
        : .message(try scanner.take(length))
      return (item, scanner.offset)
    } catch {
      guard error == .end else { throw error }
      return nil
    }
  }

  /// What binds a message to where it is in the file.
  private static func place(_ offset: Int) -> [UInt8] {
    var bytes = ByteWriter()
    bytes.append(word: UInt64(offset))
    return bytes.bytes
  }
}
