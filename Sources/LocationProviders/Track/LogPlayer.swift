package import LocationModel

/// Replays what a receiver once sent, at the pace of the log's own time tags.
///
/// Its bytes go to the machine for the receiver's protocol (NMEA or gpsd's JSON), as if the
/// receiver were connected. It starts with its first wake.
package struct LogPlayer: Machine {
  package enum Input: MachineInput {
    case wake
  }

  package enum Output: Sendable, Hashable {
    /// What the receiver sent for one epoch.
    case bytes([UInt8])
    /// The log has ended. Put out once.
    case finished
  }

  private enum State: Sendable {
    case waiting
    /// Chunk `next` is due at `due`; after the last chunk, the end is due then.
    case playing(next: Int, due: Instant)
    case finished
  }

  private let chunks: [LogChunk]
  private let rate: Double
  private var state = State.waiting

  /// `rate` is how many times faster than recorded the log is played, greater than zero.
  package init(_ log: [UInt8], rate: Double = 1) {
    precondition(rate > 0 && rate.isFinite, "a log is played at a rate above zero")
    chunks = LogChunk.chunks(of: log)
    self.rate = rate
  }

  package var nextDeadline: Instant? {
    switch state {
    case .waiting: .start
    case .playing(_, let due): due
    case .finished: nil
    }
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch state {
    case .waiting: return play(0, at: now.uptime)
    case .playing(let next, let due): return now.uptime >= due ? play(next, at: due) : []
    case .finished: return []
    }
  }

  private mutating func play(_ index: Int, at now: Instant) -> [Output] {
    guard index < chunks.count else {
      state = .finished
      return [.finished]
    }
    let wait = Duration.nanoseconds(Int64((chunks[index].seconds / rate * 1e9).rounded()))
    state = .playing(next: index + 1, due: now + wait)
    return [.bytes(chunks[index].bytes)]
  }
}

/// What a receiver sent for one epoch, and the silence that followed.
struct LogChunk: Hashable, Sendable {
  var bytes: [UInt8] = []
  /// Seconds until the next chunk.
  var seconds = LogChunk.standardSeconds

  /// Chosen: the pace where the log has no time tags, or where they jump.
  private static let standardSeconds = 1.0
  /// Chosen: a longer pause was made by the recording program, not by the receiver.
  private static let longestSeconds = 600.0
  /// Bytes in a second at 9600 baud, the pace of a log without any tag.
  private static let untaggedBytes = 960

  /// Cuts a log before each line with a new time tag. Lines that begin with `#` are comments.
  static func chunks(of log: [UInt8]) -> [LogChunk] {
    var chunks: [LogChunk] = []
    var current = LogChunk()
    var currentTag: Double?
    for line in log.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      guard !isComment(line) else { continue }
      if let tag = LogTag.seconds(in: line), tag != currentTag {
        if let currentTag {
          current.seconds = pause(from: currentTag, to: tag)
          chunks.append(current)
          current = LogChunk()
        }
        currentTag = tag
      }
      current.bytes.append(contentsOf: line)
      if line.endIndex < log.endIndex { current.bytes.append(UInt8(ascii: "\n")) }
    }
    guard currentTag != nil else { return untagged(current.bytes) }
    return chunks + [current]
  }

  private static func untagged(_ bytes: [UInt8]) -> [LogChunk] {
    stride(from: 0, to: bytes.count, by: untaggedBytes).map { start in
      LogChunk(bytes: Array(bytes[start..<min(start + untaggedBytes, bytes.count)]))
    }
  }

  /// Whether a line is a comment, which is text; a binary line may begin with `#` by chance.
  private static func isComment(_ line: ArraySlice<UInt8>) -> Bool {
    line.first == UInt8(ascii: "#")
      && line.allSatisfy { (0x20..<0x7f).contains($0) || $0 >= 0x80 || isXMLSpace($0) }
  }

  private static func pause(from earlier: Double, to later: Double) -> Double {
    var seconds = later - earlier
    // NMEA has the time of day only.
    if seconds < -43_200 && earlier < 86_400 { seconds += 86_400 }
    return seconds > 0 && seconds <= longestSeconds ? seconds : standardSeconds
  }
}

/// The time that a line of a log carries.
private enum LogTag {
  /// Seconds since midnight (NMEA) or since 1970 (JSON); `nil` when the line has none.
  static func seconds(in line: ArraySlice<UInt8>) -> Double? {
    switch line.first {
    case UInt8(ascii: "$"): nmea(line)
    case UInt8(ascii: "{"): json(line)
    default: nil
    }
  }

  /// The sentences with a time of day, and the field that holds it.
  private static let timeField = [
    "RMC": 1, "GGA": 1, "GNS": 1, "GST": 1, "GBS": 1, "ZDA": 1, "GLL": 5,
  ]

  private static func nmea(_ line: ArraySlice<UInt8>) -> Double? {
    let fields = line.prefix(80).split(
      separator: UInt8(ascii: ","), maxSplits: 6, omittingEmptySubsequences: false)
    guard fields.count > 1, fields[0].count == 6,
      let index = timeField[String(decoding: fields[0].suffix(3), as: UTF8.self)],
      index < fields.count, fields[index].count >= 6,
      let time = Double(String(decoding: fields[index], as: UTF8.self)), (0..<240_000) ~= time
    else { return nil }
    let hours = (time / 10_000).rounded(.down)
    let minutes = (time / 100).rounded(.down) - hours * 100
    let seconds = time.truncatingRemainder(dividingBy: 100)
    return hours * 3600 + minutes * 60 + (seconds * 1000).rounded() / 1000
  }

  /// The time of a position report, since other reports may be about other times.
  private static func json(_ line: ArraySlice<UInt8>) -> Double? {
    guard let report = try? GpsdReport.parse(Array(line)), report.kind == "TPV" else { return nil }
    return report.time?.seconds
  }
}
