package import LocationFleet

extension NATSBroker {
  /// Returns how streams stand, in their order.
  ///
  /// Silence costs little more than the time of one answer, however many are asked for.
  package mutating func look(at logs: [FleetLog]) -> [FleetSurvey.Stream] {
    let questions = logs.map { ("STREAM.INFO.\(NATSName.stream($0))", "") }
    return zip(logs, askAll(questions)).map { log, answer in
      var stream = FleetSurvey.Stream(log, NATSName.stream(log), Self.state(answer))
      if case .failure(.denied) = answer { stream.isDenied = true }
      return stream
    }
  }

  private static func state(
    _ answer: Result<[UInt8], BrokerFault>
  ) -> FleetSurvey.Stream.State {
    guard case .success(let bytes) = answer else { return .silent(cause(answer)) }
    if let answer = JetStreamAnswer(bytes), let fault = answer.fault {
      return answer.code == 404 ? .missing : .silent("\(fault)")
    }
    return StreamStatus(bytes).map { .here($0) } ?? .silent("an answer that is none of a stream")
  }

  private static func cause(_ answer: Result<[UInt8], BrokerFault>) -> String {
    if case .failure(let fault) = answer { "\(fault)" } else { "" }
  }

  /// Returns messages by their places, in their order; `nil` where there is none, or no answer.
  package mutating func messages(
    _ places: [(log: FleetLog, place: MessagePlace)]
  ) -> [LogMessage?] {
    answers(places).map(\.message)
  }

  /// Returns what is at places, in their order.
  package mutating func answers(
    _ places: [(log: FleetLog, place: MessagePlace)]
  ) -> [MessageAnswer] {
    let questions = places.map { log, place in
      ("STREAM.MSG.GET.\(NATSName.stream(log))", Self.text(place, log))
    }
    return askAll(questions).map { answer in
      guard case .success(let bytes) = answer, let found = JetStreamAnswer(bytes) else {
        return .silent
      }
      if let message = found.message { return .here(message) }
      // Whether the message is not there, or the stream, the state of the stream says.
      return found.fault == nil || found.code == 404 ? .none : .silent
    }
  }

  private static func text(_ place: MessagePlace, _ log: FleetLog) -> String {
    switch place {
    case .last(let key): #"{"last_by_subj":"\#(NATSName.subject(key, in: log))"}"#
    case .number(let number): #"{"seq":\#(number)}"#
    case .first(let subject, let from): #"{"seq":\#(max(from, 1)),"next_by_subj":"\#(subject)"}"#
    }
  }

  private mutating func askAll(
    _ questions: [(verb: String, text: String)]
  ) -> [Result<[UInt8], BrokerFault>] {
    var found: [Result<[UInt8], BrokerFault>] = []
    var (seconds, rest) = (longestWait, questions[...])
    while !rest.isEmpty {
      let part = rest.prefix(Self.mostAsked)
      rest = rest.dropFirst(part.count)
      let answers = askTogether(part, within: seconds)
      // Who has been silent once is not waited for as long again.
      if answers.contains(where: { if case .failure = $0 { true } else { false } }) {
        seconds = min(seconds, 1)
      }
      found += answers
    }
    return found
  }

  private mutating func askTogether(
    _ questions: ArraySlice<(verb: String, text: String)>, within seconds: Double
  ) -> [Result<[UInt8], BrokerFault>] {
    do throws(BrokerFault) {
      var numbers: [UInt64] = []
      for question in questions { numbers.append(try ask(question.verb, question.text)) }
      guard let first = numbers.first, let last = numbers.last else { return [] }
      let end = Self.now + seconds
      return numbers.map { number in
        do throws(BrokerFault) {
          guard let found = try delivery(number, in: first...last, until: end) else {
            return .failure(.unreachable("nobody answers"))
          }
          return .success(found.bytes)
        } catch { return .failure(error) }
      }
    } catch {
      return questions.map { _ in .failure(error) }
    }
  }

  /// Questions that are open at once.
  private static let mostAsked = 256
}
