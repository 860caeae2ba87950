package import LocationModel

/// Where the messages of a fleet are kept, in the order of their numbers.
package enum FleetLog: Hashable, Sendable {
  /// The fixes of a partition.
  case fixes(Int)
  /// The events of a partition.
  case events(Int)
  /// What is stored of the devices of a partition, by key.
  case state(Int)
  /// Who owns which partition, by key.
  case leases
  /// The files of fences, by key.
  case fences
  /// What was erased when and by whom, by tenant.
  case erasures
  /// How far each sink is, by its name.
  case sinks
  /// Events that a sink has set aside.
  case refused
}

/// Which input an event comes from, and which of the events of that input it is.
package struct EventMark: Hashable, Comparable, Sendable {
  package var input: UInt64
  package var index: Int

  package init(input: UInt64, index: Int) {
    self.input = input
    self.index = index
  }

  package static func < (left: EventMark, right: EventMark) -> Bool {
    (left.input, left.index) < (right.input, right.index)
  }
}

/// A message that is to be kept.
package struct LogEntry: Hashable, Sendable {
  package var subject: String
  package var mark: EventMark?
  package var bytes: [UInt8]

  package init(subject: String, mark: EventMark? = nil, bytes: [UInt8]) {
    self.subject = subject
    self.mark = mark
    self.bytes = bytes
  }
}

/// A message that is kept.
package struct LogMessage: Hashable, Sendable {
  package var sequence: UInt64
  /// When it was kept; never earlier than the one before.
  package var time: UnixTime
  package var entry: LogEntry

  package init(sequence: UInt64, time: UnixTime, entry: LogEntry) {
    self.sequence = sequence
    self.time = time
    self.entry = entry
  }
}

/// The end of a log.
package struct LogEnd: Hashable, Sendable {
  /// The number of the first message that is still there; one more than `last` where none is.
  package var first: UInt64
  /// The number of the last message there was, 0 before the first.
  package var last: UInt64
  /// The last message, where it is still there.
  package var message: LogMessage?

  package init(first: UInt64, last: UInt64, message: LogMessage? = nil) {
    self.first = first
    self.last = last
    self.message = message
  }
}

/// Why a verb has not done what it was asked.
package enum BrokerFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The last message, or that of the key, is another one: somebody else has written.
  case conflict
  /// No answer; what was asked may have been done.
  case unreachable(String)
  /// Refused, and would be again.
  case refused(String)
  /// The server would refuse it whatever is asked: the user may not, or nothing is kept there. With the next step.
  case denied(String)
  /// What is stored was made with other settings than those of this worker. With the next step.
  case unfit(String)
  /// What is stored there cannot be read.
  case damaged(String)
  /// A tenant's devices cannot be opened or stored, as its key is not there or is another one.
  case sealed(tenant: String, String, TenantKeyFault = .unmade)

  /// Whether what was asked is of a stream that is not there; `locationfleet init` makes it.
  package var isMissing: Bool {
    if case .refused(let cause) = self { cause.contains("not found") } else { false }
  }

  /// Whether nothing has come of what was asked, which may succeed later all the same.
  var isSilent: Bool {
    switch self {
    case .unreachable, .denied: true
    case .conflict, .refused, .unfit, .damaged, .sealed: false
    }
  }

  package var description: String {
    switch self {
    case .conflict: "another worker has written"
    case .unreachable(let cause): "no answer: \(cause)"
    case .refused(let cause): "refused: \(cause)"
    case .denied(let cause), .unfit(let cause): cause
    case .damaged(let key): "\(key) cannot be read"
    case .sealed(let tenant, let cause, let fault):
      "the devices of tenant \(FleetAddress.label(of: tenant)) cannot be opened or stored: \(cause); next: "
        + fault.next(for: FleetAddress.label(of: tenant))
    }
  }
}

/// Entries that were sent to be appended to a log, and of which it is not known yet whether they are there.
package struct PendingAppend: Hashable, Sendable {
  package let log: FleetLog
  /// The answers that are awaited, as the broker counts them.
  package let answers: ClosedRange<UInt64>

  package init(_ log: FleetLog, answers: ClosedRange<UInt64>) {
    (self.log, self.answers) = (log, answers)
  }
}

/// The verbs by which a worker uses the program that keeps the messages, whichever it is: five, one of them in
/// two halves, and three for erasing.
///
/// What is appended and put changes something only where nobody else has.
package protocol FleetBroker {
  /// Returns messages of a log from a number on, in order and without waiting, and how many more
  /// there seem to be.
  mutating func read(
    _ log: FleetLog, from sequence: UInt64, most: Int
  ) throws(BrokerFault) -> (messages: [LogMessage], left: Int)

  /// Sends entries, at least one, to be appended in order, the first one directly behind `last`, or behind
  /// whatever there is for `nil`. What becomes of them `finish` says, of a log only for what was begun last.
  /// After a fault some of them may be there.
  mutating func beginAppend(
    _ entries: [LogEntry], to log: FleetLog, expecting last: UInt64?
  ) throws(BrokerFault) -> PendingAppend

  /// Waits until entries are appended; returns the number of the last one. After a fault some of them may be
  /// there.
  mutating func finish(_ append: PendingAppend) throws(BrokerFault) -> UInt64

  /// Returns the end of a log, or of what it keeps for one key.
  mutating func last(of log: FleetLog, key: String?) throws(BrokerFault) -> LogEnd

  /// Replaces the value of a key whose message has the number `revision`, 0 for none yet; returns
  /// the new number.
  mutating func put(
    _ bytes: [UInt8], at key: String, in log: FleetLog, expecting revision: UInt64
  ) throws(BrokerFault) -> UInt64

  /// Returns what has been put into the leases since the last call, at first all that is there.
  mutating func watch() throws(BrokerFault) -> [LogMessage]

  /// Returns messages of a log with a subject, in which `*` and `>` stand for any parts, within a range of
  /// numbers: all of them below the number `end`, and perhaps some behind it.
  mutating func find(
    _ subject: String, in log: FleetLog, _ range: ClosedRange<UInt64>
  ) throws(BrokerFault) -> (messages: [LogMessage], end: UInt64)

  /// Returns the first message of a log with a subject, which may end with `>`, from a number on.
  mutating func first(
    _ subject: String, in log: FleetLog, from sequence: UInt64
  ) throws(BrokerFault) -> LogMessage?

  /// Overwrites messages where they are stored; returns how many of them were still there.
  mutating func erase(_ sequences: [UInt64], of log: FleetLog) throws(BrokerFault) -> Int
}

extension FleetBroker {
  /// Appends entries in order, the first one directly behind `last`, or behind whatever there is for `nil`;
  /// returns the number of the last one. After a fault some of them may be there.
  package mutating func append(
    _ entries: [LogEntry], to log: FleetLog, expecting last: UInt64?
  ) throws(BrokerFault) -> UInt64 {
    guard !entries.isEmpty else { return last ?? 0 }
    return try finish(beginAppend(entries, to: log, expecting: last))
  }
}
