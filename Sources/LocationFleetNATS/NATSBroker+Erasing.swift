package import LocationFleet

extension NATSBroker {
  /// By requests alone: a consumer with a subject would leave the subject in the servers' own log.
  package mutating func find(
    _ subject: String, in log: FleetLog, _ range: ClosedRange<UInt64>
  ) throws(BrokerFault) -> (messages: [LogMessage], end: UInt64) {
    let stream = NATSName.stream(log)
    var spans = [range]
    var messages: [LogMessage] = []
    // Several places at once, so that the way to the server and back counts less.
    while !spans.isEmpty, messages.count < Self.mostFound {
      Self.split(&spans)
      var numbers: [UInt64] = []
      for span in spans {
        numbers.append(
          try ask(
            "STREAM.MSG.GET.\(stream)",
            #"{"seq":\#(max(span.lowerBound, 1)),"next_by_subj":"\#(subject)"}"#))
      }
      guard let first = numbers.first, let last = numbers.last else { break }
      var rest: [ClosedRange<UInt64>] = []
      for (span, number) in zip(spans, numbers) {
        guard let message = try found(number, in: first...last, stream),
          message.sequence <= span.upperBound
        else { continue }
        messages.append(message)
        guard message.sequence < span.upperBound else { continue }
        rest.append((message.sequence + 1)...span.upperBound)
      }
      spans = rest
    }
    messages.sort { $0.sequence < $1.sequence }
    return (messages, spans.map(\.lowerBound).min() ?? range.upperBound + 1)
  }

  package mutating func first(
    _ subject: String, in log: FleetLog, from sequence: UInt64
  ) throws(BrokerFault) -> LogMessage? {
    let stream = NATSName.stream(log)
    let number = try ask(
      "STREAM.MSG.GET.\(stream)",
      #"{"seq":\#(max(sequence, 1)),"next_by_subj":"\#(subject)"}"#)
    return try found(number, in: number...number, stream)
  }

  /// Halves spans until there are enough of them.
  private static func split(_ spans: inout [ClosedRange<UInt64>]) {
    while spans.count < atOnce, spans.contains(where: { $0.count > 1 }) {
      spans = spans.flatMap { span -> [ClosedRange<UInt64>] in
        guard span.lowerBound < span.upperBound else { return [span] }
        let middle = span.lowerBound + (span.upperBound - span.lowerBound) / 2
        return [span.lowerBound...middle, (middle + 1)...span.upperBound]
      }
    }
  }

  package mutating func erase(
    _ sequences: [UInt64], of log: FleetLog
  ) throws(BrokerFault) -> Int {
    let stream = NATSName.stream(log)
    var (count, rest) = (0, sequences[...])
    while !rest.isEmpty {
      let part = rest.prefix(Self.mostErased)
      rest = rest.dropFirst(part.count)
      var numbers: [UInt64] = []
      for sequence in part {
        // Without `no_erase` the server overwrites the message in its file.
        numbers.append(try ask("STREAM.MSG.DELETE.\(stream)", #"{"seq":\#(sequence)}"#))
      }
      guard let first = numbers.first, let last = numbers.last else { break }
      for number in numbers {
        do throws(BrokerFault) {
          _ = try answer(number, in: first...last, stream)
          count += 1
        } catch {
          // Refused is what is not there any more.
          guard case .refused = error else { throw error }
        }
      }
    }
    return count
  }

  private static let atOnce = 16
  private static let mostFound = 2000
  private static let mostErased = 500
}
