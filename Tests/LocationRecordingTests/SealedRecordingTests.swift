import LocationRecording
import LocationSecrets
import Testing

@Suite("An encrypted recording")
struct SealedRecordingTests {
  private static let keys: SealedRecording.Keys = [7: SecretKey(seed: 1), 8: SecretKey(seed: 2)]
  private static let steps: [[UInt8]] = [[1, 2, 3], [], [4], Array(repeating: 5, count: 300)]

  /// A file, and where each of its items ends.
  private struct File {
    var bytes = SealedRecording.opening
    var ends = [SealedRecording.opening.count]
    private var writer: SealedRecording.Writer?

    mutating func begin(_ keys: SealedRecording.Keys = SealedRecordingTests.keys) throws {
      let writer = try #require(SealedRecording.Writer(keys))
      self.writer = writer
      add(writer.opening)
    }

    mutating func note(_ steps: [UInt8]) { add(writer?.seal(steps, at: bytes.count) ?? []) }

    mutating func end() { add(writer?.end(at: bytes.count) ?? []) }

    private mutating func add(_ item: [UInt8]) {
      bytes += item
      ends.append(bytes.count)
    }

    static func whole() throws -> File {
      var file = File()
      try file.begin()
      for steps in SealedRecordingTests.steps { file.note(steps) }
      file.end()
      return file
    }
  }

  private func open(_ bytes: [UInt8]) throws(RecordingFault) -> SealedRecording.Content {
    try SealedRecording.open(bytes, with: Self.keys)
  }

  @Test("SEAL-11: opens with its key as what was written, and says that nothing is missing")
  func whole() throws {
    let file = try File.whole()
    let content = try open(file.bytes)
    #expect(content.bytes == Self.steps.flatMap(\.self))
    #expect(content.offset == file.bytes.count)
    #expect(content.isEnded)
    #expect(SealedRecording.isSealed(file.bytes))
  }

  @Test("SEAL-11: is gone on with by another process, and with a newer key")
  func continued() throws {
    var file = try File.whole()
    try file.begin([7: SecretKey(seed: 1)])
    file.note([9])
    let content = try open(file.bytes)
    #expect(content.bytes == Self.steps.flatMap(\.self) + [9])
    #expect(!content.isEnded)
  }

  @Test("SEAL-11: opens up to its last whole message, wherever it was cut off")
  func cut() throws {
    let file = try File.whole()
    for length in SealedRecording.opening.count...file.bytes.count {
      let content = try open(Array(file.bytes.prefix(length)))
      let whole = file.ends.filter { $0 <= length }
      #expect(content.offset == whole.last)
      let messages = Self.steps.prefix(max(0, whole.count - 2))
      #expect(content.bytes == messages.flatMap(\.self))
      #expect(content.isEnded == (length == file.bytes.count || whole.count == 1))
    }
    for length in 1..<SealedRecording.opening.count {
      #expect(throws: (any Error).self) { try open(Array(file.bytes.prefix(length))) }
    }
  }

  @Test("SEAL-11: opens nothing that was changed")
  func changed() throws {
    let file = try File.whole()
    for index in file.bytes.indices {
      var bytes = file.bytes
      bytes[index] ^= 0x10
      // A length that is now too great looks as if the end were cut off.
      let content = try? open(bytes)
      #expect(content.map { $0.offset <= index && !$0.isEnded } ?? true, "byte \(index)")
    }
  }

  @Test("SEAL-11: opens no message that was left out, repeated, or put elsewhere")
  func moved() throws {
    let (file, other) = (try File.whole(), try File.whole())
    let items = zip(file.ends, file.ends.dropFirst()).map { Array(file.bytes[$0..<$1]) }
    let foreign = Array(other.bytes[other.ends[2]..<other.ends[3]])
    let opening = SealedRecording.opening + items[0]
    for bytes in [
      opening + items[2], opening + items[1] + items[1], opening + items[2] + items[1],
      opening + foreign, SealedRecording.opening + items[1], file.bytes + items[1],
      // A whole stream at another place.
      SealedRecording.opening + items[0] + items[0] + items[1],
    ] {
      #expect(throws: RecordingFault.damaged) { try open(bytes) }
    }
  }

  @Test("SEAL-11: says that the key is not here, and which version it has")
  func refused() throws {
    let file = try File.whole()
    #expect(throws: RecordingFault.noKey) {
      try SealedRecording.open(file.bytes, with: [7: SecretKey(seed: 1)])
    }
    #expect(throws: RecordingFault.damaged) {
      try SealedRecording.open(file.bytes, with: [8: SecretKey(seed: 1)])
    }
    #expect(throws: RecordingFault.noRecording) { try open(Array("a diary\n".utf8)) }
    #expect(throws: RecordingFault.version(2)) {
      try open(Array("meridian sealed recording 2\n".utf8))
    }
  }
}
