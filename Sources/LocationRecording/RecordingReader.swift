internal import LocationModel

/// Reads a recording from its beginning to the last whole step.
package struct RecordingReader: Sendable {
  package enum Item: Sendable {
    /// A new engine.
    case section(Recording.Setup)
    case step(Recording.Step)
    /// The digest of all outputs of this section so far.
    case mark(digest: UInt64)
  }

  private let bytes: [UInt8]
  private var scanner: RecordingScanner
  private var steps = StepTrack()
  private var count = 0
  private var hasSection = false
  private var checked: Int

  /// Where the last complete item ended, in bytes.
  package private(set) var offset: Int

  package init(_ bytes: [UInt8]) throws(RecordingFault) {
    self.bytes = bytes
    offset = try Recording.open(bytes)
    checked = offset
    scanner = RecordingScanner(bytes, at: offset)
  }

  /// Bytes after the last complete item.
  package var rest: Int { bytes.count - offset }

  /// Returns the next item; `nil` at the end, also where the last step is incomplete.
  package mutating func next() throws(RecordingFault) -> Item? {
    guard !scanner.isAtEnd else { return nil }
    do {
      let item = try read()
      offset = scanner.offset
      return item
    } catch {
      guard error == .end else { throw error }
      return nil
    }
  }

  private mutating func read() throws(RecordingFault) -> Item {
    let first = try scanner.byte()
    guard let kind = StepTrack.Kind(rawValue: first & StepTrack.Kind.mask),
      first & ~(StepTrack.Kind.mask | StepTrack.Kind.flags) == 0,
      kind == .section || hasSection
    else { throw .damaged }
    switch kind {
    case .section:
      let setup = try Recording.Setup(words: try scanner.take(try scanner.number()))
      (steps, count, hasSection, checked) = (StepTrack(), 0, true, offset)
      return .section(setup)
    case .mark:
      let end = offset
      let digest: UInt64 = try scanner.word()
      let expected: UInt32 = try scanner.word()
      var checksum = Checksum()
      checksum.add(bytes[checked..<end])
      guard checksum.value == expected else { throw .damaged }
      checked = scanner.offset
      return .mark(digest: digest)
    case .wake, .fix, .words, .heading, .beacon, .adapterBeacon:
      let (input, now) = try steps.read(kind, first & StepTrack.Kind.flags, from: &scanner)
      count += 1
      return .step(
        Recording.Step(number: count, input: input, now: now, digest: try scanner.byte()))
    }
  }
}
