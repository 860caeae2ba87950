internal import Glibc
package import LocationFleet
internal import LocationModel

/// The five verbs over NATS JetStream (server 2.9, libnats 3.4).
package struct NATSBroker: FleetBroker {
  private let connection: NATSConnection
  private var readers: [FleetLog: PullReader] = [:]
  private var logs: [String: FleetLog] = [:]
  /// Answers to requests, by their numbers, and which are awaited.
  private var answers: [UInt64: NATSDelivery] = [:]
  private var awaited: ClosedRange<UInt64>?
  private var counter: UInt64 = 0
  private var watched: UInt64 = 0

  package init(
    servers: [String], name: String, credentials: String? = nil, authorities: String? = nil,
    certificate: String? = nil, key: String? = nil
  ) throws(BrokerFault) {
    connection = try NATSConnection(
      NATSConnection.Options(
        servers: servers, name: name, credentials: credentials, authorities: authorities,
        certificate: certificate, key: key))
  }

  /// Waits until something comes, at most for a time.
  package mutating func wait(_ limit: Duration) {
    guard let delivery = connection.next(limit.wholeNanoseconds / 1_000_000, marks: true) else {
      return
    }
    accept(delivery)
    pump()
  }

  // MARK: Verbs

  package mutating func read(
    _ log: FleetLog, from sequence: UInt64, most: Int
  ) throws(BrokerFault) -> (messages: [LogMessage], left: Int) {
    pump()
    var reader = try reader(log, from: sequence)
    try refill(&reader, of: log)
    readers[log] = reader
    let end = Self.now + Self.longestWait
    while readers[log]?.waiting == 0, (readers[log]?.left ?? 0) > 0 {
      guard Self.now < end, readers[log]?.isBroken == false else {
        throw .unreachable("\(NATSName.stream(log)) does not deliver")
      }
      wait(.milliseconds(100))
    }
    let found = readers[log]?.read(most: most) ?? []
    let left = (readers[log]?.waiting ?? 0) + (readers[log]?.left ?? 0)
    if case .state = log, found.isEmpty, let reader = readers.removeValue(forKey: log) {
      logs[reader.consumer] = nil
      try drop(reader, of: log)
    }
    return (found, left)
  }

  package mutating func append(
    _ entries: [LogEntry], to log: FleetLog, expecting last: UInt64?
  ) throws(BrokerFault) -> UInt64 {
    var (known, rest) = (last, entries[...])
    var newest: UInt64 = last ?? 0
    while !rest.isEmpty {
      let part = rest.prefix(Self.mostAwaited)
      rest = rest.dropFirst(part.count)
      let first = counter + 1
      for entry in part {
        counter += 1
        var headers: [(String, String)] = []
        if let expected = known {
          headers.append(("Nats-Expected-Last-Sequence", "\(expected)"))
          known = expected + 1
        }
        if let mark = entry.mark {
          headers.append((NATSName.input, "\(mark.input)"))
          headers.append((NATSName.index, "\(mark.index)"))
        }
        try connection.send(
          entry.bytes, to: entry.subject, reply: "r.\(counter)", headers: headers)
      }
      for number in first...counter {
        guard let sequence = try answer(number, in: first...counter).sequence else {
          throw .unreachable("an answer without a number")
        }
        newest = sequence
      }
    }
    return newest
  }

  package mutating func last(of log: FleetLog, key: String?) throws(BrokerFault) -> LogEnd {
    let stream = NATSName.stream(log)
    guard let key else {
      let state = try request("STREAM.INFO.\(stream)", "")
      let last = state.last ?? 0
      guard state.count ?? 0 > 0 else { return LogEnd(first: last + 1, last: last) }
      let found = try find(#"{"seq":\#(last)}"#, in: stream)
      return LogEnd(first: state.first ?? 1, last: last, message: found)
    }
    let subject = NATSName.subject(key, in: log)
    let found = try find(#"{"last_by_subj":"\#(subject)"}"#, in: stream)
    return LogEnd(first: found?.sequence ?? 1, last: found?.sequence ?? 0, message: found)
  }

  package mutating func put(
    _ bytes: [UInt8], at key: String, in log: FleetLog, expecting revision: UInt64
  ) throws(BrokerFault) -> UInt64 {
    counter += 1
    try connection.send(
      bytes, to: NATSName.subject(key, in: log), reply: "r.\(counter)",
      headers: [("Nats-Expected-Last-Subject-Sequence", "\(revision)")])
    guard let sequence = try answer(counter, in: counter...counter).sequence else {
      throw .unreachable("an answer without a number")
    }
    return sequence
  }

  package mutating func watch() throws(BrokerFault) -> [LogMessage] {
    var found: [LogMessage] = []
    while true {
      let batch = try read(.leases, from: watched + 1, most: 1000)
      found += batch.messages
      if let last = batch.messages.last { watched = last.sequence }
      guard batch.left > 0 else { return found }
    }
  }
}

// MARK: - Requests

extension NATSBroker {
  /// Asks JetStream for something.
  mutating func request(_ verb: String, _ text: String) throws(BrokerFault) -> JetStreamAnswer {
    counter += 1
    try connection.send(Array(text.utf8), to: "$JS.API.\(verb)", reply: "r.\(counter)")
    return try answer(counter, in: counter...counter)
  }

  private mutating func find(
    _ what: String, in stream: String
  ) throws(BrokerFault) -> LogMessage? {
    counter += 1
    try connection.send(
      Array(what.utf8), to: "$JS.API.STREAM.MSG.GET.\(stream)", reply: "r.\(counter)")
    let number = counter
    guard let delivery = try delivery(number, in: number...number),
      let answer = JetStreamAnswer(delivery.bytes)
    else { throw .unreachable("\(stream) does not answer") }
    if answer.code == 404, answer.errorNumber == 10037 { return nil }
    if let fault = answer.fault { throw fault }
    return answer.message
  }

  private mutating func answer(
    _ number: UInt64, in range: ClosedRange<UInt64>
  ) throws(BrokerFault) -> JetStreamAnswer {
    guard let delivery = try delivery(number, in: range),
      let answer = JetStreamAnswer(delivery.bytes)
    else { throw .unreachable("JetStream does not answer") }
    if let fault = answer.fault { throw fault }
    return answer
  }

  private mutating func delivery(
    _ number: UInt64, in range: ClosedRange<UInt64>
  ) throws(BrokerFault) -> NATSDelivery? {
    awaited = range
    let end = Self.now + Self.longestWait
    while answers[number] == nil {
      let left = end - Self.now
      guard left > 0 else { return nil }
      if let delivery = connection.next(Int64(left * 1000) + 1, marks: true) { accept(delivery) }
    }
    let found = answers.removeValue(forKey: number)
    if number == range.upperBound { answers = [:] }
    guard found?.status == nil else { throw .unreachable("nobody takes this (\(found?.status ?? ""))") }
    return found
  }

  /// Takes everything that has come.
  private mutating func pump() {
    while let delivery = connection.next(0, marks: true) { accept(delivery) }
  }

  private mutating func accept(_ delivery: NATSDelivery) {
    if let reply = delivery.reply, let place = DeliveryPlace(reply) {
      guard let log = logs[place.consumer] else { return }
      readers[log]?.take(delivery, place, at: Self.now)
      return
    }
    let parts = delivery.subject.dropFirst(connection.inbox.utf8.count + 1).split(separator: ".")
    guard let number = parts.last.flatMap({ UInt64($0) }) else { return }
    if parts.first == "r", awaited?.contains(number) == true {
      answers[number] = delivery
    } else if parts.first == "p", parts.count == 3, let log = logs[String(parts[1])] {
      readers[log]?.end(number, status: delivery.status ?? "", at: Self.now)
    }
  }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// Seconds until an answer is given up.
  private static let longestWait = 5.0
  private static let mostAwaited = 1000
}

// MARK: - Reading

extension NATSBroker {
  private mutating func reader(
    _ log: FleetLog, from sequence: UInt64
  ) throws(BrokerFault) -> PullReader {
    if let known = readers[log] {
      if known.next == sequence, !known.isBroken, !known.isSilent(at: Self.now) { return known }
      readers[log] = nil
      logs[known.consumer] = nil
      try drop(known, of: log)
    }
    counter += 1
    let tail = connection.inbox.split(separator: ".").last ?? ""
    let name = "fleet-\(tail)-\(counter)"
    let stream = NATSName.stream(log)
    let answer = try request(
      "CONSUMER.CREATE.\(stream).\(name)",
      """
      {"stream_name":"\(stream)","config":{"name":"\(name)",\
      "deliver_policy":"by_start_sequence","opt_start_seq":\(max(sequence, 1)),\
      "ack_policy":"none","replay_policy":"instant","inactive_threshold":30000000000,\
      "num_replicas":1,"mem_storage":true}}
      """)
    let reader = PullReader(
      consumer: name, from: sequence, left: answer.pending ?? 0, at: Self.now)
    readers[log] = reader
    logs[name] = log
    return reader
  }

  /// Asks for more, before all has come that was asked for.
  private mutating func refill(
    _ reader: inout PullReader, of log: FleetLog
  ) throws(BrokerFault) {
    let count = max(2 * Self.mostExpected / max(readers.count, 8), 64)
    while reader.waiting + reader.expected <= count / 2 {
      counter += 1
      let text = #"{"batch":\#(count),"expires":\#(Int(PullReader.lasting * 1e9))}"#
      try connection.send(
        Array(text.utf8), to: "$JS.API.CONSUMER.MSG.NEXT.\(NATSName.stream(log)).\(reader.consumer)",
        reply: "p.\(reader.consumer).\(counter)")
      reader.asked(count, number: counter)
    }
  }

  private func drop(_ reader: PullReader, of log: FleetLog) throws(BrokerFault) {
    try connection.send(
      [], to: "$JS.API.CONSUMER.DELETE.\(NATSName.stream(log)).\(reader.consumer)")
  }

  /// Messages that may be on their way, over all partitions.
  private static let mostExpected = 8192
}
