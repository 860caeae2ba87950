import LocationFleet
import LocationModel

/// What one consumer has delivered, and how much of what was asked for is still to come.
struct PullReader {
  /// The name of the consumer at the server.
  let consumer: String
  let log: FleetLog
  /// The number from which on the caller reads next.
  private(set) var next: UInt64
  /// Messages behind the newest one here.
  private(set) var left: Int
  /// Messages that the server counts, and that are not there.
  private var excess = 0
  /// Whether something is missing, or the consumer has gone: begin with another one.
  private(set) var isBroken = false
  /// Messages that have come, in the parts in which they are read: so none is copied.
  private var batches: [[LogMessage]] = []
  private var requests: [(number: UInt64, rest: Int)] = []
  private var delivered: UInt64 = 0
  /// When something was last heard, in seconds.
  private var heard: Double
  /// When a message came last, or it was asked whether there is one.
  private var moved: Double

  init(consumer: String, of log: FleetLog, from sequence: UInt64, left: Int, at now: Double) {
    self.consumer = consumer
    self.log = log
    next = sequence
    self.left = left
    heard = now
    moved = now
  }

  var waiting: Int { batches.reduce(0) { $0 + $1.count } }

  /// How many messages were asked for that have not come.
  var expected: Int { requests.reduce(0) { $0 + $1.rest } }

  mutating func asked(_ count: Int, number: UInt64) { requests.append((number, count)) }

  /// Takes a message that came with this subject to answer to.
  mutating func take(_ delivery: NATSDelivery, _ place: DeliveryPlace, at now: Double) {
    heard = now
    moved = now
    guard place.delivered == delivered + 1 else { return isBroken = true }
    delivered = place.delivered
    left = max(place.left - excess, 0)
    if let first = requests.indices.first {
      requests[first].rest -= 1
      if requests[first].rest <= 0 { requests.removeFirst() }
    }
    // Nothing is reserved: most logs have a message at a time.
    if batches.last.map({ $0.count >= Self.batch }) ?? true { batches.append([]) }
    batches[batches.count - 1].append(
      LogMessage(
        sequence: place.sequence, time: place.time,
        entry: LogEntry(subject: delivery.subject, mark: delivery.mark, bytes: delivery.bytes)))
  }

  /// Takes what the server says of a request: that it lasts (`100`), has ended, or that there is no such
  /// consumer.
  mutating func end(_ number: UInt64, status: String, at now: Double) {
    heard = now
    guard status != Self.isAlive else { return }
    requests.removeAll { $0.number == number }
    if status != "404", status != "408" { isBroken = true }
  }

  /// Nothing that was asked for comes any more: the connection was another one.
  mutating func disconnect() { isBroken = true }

  /// Notes that nothing is behind what has come, whatever the server counts: nats-server 2.9.10 may count messages
  /// of keys that have been replaced, for as long as it runs.
  mutating func noteEnd() {
    excess += left
    left = 0
  }

  /// Whether the server that keeps the consumer has not said for a while that it lives.
  func isSilent(at now: Double) -> Bool { !requests.isEmpty && now - heard > Self.longestSilence }

  /// Whether it is time to ask if the stream is further than this: the copy that a consumer reads may have
  /// been left behind, and its server says all the same that it lives.
  mutating func isToBeCompared(at now: Double) -> Bool {
    guard waiting == 0, now - moved > Self.longestRest else { return false }
    moved = now
    return true
  }

  mutating func read(most: Int) -> [LogMessage] {
    guard !batches.isEmpty else { return [] }
    var found = batches.removeFirst()
    if found.count > most {
      batches.insert(Array(found[most...]), at: 0)
      found.removeSubrange(most...)
    }
    if let last = found.last { next = last.sequence + 1 }
    return found
  }

  /// Messages that are read at once, at most.
  private static let batch = 1000
  /// Seconds that a request for messages lasts at the server.
  static let lasting = 10.0
  /// Seconds after which the server says that a request lasts, though there is no message.
  static let heartbeat = 1.0
  static let isAlive = "100"
  private static let longestSilence = 2.5
  private static let longestRest = 4.0
}

/// What the subject to answer to says of a message:
/// `$JS.ACK.STREAM.CONSUMER.TIMES.SEQUENCE.DELIVERED.NANOSECONDS.LEFT`, where the name of the consumer
/// ends with its number here.
struct DeliveryPlace {
  var consumer: UInt64
  var sequence: UInt64
  var delivered: UInt64
  var time: UnixTime
  var left: Int

  init?(_ reply: UnsafeBufferPointer<UInt8>) {
    guard reply.count > 8, reply.starts(with: "$JS.ACK.".utf8) else { return nil }
    var parts = Parts(bytes: reply, position: 8)
    guard parts.skip(), let consumer = parts.numberAtEnd(), parts.number() != nil,
      let sequence = parts.number(), let delivered = parts.number(), let time = parts.number(),
      let left = parts.number(), parts.isAtEnd
    else { return nil }
    (self.consumer, self.sequence, self.delivered) = (consumer, sequence, delivered)
    self.time = UnixTime(nanoseconds: Int64(clamping: time))
    self.left = Int(clamping: left)
  }

  /// What is between the points of a subject, one after the other.
  private struct Parts {
    let bytes: UnsafeBufferPointer<UInt8>
    var position: Int

    /// Whether everything was read: behind the last part there is no point.
    var isAtEnd: Bool { position == bytes.count + 1 }

    /// Skips a part; returns whether there is one.
    mutating func skip() -> Bool {
      while position < bytes.count, bytes[position] != UInt8(ascii: ".") { position += 1 }
      position += 1
      return position <= bytes.count
    }

    /// Reads a part that is a number.
    mutating func number() -> UInt64? {
      let start = position
      var (number, isNumber) = (0 as UInt64, true)
      while position < bytes.count, bytes[position] != UInt8(ascii: ".") {
        let digit = Self.digit(bytes[position])
        if digit > 9 || number >= .max / 20 { isNumber = false }
        number = number &* 10 &+ UInt64(digit)
        position += 1
      }
      position += 1
      return isNumber && position - 1 > start ? number : nil
    }

    /// Reads the number with which a part ends.
    mutating func numberAtEnd() -> UInt64? {
      let start = position
      guard skip() else { return nil }
      position -= 1
      while position > start, Self.digit(bytes[position - 1]) <= 9 { position -= 1 }
      return number()
    }

    /// The digit that a byte is; above 9 for another one.
    private static func digit(_ byte: UInt8) -> UInt8 { byte &- UInt8(ascii: "0") }
  }
}
