package import LocationEngine
internal import LocationModel
internal import LocationSecrets

/// Feeds recorded inputs to new engines, and compares the outputs; not those of a section with
/// another form of stored values, of which a digest says nothing.
package struct Replay: Sendable {
  /// The result of a replay.
  package struct Summary: Hashable, Sendable {
    package var sections = 0
    package var steps = 0
    package var outputs = 0
    /// The time from the first step of each section to its last, added up.
    package var time = Duration.zero
    /// The digest of the last section.
    package var digest = OutputDigest()
    /// The steps whose outputs were not compared.
    package var uncompared = 0
    /// Bytes of an incomplete last step.
    package var torn = 0
  }

  /// The first step at which the outputs differ.
  package struct Difference: Error, Sendable {
    package var section: Int
    package var step: Recording.Step
    /// The digests of the outputs: as recorded, and now.
    package var expected: String
    package var got: String
    /// The outputs of this step now.
    package var outputs: [LocationEngine.Output]
  }

  /// Why a replay failed, and where.
  package enum Failure: Error, Sendable {
    case unreadable(RecordingFault, offset: Int)
    case differs(Difference)
  }

  private var engine: LocationEngine
  private var last: Recording.Step?
  private var lastOutputs: [LocationEngine.Output] = []
  private var summary = Summary()
  private var began: Instant?
  private var isCompared = true

  private init() {
    engine = Recording.Setup(providers: 0, secret: SecretKey(seed: 0), limits: .init()).engine
  }

  /// Replays a whole recording; calls `report` with every step and its outputs.
  package static func run(
    _ bytes: [UInt8], _ report: (Recording.Step, [LocationEngine.Output]) -> Void = { _, _ in }
  ) throws(Failure) -> Summary {
    var replay = Replay()
    var reader = try Self.reading(at: 0) { () throws(RecordingFault) in
      try RecordingReader(bytes)
    }
    while true {
      let place = reader.offset
      let item = try Self.reading(at: place) { () throws(RecordingFault) in try reader.next() }
      guard let item else { break }
      try replay.take(item, report)
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
    _ item: RecordingReader.Item, _ report: (Recording.Step, [LocationEngine.Output]) -> Void
  ) throws(Failure) {
    switch item {
    case .section(let setup):
      engine = setup.engine
      isCompared = setup.storedForm == Recording.Setup.presentForm
      summary.sections += 1
      summary.digest = OutputDigest()
      (last, began) = (nil, nil)
    case .step(let step):
      let outputs = engine.handle(step.input, at: step.now)
      for output in outputs { summary.digest.mix(output) }
      report(step, outputs)
      (last, lastOutputs) = (step, outputs)
      if !isCompared { summary.uncompared += 1 }
      guard !isCompared || summary.digest.highestByte == step.digest else {
        let got = Self.digits(summary.digest.highestByte)
        throw .differs(difference(Self.digits(step.digest), got))
      }
      summary.steps += 1
      summary.outputs += outputs.count
      count(step.now.uptime)
    case .mark(let digest):
      guard isCompared, digest != summary.digest.value, last != nil else { return }
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
