package import LocationEngine
internal import LocationModel

/// Tells engines again what was recorded, and compares what they say.
package struct Replay: Sendable {
  /// What came of it.
  package struct Summary: Hashable, Sendable {
    package var sections = 0
    package var steps = 0
    package var outputs = 0
    /// From the first step of each section to its last.
    package var time = Duration.zero
    /// Of the last section.
    package var digest = OutputDigest()
    /// Bytes of a step that was not written to its end.
    package var torn = 0
  }

  /// The first step at which the engine said something else.
  package struct Difference: Error, Sendable {
    package var section: Int
    package var step: Recording.Step
    /// What stands for the outputs: as recorded, and now.
    package var expected: String
    package var got: String
    /// What the engine says now at this step.
    package var outputs: [LocationEngine.Output]
  }

  /// Why there is no answer, and where.
  package enum Failure: Error, Sendable {
    case unreadable(RecordingFault, offset: Int)
    case differs(Difference)
    /// What came of it could not be written.
    case unwritten(String)
  }

  private var engine: LocationEngine
  private var last: Recording.Step?
  private var lastOutputs: [LocationEngine.Output] = []
  private var summary = Summary()
  private var began: Instant?

  private init() {
    engine = Recording.Setup(providers: 0, secret: SecretKey(seed: 0), limits: .init()).engine
  }

  /// Replays all of it; `tell` hears of every step and what the engine says.
  package static func run(
    _ bytes: [UInt8], _ tell: (Recording.Step, [LocationEngine.Output]) -> Void = { _, _ in }
  ) throws(Failure) -> Summary {
    var replay = Replay()
    var reader = try Self.reading(at: 0) { () throws(RecordingFault) in
      try RecordingReader(bytes)
    }
    while true {
      let place = reader.offset
      let item = try Self.reading(at: place) { () throws(RecordingFault) in try reader.next() }
      guard let item else { break }
      try replay.take(item, tell)
    }
    replay.summary.torn = reader.rest
    return replay.summary
  }

  private static func reading<Result>(
    at offset: Int, _ body: () throws(RecordingFault) -> Result
  ) throws(Failure) -> Result {
    do throws(RecordingFault) { return try body() } catch {
      throw .unreadable(error, offset: offset)
    }
  }

  private mutating func take(
    _ item: RecordingReader.Item, _ tell: (Recording.Step, [LocationEngine.Output]) -> Void
  ) throws(Failure) {
    switch item {
    case .section(let setup):
      engine = setup.engine
      summary.sections += 1
      summary.digest = OutputDigest()
      (last, began) = (nil, nil)
    case .step(let step):
      let outputs = engine.handle(step.input, at: step.now)
      for output in outputs { summary.digest.mix(output) }
      tell(step, outputs)
      (last, lastOutputs) = (step, outputs)
      guard summary.digest.highestByte == step.digest else {
        let got = Self.digits(summary.digest.highestByte)
        throw .differs(difference(Self.digits(step.digest), got))
      }
      summary.steps += 1
      summary.outputs += outputs.count
      count(step.now.uptime)
    case .mark(let digest):
      guard digest != summary.digest.value, last != nil else { return }
      throw .differs(difference(Self.digits(digest), Self.digits(summary.digest.value)))
    }
  }

  private mutating func count(_ now: Instant) {
    if let began { summary.time += now - began }
    began = now
  }

  private func difference(_ expected: String, _ got: String) -> Difference {
    guard let last else { preconditionFailure("nothing differs before the first step") }
    return Difference(
      section: summary.sections, step: last, expected: expected, got: got, outputs: lastOutputs)
  }

  private static func digits(_ number: some FixedWidthInteger) -> String {
    let digits = String(number, radix: 16)
    return String(
      repeating: "0", count: number.bitWidth / 4 - min(digits.count, number.bitWidth / 4))
      + digits
  }
}
