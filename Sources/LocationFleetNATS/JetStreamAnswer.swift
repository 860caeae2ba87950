internal import FoundationEssentials
internal import LocationFleet
internal import LocationModel
internal import LocationProviders

/// What JetStream answers to a request or a message.
struct JetStreamAnswer {
  private struct Stored {
    var subject, headers, data, time: String?
    var sequence: UInt64?
  }

  var code: Int?
  var cause = ""
  var errorNumber = 0
  /// Of a message that was stored.
  var sequence: UInt64?
  /// Of a stream.
  var first, last, count: UInt64?
  /// Of a consumer.
  var pending: Int?
  private var stored: Stored?

  init?(_ bytes: [UInt8]) {
    var copy = Self()
    var scanner = JSONScanner(bytes)
    do throws(JSONFault) {
      try scanner.document { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
        try copy.take(key, &value)
      }
    } catch { return nil }
    self = copy
  }

  private init() {}

  private mutating func take(_ key: JSONKey, _ value: inout JSONScanner) throws(JSONFault) {
    switch key {
    case "seq": sequence = try Self.number(&value)
    case "num_pending": pending = try value.number().flatMap { Int(exactly: $0) }
    case "error" where try value.isObject():
      var copy = self
      try value.object { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
        switch key {
        case "code": copy.code = try value.number().flatMap { Int(exactly: $0) }
        case "err_code": copy.errorNumber = try value.number().flatMap { Int(exactly: $0) } ?? 0
        case "description": copy.cause = try value.string() ?? ""
        default: try value.skip()
        }
      }
      self = copy
      code = code ?? 500
    case "state" where try value.isObject():
      var copy = self
      try value.object { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
        switch key {
        case "first_seq": copy.first = try Self.number(&value)
        case "last_seq": copy.last = try Self.number(&value)
        case "messages": copy.count = try Self.number(&value)
        default: try value.skip()
        }
      }
      self = copy
    case "message" where try value.isObject():
      var found = Stored()
      try value.object { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
        switch key {
        case "subject": found.subject = try value.string()
        case "seq": found.sequence = try Self.number(&value)
        case "hdrs": found.headers = try value.string()
        case "data": found.data = try value.string()
        case "time": found.time = try value.string()
        default: try value.skip()
        }
      }
      stored = found
    default: try value.skip()
    }
  }

  private static func number(_ value: inout JSONScanner) throws(JSONFault) -> UInt64? {
    try value.number().flatMap { UInt64(exactly: $0) }
  }

  /// What it says is wrong.
  var fault: BrokerFault? {
    guard let code else { return nil }
    // "Wrong last sequence": of the stream, or of the subject.
    if errorNumber == 10071 || errorNumber == 10164 { return .conflict }
    // "No suitable peers": some servers may be still to come. "Replicas > 1 not supported": one server is no
    // cluster, and will be none.
    if errorNumber == 10005 { return .unreachable(cause) }
    if errorNumber == 10074 { return .refused("\(cause): `replicas` needs a cluster") }
    // What was to be deleted is not there: it has been replaced.
    if errorNumber == 10057, cause.contains("no message found") { return .refused(cause) }
    return code >= 500 ? .unreachable(cause) : .refused(cause)
  }

  /// The message that was asked for.
  var message: LogMessage? {
    guard let stored, let sequence = stored.sequence else { return nil }
    let headers = Self.bytes(stored.headers).flatMap {
      Self.mark(String(decoding: $0, as: UTF8.self))
    }
    return LogMessage(
      sequence: sequence,
      time: stored.time.flatMap { UnixTime(iso8601: $0) } ?? UnixTime(nanoseconds: 0),
      entry: LogEntry(
        subject: stored.subject ?? "", mark: headers, bytes: Self.bytes(stored.data) ?? []))
  }

  private static func bytes(_ text: String?) -> [UInt8]? {
    text.flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) }
  }

  private static func mark(_ headers: String) -> EventMark? {
    var (input, index): (UInt64?, Int?)
    for line in headers.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      let value = parts[1].drop { $0 == " " }
      if parts[0] == NATSName.input { input = UInt64(value) }
      if parts[0] == NATSName.index { index = Int(value) }
    }
    guard let input, let index else { return nil }
    return EventMark(input: input, index: index)
  }
}
