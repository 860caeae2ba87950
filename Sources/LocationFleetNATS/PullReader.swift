import LocationFleet
import LocationModel

/// What one consumer has delivered, and how much of what was asked for is still to come.
struct PullReader {
  let consumer: String
  /// The number from which on the caller reads next.
  private(set) var next: UInt64
  /// Messages behind the newest one here.
  private(set) var left: Int
  /// Whether something is missing, or the consumer has gone: begin with another one.
  private(set) var isBroken = false
  private var messages: [LogMessage] = []
  private var position = 0
  private var requests: [(number: UInt64, rest: Int)] = []
  private var delivered: UInt64 = 0
  /// When something was last heard, in seconds.
  private var heard: Double

  init(consumer: String, from sequence: UInt64, left: Int, at now: Double) {
    self.consumer = consumer
    next = sequence
    self.left = left
    heard = now
  }

  var waiting: Int { messages.count - position }

  /// How many messages were asked for that have not come.
  var expected: Int { requests.reduce(0) { $0 + $1.rest } }

  mutating func asked(_ count: Int, number: UInt64) { requests.append((number, count)) }

  /// Takes a message that came with this subject to answer to.
  mutating func take(_ delivery: NATSDelivery, _ place: DeliveryPlace, at now: Double) {
    heard = now
    guard place.delivered == delivered + 1 else { return isBroken = true }
    delivered = place.delivered
    left = place.left
    if let first = requests.indices.first {
      requests[first].rest -= 1
      if requests[first].rest <= 0 { requests.removeFirst() }
    }
    messages.append(
      LogMessage(
        sequence: place.sequence, time: place.time,
        entry: LogEntry(subject: delivery.subject, mark: delivery.mark, bytes: delivery.bytes)))
  }

  /// Takes what the server says of a request: that it has ended, or that there is no such consumer.
  mutating func end(_ number: UInt64, status: String, at now: Double) {
    heard = now
    requests.removeAll { $0.number == number }
    if status != "404", status != "408" { isBroken = true }
  }

  /// Whether nothing was heard for much longer than a request lasts.
  func isSilent(at now: Double) -> Bool { !requests.isEmpty && now - heard > Self.longestSilence }

  mutating func read(most: Int) -> [LogMessage] {
    let end = min(position + most, messages.count)
    let found = Array(messages[position..<end])
    position = end
    if position == messages.count {
      messages.removeAll(keepingCapacity: true)
      position = 0
    }
    if let last = found.last { next = last.sequence + 1 }
    return found
  }

  /// Seconds that a request for messages lasts at the server.
  static let lasting = 10.0
  private static let longestSilence = 15.0
}

/// What the subject to answer to says of a message:
/// `$JS.ACK.STREAM.CONSUMER.TIMES.SEQUENCE.DELIVERED.NANOSECONDS.LEFT`.
struct DeliveryPlace {
  var consumer: String
  var sequence: UInt64
  var delivered: UInt64
  var time: UnixTime
  var left: Int

  init?(_ reply: String) {
    guard reply.utf8.count > 8, reply.hasPrefix("$JS.ACK.") else { return nil }
    let parts = reply.utf8.split(separator: UInt8(ascii: "."))
    guard parts.count == 9, let sequence = Self.number(parts[5]),
      let delivered = Self.number(parts[6]), let time = Self.number(parts[7]),
      let left = Self.number(parts[8])
    else { return nil }
    consumer = String(Substring(parts[3]))
    self.sequence = sequence
    self.delivered = delivered
    self.time = UnixTime(nanoseconds: Int64(clamping: time))
    self.left = Int(clamping: left)
  }

  private static func number(_ digits: Substring.UTF8View) -> UInt64? {
    var number: UInt64 = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit), number < .max / 20 else {
        return nil
      }
      number = number * 10 + UInt64(digit - UInt8(ascii: "0"))
    }
    return number
  }
}
