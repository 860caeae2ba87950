internal import LocationCoding
package import LocationEngine
package import LocationModel
package import LocationSecrets

/// A recording of all inputs of engines, as docs/formats/recording.md describes it.
package enum Recording {
  package static let version = 2
  static let firstLine = "meridian recording \(version)"
  /// The first bytes of every recording, whatever its version.
  static let promise = "meridian recording "

  /// Whether bytes begin as a recording does, encrypted or not, whatever its version.
  package static func isRecording(_ bytes: [UInt8]) -> Bool {
    SealedRecording.isSealed(bytes) || bytes.starts(with: promise.utf8)
  }

  /// The bytes before the first section.
  package static var opening: [UInt8] { [UInt8]((firstLine + "\n").utf8) }

  /// Reads the first line, the promise and the version of a kind of recording; returns where what follows
  /// it begins.
  static func open(
    _ bytes: [UInt8], promise: String = Self.promise, version present: Int = Self.version
  ) throws(RecordingFault) -> Int {
    let line = bytes.prefix(64).prefix { $0 != UInt8(ascii: "\n") }
    let text = String(decoding: line, as: UTF8.self)
    guard text.hasPrefix(promise), let version = Int(text.dropFirst(promise.count)) else {
      // The recording was cut within its first line.
      let opening = "\(promise)\(present)\n".utf8
      throw !bytes.isEmpty && opening.starts(with: bytes) ? .end : .noRecording
    }
    guard version == present else { throw .version(version) }
    return line.count + 1
  }

  package typealias Output = LocationEngine.Output

  /// Steps between two marks.
  static let stepsPerMark = 256

  /// How an engine was made.
  package struct Setup: Hashable, Sendable {
    package var providers: Int
    package var secret: SecretKey
    package var limits: Conditions.Limits
    package var keeping: RetentionTerms
    /// How long arrivals and departures wait, as a multiple of the usual time (VISIT-11).
    package var visitLatency: Double
    /// The form of stored values, which the digest covers.
    package var storedForm = Self.presentForm
    /// 1 had other shapes in the state than on the wire (docs/decisions/0076); 2 had no last
    /// position (docs/decisions/0084).
    package static let presentForm = 3

    package init(
      providers: Int, secret: SecretKey, limits: Conditions.Limits,
      keeping: RetentionTerms = RetentionTerms(), visitLatency: Double = 1
    ) {
      self.visitLatency = visitLatency
      self.providers = providers
      self.secret = secret
      self.limits = limits
      self.keeping = keeping
    }

    package var engine: LocationEngine {
      LocationEngine(
        providers: providers, secret: secret, limits: limits, keeping: keeping,
        visitLatency: visitLatency)
    }

    init(words: [UInt8]) throws(RecordingFault) {
      do throws(CodingFault) {
        let json = try JSON(parsing: words)
        let secret: String = try json.get("secret")
        self.init(
          providers: min(try json.get("providers"), 1 << 16),
          secret: Self.key(secret),
          limits: Conditions.Limits(
            perApp: try json.find("perApp"), maximumRadius: try json.get("maximumRadius")),
          keeping: RetentionTerms(
            position: try Self.seconds(json.find("keepPosition")),
            visits: try Self.seconds(json.find("keepVisits"))),
          visitLatency: try json.find("visitLatency") ?? 1)
        storedForm = try json.find("storedForm") ?? 1
      } catch { throw RecordingFault(error) }
    }

    var words: [UInt8] {
      JSON.fields([
        "providers": providers.json, "secret": secret.hexadecimal.json,
        "perApp": limits.perApp?.json, "maximumRadius": limits.maximumRadius.json,
        "keepPosition": keeping.position.map { Int($0.components.seconds).json },
        "keepVisits": keeping.visits.map { Int($0.components.seconds).json },
        "visitLatency": visitLatency == 1 ? nil : visitLatency.json,
        "storedForm": storedForm.json,
      ]).bytes
    }

    /// Reads a key. Older recordings have a number of up to 16 digits.
    private static func key(_ word: String) -> SecretKey {
      SecretKey(hexadecimal: word) ?? SecretKey(seed: UInt64(word, radix: 16) ?? 0)
    }

    private static func seconds(_ count: Int?) -> Duration? { count.map { .seconds($0) } }
  }

  /// One input of an engine.
  package struct Step: Sendable {
    /// Counted from 1 in its section.
    package var number: Int
    package var input: LocationEngine.Input
    package var now: Moment
    /// The highest byte of the digest of all outputs up to here.
    package var digest: UInt8
  }
}

/// Records the inputs of an engine, and a digest of its outputs.
package struct Recorder: Sendable {
  private var steps = StepTrack()
  private var digest = OutputDigest()
  private var count = 0
  private var bytes: ByteWriter
  private var checksum = Checksum()

  /// Begins a section.
  package init(_ setup: Recording.Setup) {
    bytes = ByteWriter()
    bytes.append(StepTrack.Kind.section.rawValue)
    let words = setup.words
    bytes.append(number: UInt64(words.count))
    bytes.append(words)
    checksum.add(bytes.bytes)
  }

  package mutating func note(
    _ input: LocationEngine.Input, _ outputs: [LocationEngine.Output], at now: Moment
  ) {
    for output in outputs { digest.mix(output) }
    let start = bytes.bytes.count
    steps.write(Self.reduced(input), at: now, to: &bytes)
    bytes.append(digest.highestByte)
    checksum.add(bytes.bytes[start...])
    count += 1
    if count % Recording.stepsPerMark == 0 { mark() }
  }

  /// Returns what was written since the last call.
  package mutating func takeBytes() -> [UInt8] {
    defer { bytes = ByteWriter() }
    return bytes.bytes
  }

  private mutating func mark() {
    bytes.append(StepTrack.Kind.mark.rawValue)
    bytes.append(word: digest.value)
    bytes.append(word: checksum.value)
    checksum = Checksum()
  }

  /// Removes stored entries that the engine does not use: the secret is in the setup, and the
  /// executables of apps are known to the host only.
  private static func reduced(_ input: LocationEngine.Input) -> LocationEngine.Input {
    guard case .stored(let entries) = input else { return input }
    let unused: Set = ["secret", "identity", "package"]
    return .stored(entries.filter { !unused.contains($0.key.domain) })
  }
}

extension OutputDigest {
  var highestByte: UInt8 { UInt8(truncatingIfNeeded: value >> 56) }
}

/// A checksum that detects damaged bytes (FNV-1a).
struct Checksum: Sendable {
  private(set) var value: UInt32 = 0x811c_9dc5

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt32(byte)) &* 0x0100_0193 }
  }
}
