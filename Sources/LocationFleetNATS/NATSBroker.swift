internal import Glibc
package import LocationFleet
internal import LocationModel

/// The five verbs over NATS JetStream (server 2.9, libnats 3.4).
package struct NATSBroker: FleetBroker {
  private let connection: NATSConnection
  /// By the numbers of their consumers.
  private var readers: [UInt64: PullReader] = [:]
  private var numbers: [FleetLog: UInt64] = [:]
  /// Answers to requests, by their numbers, which are awaited at this moment, and which later.
  private var answers: [UInt64: NATSDelivery] = [:]
  private var awaited: ClosedRange<UInt64>?
  private var begun: [FleetLog: ClosedRange<UInt64>] = [:]
  /// Where requests whose answers are awaited have gone; of entries that are appended the first.
  private var subjects: [UInt64: String] = [:]
  private var counter: UInt64 = 0
  /// Whether messages of a log have come since the last wait.
  private var hasNews = false
  private var watched: UInt64 = 0
  /// Which of its connections everything here belongs to.
  private var life: UInt64 = 0
  /// Seconds until an answer is given up.
  let longestWait: Double
  /// Seconds for which streams are waited for that have not answered: short at first, so that one without a
  /// leader does not keep those waiting that have one, and soon asked again.
  private var timeouts: [String: (seconds: Double, since: Double)] = [:]
  /// Seconds that answers have taken of late, the longest; each further one counts a fifth less.
  private var latency: Double

  /// Answers are awaited for `longestWait`: who has leases to renew waits less long than they last.
  package init(
    _ access: BrokerAccess, name: String, longestWait: Duration = .seconds(5)
  ) throws(BrokerFault) {
    connection = try NATSConnection(access, name: name)
    self.longestWait = longestWait.inSeconds
    latency = self.longestWait
  }

  package init(servers: [String], name: String) throws(BrokerFault) {
    try self.init(BrokerAccess(servers: servers), name: name)
  }

  /// Waits until something comes, at most for a time; not at all where messages of a log have come since the last
  /// wait while answers were awaited.
  package mutating func wait(_ limit: Duration) {
    defer { hasNews = false }
    let end = Self.now + (hasNews ? 0 : limit.inSeconds)
    while let delivery = connection.next(Int64(max(end - Self.now, 0) * 1000)) {
      accept(delivery)
      // That a server lives is nothing to wake up for.
      guard delivery.status == PullReader.isAlive, Self.now < end else { break }
    }
    pump()
  }

  /// Begins anew what another connection has asked for; returns whether there was one.
  private mutating func isReconnected() -> Bool {
    let newest = connection.reconnections
    guard newest != life else { return false }
    life = newest
    for number in readers.keys { readers[number]?.disconnect() }
    begun = [:]
    return true
  }

  // MARK: Verbs

  package mutating func read(
    _ log: FleetLog, from sequence: UInt64, most: Int
  ) throws(BrokerFault) -> (messages: [LogMessage], left: Int) {
    pump()
    _ = isReconnected()
    let number = try reader(log, from: sequence)
    try refill(number)
    let end = Self.now + longestWait
    // Fixes come when they come; meanwhile other partitions and leases have their turn.
    while !log.isInput, readers[number]?.waiting == 0, (readers[number]?.left ?? 0) > 0 {
      guard Self.now < end, readers[number]?.isBroken == false else {
        throw .unreachable("\(NATSName.stream(log)) does not deliver")
      }
      wait(.milliseconds(100))
      try lookForEnd(number)
    }
    let found = readers[number]?.read(most: most) ?? []
    let left = (readers[number]?.waiting ?? 0) + (readers[number]?.left ?? 0)
    // More comes while these are judged.
    if !found.isEmpty { try refill(number) }
    if case .state = log, found.isEmpty { try close(number) }
    return (found, left)
  }

  package mutating func beginAppend(
    _ entries: [LogEntry], to log: FleetLog, expecting last: UInt64?
  ) throws(BrokerFault) -> PendingAppend {
    var (known, rest) = (last, entries[...])
    while true {
      let part = rest.prefix(Self.mostAwaited)
      rest = rest.dropFirst(part.count)
      let first = counter + 1
      subjects[first] = part.first?.subject
      for entry in part {
        counter += 1
        var headers: [(String, String)] = []
        if let expected = known {
          headers.append(("Nats-Expected-Last-Sequence", String(expected)))
          known = expected + 1
        }
        if let mark = entry.mark {
          headers.append((NATSName.input, String(mark.input)))
          headers.append((NATSName.index, String(mark.index)))
        }
        try connection.send(
          entry.bytes, to: entry.subject, reply: "r.\(counter)", headers: headers)
      }
      begun[log] = first...counter
      let append = PendingAppend(log, answers: first...counter)
      if rest.isEmpty { return append }
      _ = try finish(append)
    }
  }

  package mutating func finish(_ append: PendingAppend) throws(BrokerFault) -> UInt64 {
    guard begun[append.log] == append.answers else {
      throw .unreachable("the connection was lost")
    }
    defer { begun[append.log] = nil }
    var newest: UInt64?
    for number in append.answers {
      newest = try answer(number, in: append.answers, NATSName.stream(append.log)).sequence
      guard newest != nil else { break }
    }
    guard let newest else { throw .unreachable("an answer without a number") }
    return newest
  }

  package mutating func last(of log: FleetLog, key: String?) throws(BrokerFault) -> LogEnd {
    let stream = NATSName.stream(log)
    guard let key else {
      let state = try request("STREAM.INFO", stream)
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
    let subject = NATSName.subject(key, in: log)
    subjects[counter] = subject
    try connection.send(
      bytes, to: subject, reply: "r.\(counter)",
      headers: [("Nats-Expected-Last-Subject-Sequence", "\(revision)")])
    guard let sequence = try answer(counter, in: counter...counter, NATSName.stream(log)).sequence
    else {
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
  /// Asks JetStream for something that concerns a stream.
  mutating func request(
    _ verb: String, _ stream: String, _ text: String = "", consumer: String? = nil
  ) throws(BrokerFault) -> JetStreamAnswer {
    let number = try ask("\(verb).\(stream)\(consumer.map { ".\($0)" } ?? "")", text)
    return try answer(number, in: number...number, stream)
  }

  private mutating func find(
    _ what: String, in stream: String
  ) throws(BrokerFault) -> LogMessage? {
    let number = try ask("STREAM.MSG.GET.\(stream)", what)
    return try found(number, in: number...number, stream)
  }

  /// Asks JetStream for something whose answer is taken later.
  mutating func ask(_ verb: String, _ text: String) throws(BrokerFault) -> UInt64 {
    counter += 1
    let subject = Self.interface + verb
    subjects[counter] = subject
    try connection.send(Array(text.utf8), to: subject, reply: "r.\(counter)")
    return counter
  }

  /// The message of an answer; `nil` where there is none.
  mutating func found(
    _ number: UInt64, in range: ClosedRange<UInt64>, _ stream: String
  ) throws(BrokerFault) -> LogMessage? {
    guard let delivery = try delivery(number, in: range, stream),
      let answer = JetStreamAnswer(delivery.bytes)
    else { throw .unreachable("\(stream) does not answer") }
    if answer.code == 404, answer.errorNumber == 10037 { return nil }
    if let fault = answer.fault { throw fault }
    return answer.message
  }

  mutating func answer(
    _ number: UInt64, in range: ClosedRange<UInt64>, _ stream: String
  ) throws(BrokerFault) -> JetStreamAnswer {
    guard let delivery = try delivery(number, in: range, stream),
      let answer = JetStreamAnswer(delivery.bytes)
    else { throw .unreachable("\(stream) does not answer") }
    if let fault = answer.fault { throw fault }
    return answer
  }

  /// The answer to a question of those that are awaited; `nil` where none comes until a time, or without one
  /// as long as the stream is waited for.
  mutating func delivery(
    _ number: UInt64, in range: ClosedRange<UInt64>, _ stream: String? = nil,
    until limit: Double? = nil
  ) throws(BrokerFault) -> NATSDelivery? {
    awaited = range
    if subjects.count > Self.mostSubjects {
      subjects = subjects.filter { $0.key >= number || isBegun($0.key) }
    }
    let untaken = connection.untaken
    let (begin, isThere) = (Self.now, answers[number] != nil)
    let short = min(max(Self.shortestWait, 4 * latency), longestWait)
    let known = stream.flatMap { timeouts[$0]?.seconds }
    let end = limit ?? begin + (known ?? (isAnySilent ? short : longestWait))
    while answers[number] == nil {
      let left = end - Self.now
      guard left > 0 else {
        try refuseForbidden(number)
        if let stream {
          let next = min(known.map { $0 * 1.25 } ?? short, longestWait)
          timeouts[stream] = (next, Self.now)
        }
        return nil
      }
      if let delivery = connection.next(Int64(min(left, Self.lookAround) * 1000) + 1) {
        accept(delivery)
      } else if isReconnected() {
        throw .unreachable("the connection was lost")
      } else {
        try refuseForbidden(number)
        if connection.untaken > untaken { try refuseWithoutJetStream(number) }
      }
    }
    if let stream { timeouts[stream] = nil }
    if number == range.lowerBound, !isThere { latency = max(Self.now - begin, latency * 0.8) }
    let found = answers.removeValue(forKey: number)
    if number == range.upperBound { forgetAnswers() }
    guard found?.status == nil else {
      throw .unreachable("nobody takes this (\(found?.status ?? ""))")
    }
    return found
  }

  /// Throws where this user may not send what is awaited: nothing will answer that.
  private func refuseForbidden(_ number: UInt64) throws(BrokerFault) {
    guard let subject = subjects[number], connection.forbidden == subject else { return }
    throw .denied(
      "this user may not publish to \(subject); next: use a user who may (docs/fleet-server.conf)")
  }

  /// Throws where nobody is there to be asked of streams. While something else is on its way, it may have been that
  /// which nobody takes: entries for a stream that has no leader, a request to a consumer that is gone.
  private func refuseWithoutJetStream(_ number: UInt64) throws(BrokerFault) {
    guard readers.isEmpty, begun.isEmpty, subjects[number]?.hasPrefix(Self.interface) == true else {
      return
    }
    throw .denied(
      "JetStream is off on this server; next: add jetstream { store_dir: \"…\" } to its configuration, as in "
        + "docs/fleet-server.conf, and start it again")
  }

  /// With what the subjects begin by which JetStream is asked.
  private static let interface = "$JS.API."

  /// Forgets answers that nobody takes any more.
  private mutating func forgetAnswers() {
    guard !answers.isEmpty else { return }
    answers = begun.isEmpty ? [:] : answers.filter { isBegun($0.key) }
  }

  private func isBegun(_ number: UInt64) -> Bool { begun.values.contains { $0 ~= number } }

  /// Whether a stream has not answered lately: others may have had the same leader.
  private var isAnySilent: Bool {
    timeouts.values.contains { Self.now - $0.since < Self.longestSilence }
  }

  /// Takes everything that has come.
  private mutating func pump() {
    while let delivery = connection.next(0) { accept(delivery) }
  }

  private mutating func accept(_ delivery: NATSDelivery) {
    if let place = delivery.place {
      hasNews = true
      readers[place.consumer]?.take(delivery, place, at: Self.now)
      return
    }
    // `INBOX.r.REQUEST`, or `INBOX.p.READER.REQUEST` of a request for messages.
    let parts = delivery.subject.utf8.dropFirst(connection.inbox.utf8.count + 1)
      .split(separator: UInt8(ascii: "."))
    let numbers = parts.dropFirst().map { UInt64(Substring($0)) }
    guard let kind = parts.first.map({ Substring($0) }), let number = numbers.last ?? nil else {
      return
    }
    if kind == "r", awaited.map({ $0 ~= number }) == true || isBegun(number) {
      answers[number] = delivery
    } else if kind == "p", numbers.count == 2, let reader = numbers[0] {
      readers[reader]?.end(number, status: delivery.status ?? "", at: Self.now)
    }
  }

  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// Seconds after which it looks whether the connection is still the one that has asked.
  private static let lookAround = 0.1
  /// Seconds (chosen: a server on another computer answers in a tenth of it).
  private static let shortestWait = 0.25
  /// Seconds (chosen: an election takes 4 to 9).
  private static let longestSilence = 10.0
  private static let mostAwaited = 1000
  private static let mostSubjects = 2048
}

// MARK: - Reading

extension NATSBroker {
  /// Returns the number of the consumer that delivers a log from a number on.
  private mutating func reader(
    _ log: FleetLog, from sequence: UInt64
  ) throws(BrokerFault) -> UInt64 {
    if let number = numbers[log], let known = readers[number] {
      if known.next == sequence, !known.isBroken, !known.isSilent(at: Self.now), !isBehind(number) {
        return number
      }
      try close(number)
    }
    counter += 1
    let number = counter
    let tail = connection.inbox.split(separator: ".").last ?? ""
    let name = "fleet-\(tail)-\(number)"
    let stream = NATSName.stream(log)
    let answer = try request(
      "CONSUMER.CREATE", stream,
      """
      {"stream_name":"\(stream)","config":{"name":"\(name)",\
      "deliver_policy":"by_start_sequence","opt_start_seq":\(max(sequence, 1)),\
      "ack_policy":"none","replay_policy":"instant","inactive_threshold":30000000000,\
      "num_replicas":1,"mem_storage":true}}
      """, consumer: name)
    readers[number] = PullReader(
      consumer: name, of: log, from: sequence, left: answer.pending ?? 0, at: Self.now)
    numbers[log] = number
    return number
  }

  /// Whether a consumer that has been at rest for a while has not delivered what is in its stream.
  private mutating func isBehind(_ number: UInt64) -> Bool {
    guard readers[number]?.isToBeCompared(at: Self.now) == true else { return false }
    return (try? hasMore(number)) ?? false
  }

  /// Asks whether anything is behind what a consumer has delivered, where its server counts more and nothing comes.
  private mutating func lookForEnd(_ number: UInt64) throws(BrokerFault) {
    guard let reader = readers[number], reader.waiting == 0, reader.left > 0,
      try hasMore(number) == false
    else { return }
    readers[number]?.noteEnd()
  }

  /// Asks the stream whether it has a message behind the newest one of a consumer; `nil` where one has come
  /// meanwhile.
  private mutating func hasMore(_ number: UInt64) throws(BrokerFault) -> Bool? {
    guard let reader = readers[number] else { return nil }
    let isThere = try first(">", in: reader.log, from: reader.next) != nil
    return readers[number]?.waiting == 0 ? isThere : nil
  }

  /// Asks for as many as there is room for, before all has come that was asked for.
  private mutating func refill(_ number: UInt64) throws(BrokerFault) {
    let most = max(2 * Self.mostExpected / max(readers.count, 8), 64)
    guard let reader = readers[number] else { return }
    let count = most - reader.waiting - reader.expected
    if count >= most / 4 {
      counter += 1
      let text =
        #"{"batch":\#(count),"expires":\#(Int(PullReader.lasting * 1e9)),"#
        + #""idle_heartbeat":\#(Int(PullReader.heartbeat * 1e9))}"#
      let stream = NATSName.stream(reader.log)
      try connection.send(
        Array(text.utf8), to: "$JS.API.CONSUMER.MSG.NEXT.\(stream).\(reader.consumer)",
        reply: "p.\(number).\(counter)")
      readers[number]?.asked(count, number: counter)
    }
  }

  private mutating func close(_ number: UInt64) throws(BrokerFault) {
    guard let reader = readers.removeValue(forKey: number) else { return }
    numbers[reader.log] = nil
    try connection.send(
      [], to: "$JS.API.CONSUMER.DELETE.\(NATSName.stream(reader.log)).\(reader.consumer)")
  }

  /// Messages that may be on their way, over all partitions.
  private static let mostExpected = 8192
}

extension FleetLog {
  fileprivate var isInput: Bool { if case .fixes = self { true } else { false } }
}
