package import LocationModel

/// An event as a message of NATS: a CloudEvent in JSON, in the structured mode of the binding for NATS.
package enum NATSPublication {
  /// `PREFIX.TENANT.DEVICE.KIND`, with names as parts; `PREFIX.-.-.KIND` of what is of no device.
  package static func subject(of event: SinkEvent, under prefix: String) -> String {
    let device = event.device
    guard !device.device.isEmpty else { return "\(prefix).-.-.\(event.kind)" }
    let parts = "\(FleetAddress.part(device.tenant)).\(FleetAddress.part(device.device))"
    return "\(prefix).\(parts).\(event.kind)"
  }

  /// Whether subjects may begin so: 1 to 8 parts of letters, digits, `-`, and `_`, of 128 bytes at most, and not
  /// those of a fleet's own streams or of answers.
  package static func isPrefix(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count <= 8 && text.utf8.count <= 128 && !own.contains(String(parts[0]))
      && !text.hasPrefix("_")
      && parts.allSatisfy { part in
        !part.isEmpty
          && part.utf8.allSatisfy { FleetAddress.isPlain($0) || $0 == UInt8(ascii: "_") }
      }
  }

  package static let own = ["fix", "evt", "st", "ref", "erased"]

  /// What it means that a stream has answered with an error, by the numbers of JetStream.
  package static func outcome(code: Int, number: Int, cause: String) -> DeliveryOutcome {
    switch number {
    // Larger than the stream takes.
    case 10_054: .refused("error 10054")
    // The account, its server, or the stream is full.
    case 10_002, 10_023, 10_028, 10_047: full(number, cause)
    // A stream may also be full for one subject alone.
    case 10_077 where ["maximum bytes exceeded", "maximum messages exceeded"].contains(cause):
      full(number, cause)
    case _ where code >= 500: .unreachable("\(cause) (error \(number))", after: nil)
    default: .failed("error \(number)", after: nil)
    }
  }

  private static func full(_ number: Int, _ cause: String) -> DeliveryOutcome {
    .full("\(cause) (error \(number)); next: have that account keep less, or raise its limits")
  }

  /// What it means that nothing takes a subject.
  package static func untaken(under prefix: String) -> String {
    "no stream takes \(prefix).>; next: make one with these subjects in the account of `nats-out`"
  }

  /// What it means that the user may not publish; no device is named.
  package static func forbidden(under prefix: String) -> String {
    "its user may not publish to all of \(prefix).>; next: let it, or mend `nats-out-subject` and "
      + "`sink-tenant`"
  }
}

/// Which events were published and are not answered yet, and what becomes of those of which no answer tells.
package struct PublishedEvents: Sendable {
  private struct Open {
    var message: UInt64
    var delivery: UInt64
    var subject: String
    var limit: Instant
  }

  package typealias Settled = (number: UInt64, outcome: DeliveryOutcome)

  /// In the order in which they were published.
  private var open: [Open] = []
  /// How many of these no stream takes; it is not known which.
  private var untaken = 0
  private let prefix: String

  package init(under prefix: String) { self.prefix = prefix }

  package var isEmpty: Bool { open.isEmpty }

  /// Awaits the answer to a message.
  ///
  /// - Parameters:
  ///   - message: its number, above all earlier ones.
  ///   - delivery: the number of the delivery that it is of.
  ///   - subject: where it was published.
  ///   - now: the present moment.
  package mutating func add(
    _ message: UInt64, of delivery: UInt64, at subject: String, at now: Instant
  ) {
    open.append(
      Open(message: message, delivery: delivery, subject: subject, limit: now + Self.longestWait))
  }

  /// Takes the answer to a message; `nil` where none is awaited.
  package mutating func answer(_ message: UInt64, _ outcome: DeliveryOutcome) -> Settled? {
    guard let index = open.firstIndex(where: { $0.message == message }) else { return nil }
    return (open.remove(at: index).delivery, outcome)
  }

  /// Takes that no stream takes so many more messages. Which these are, shows when all others are answered.
  package mutating func note(untaken count: Int) { untaken += count }

  /// Takes that the user may not publish to a subject.
  package mutating func forbid(_ subject: String) -> [Settled] {
    let gone = open.filter { $0.subject == subject }
    open.removeAll { $0.subject == subject }
    return gone.map {
      ($0.delivery, .unreachable(NATSPublication.forbidden(under: prefix), after: nil))
    }
  }

  /// Gives up what no answer will come to any more, or has come to in time.
  ///
  /// - Parameter now: the present moment.
  /// - Returns: what was given up, and whether an answer should have come.
  package mutating func expire(at now: Instant) -> (settled: [Settled], isSilent: Bool) {
    let isSure = untaken >= open.count
    let gone = open.filter { isSure ? untaken > 0 : $0.limit <= now }
    guard !gone.isEmpty else {
      if open.isEmpty { untaken = 0 }
      return ([], false)
    }
    let reason = untaken > 0 ? NATSPublication.untaken(under: prefix) : Self.silence
    let isSilent = untaken == 0
    untaken = max(untaken - gone.count, 0)
    open.removeAll { one in gone.contains { $0.message == one.message } }
    return (gone.map { ($0.delivery, .unreachable(reason, after: nil)) }, isSilent)
  }

  /// Gives up everything.
  package mutating func end(_ reason: String) -> [Settled] {
    defer { (open, untaken) = ([], 0) }
    return open.map { ($0.delivery, .unreachable(reason, after: nil)) }
  }

  private static let longestWait = Duration.seconds(5)
  /// That no answer has come in time.
  package static let silence = "no answer within \(Int(longestWait.inSeconds)) s"
}
