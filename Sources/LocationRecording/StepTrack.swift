internal import LocationCoding
internal import LocationEngine
internal import LocationModel

/// The inputs of an engine, step by step, with their times.
struct StepTrack: Sendable {
  private var fixes = FixTrack()
  private var headings = HeadingTrack()
  private var beacons = BeaconTrack()
  /// By kind: when the last input came, and how long after the one before, in nanoseconds.
  private var clocks = [(last: Int64, step: Int64)](repeating: (0, 0), count: Kind.count)
  /// Wall time minus uptime, in nanoseconds.
  private var offset: Int64 = 0

  enum Kind: UInt8 {
    case wake = 0
    case fix = 1
    case words = 2
    case heading = 3
    case beacon = 4
    /// Belongs to the recording itself and is no step.
    case mark = 5
    case section = 6
    /// A beacon, and the adapter that received it.
    case adapterBeacon = 7

    static let count = 8
    static let mask: UInt8 = 0x0f
    /// Wall time has moved against uptime.
    static let clockMoved: UInt8 = 0x10
    /// The times of this step are in whole microseconds, not in nanoseconds.
    static let microseconds: UInt8 = 0x20
    static let flags = clockMoved | microseconds
  }

  // MARK: Writing

  mutating func write(
    _ input: LocationEngine.Input, at now: Moment, to bytes: inout ByteWriter
  ) {
    let kind = Self.kind(of: input)
    let offset = now.unixTime.nanoseconds &- now.uptime.nanoseconds
    let (late, moved) = (now.uptime.nanoseconds &- expected(kind), offset &- self.offset)
    let unit: Int64 = late % 1000 == 0 && moved % 1000 == 0 ? 1000 : 1
    bytes.append(
      kind.rawValue | (moved == 0 ? 0 : Kind.clockMoved) | (unit == 1 ? 0 : Kind.microseconds))
    bytes.append(signed: late / unit)
    if moved != 0 { bytes.append(signed: moved / unit) }
    settle(kind, now.uptime.nanoseconds)
    self.offset = offset
    switch input {
    case .wake: break
    case .fix(let fix, let provider): fixes.write(fix, from: provider, to: &bytes)
    case .heading(let sample, let provider): headings.write(sample, from: provider, to: &bytes)
    case .beacon(let sample): beacons.write(sample, to: &bytes)
    default:
      let words = (input.json ?? .null).exactBytes
      bytes.append(number: UInt64(words.count))
      bytes.append(words)
    }
  }

  private static func kind(of input: LocationEngine.Input) -> Kind {
    switch input {
    case .wake: .wake
    case .fix: .fix
    case .heading: .heading
    case .beacon(let sample): sample.adapter == nil ? .beacon : .adapterBeacon
    default: .words
    }
  }

  // MARK: Reading

  /// Reads a step from behind the byte that holds its kind.
  mutating func read(
    _ kind: Kind, _ flags: UInt8, from scanner: inout RecordingScanner
  ) throws(RecordingFault) -> (LocationEngine.Input, Moment) {
    let unit: Int64 = flags & Kind.microseconds == 0 ? 1 : 1000
    let uptime = expected(kind) &+ (try scanner.signed()) &* unit
    settle(kind, uptime)
    if flags & Kind.clockMoved != 0 { offset &+= (try scanner.signed()) &* unit }
    let now = Moment(
      uptime: Instant(nanoseconds: uptime), unixTime: UnixTime(nanoseconds: uptime &+ offset))
    guard uptime >= 0, uptime < UnixTime.mostNanoseconds, now.unixTime.isPlausible else {
      throw .damaged
    }
    switch kind {
    case .wake: return (.wake, now)
    case .fix:
      let (fix, provider) = try fixes.read(from: &scanner)
      return (.fix(fix, from: provider), now)
    case .heading:
      let (sample, provider) = try headings.read(from: &scanner)
      return (.heading(sample, from: provider), now)
    case .beacon, .adapterBeacon:
      let sample = try beacons.read(from: &scanner, hasAdapter: kind == .adapterBeacon)
      return (.beacon(sample), now)
    case .words, .mark, .section:
      let words = try scanner.take(try scanner.number())
      return (try Self.input(words), now)
    }
  }

  private static func input(_ words: [UInt8]) throws(RecordingFault) -> LocationEngine.Input {
    do throws(CodingFault) {
      return try LocationEngine.Input(json: JSON(parsing: words))
    } catch { throw RecordingFault(error) }
  }

  // MARK: Time

  /// Predicts the time of the next input of a kind: at the same interval as the last one.
  private func expected(_ kind: Kind) -> Int64 {
    let clock = clocks[Int(kind.rawValue)]
    return clock.last &+ clock.step
  }

  private mutating func settle(_ kind: Kind, _ uptime: Int64) {
    let last = clocks[Int(kind.rawValue)].last
    clocks[Int(kind.rawValue)] = (uptime, uptime &- last)
  }
}

extension UnixTime {
  /// Some 70 years: so far from the limits that deadlines and differences cannot overflow.
  static let mostNanoseconds: Int64 = 1 << 61

  /// Whether the time lies between 1897 and 2043.
  var isPlausible: Bool { nanoseconds.magnitude < UInt64(UnixTime.mostNanoseconds) }
}
