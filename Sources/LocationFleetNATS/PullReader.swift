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
  /// Whether something is missing, or the consumer has gone: begin with another one.
  private(set) var isBroken = false
  private var messages: [LogMessage] = []
  private var position = 0
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

  var waiting: Int { messages.count - position }

  /// How many messages were asked for that have not come.
  var expected: Int { requests.reduce(0) { $0 + $1.rest } }

  mutating func asked(_ count: Int, number: UInt64) { requests.append((number, count)) }

  /// Takes a message that came with this subject to answer to.
  mutating func take(_ delivery: NATSDelivery, _ place: DeliveryPlace, at now: Double) {
    heard = now
    moved = now
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
    var found: [LogMessage] = []
    if position == 0, messages.count <= most {
      swap(&found, &messages)
      messages.reserveCapacity(found.count)
    } else {
      let end = min(position + most, messages.count)
      found = Array(messages[position..<end])
      position = end
      if position == messages.count {
        messages.removeAll(keepingCapacity: true)
        position = 0
      }
    }
    if let last = found.last { next = last.sequence + 1 }
    return found
  }

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
    var (part, number, digits) = (0, 0 as UInt64, 0)
    var numbers: (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)
    func isEnd(_ index: Int) -> Bool {
      index == reply.count || reply[index] == UInt8(ascii: ".")
    }
    for index in 8...reply.count {
      if isEnd(index) {
        guard part == 0 || digits > 0 else { return nil }
        switch part {
        case 1: numbers.0 = number
        case 3: numbers.1 = number
        case 4: numbers.2 = number
        case 5: numbers.3 = number
        case 6: numbers.4 = number
        default: break
        }
        (part, number, digits) = (part + 1, 0, 0)
      } else if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(reply[index]),
        number < .max / 20
      {
        number = number * 10 + UInt64(reply[index] - UInt8(ascii: "0"))
        digits += 1
      } else {
        (number, digits) = (0, 0)
      }
    }
    guard part == 7 else { return nil }
    (consumer, sequence, delivered) = (numbers.0, numbers.1, numbers.2)
    time = UnixTime(nanoseconds: Int64(clamping: numbers.3))
    left = Int(clamping: numbers.4)
  }
}
