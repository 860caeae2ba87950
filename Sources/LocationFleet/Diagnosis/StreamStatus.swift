internal import LocationProviders

/// How a stream stands, as the servers say it.
package struct StreamStatus: Hashable, Sendable {
  /// Another server's copy of it.
  package struct Copy: Hashable, Sendable {
    package var server = ""
    package var isCurrent = false
    package var isOffline = false
    /// Operations that it has not yet.
    package var lag = 0
  }

  package var replicas = 1
  /// Nanoseconds after which messages go; 0 for never.
  package var age = 0
  package var messages: UInt64 = 0
  package var bytes = 0
  /// The number of the first message that is there; one more than `last` where none is.
  package var first: UInt64 = 0
  /// The number of the last message there was.
  package var last: UInt64 = 0
  /// Whether one of the servers leads it; one server alone always does.
  package var hasLeader = true
  /// The server that leads it; empty of one server alone.
  package var leader = ""
  /// The copies of the servers that do not lead it.
  package var copies: [Copy] = []

  package init() {}

  /// Reads an answer; `nil` where it is none of a stream.
  package init?(_ bytes: [UInt8]) {
    var copy = Self()
    var isStream = false
    var scanner = JSONScanner(bytes)
    do throws(JSONFault) {
      try scanner.document { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
        switch key {
        case "config" where try value.isObject():
          try copy.takeConfiguration(&value)
          isStream = true
        case "state" where try value.isObject(): try copy.takeState(&value)
        case "cluster" where try value.isObject(): try copy.takeCluster(&value)
        default: try value.skip()
        }
      }
    } catch { return nil }
    guard isStream else { return nil }
    self = copy
  }

  private mutating func takeConfiguration(_ value: inout JSONScanner) throws(JSONFault) {
    var copy = self
    try value.object { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
      switch key {
      case "num_replicas": copy.replicas = try Self.count(&value)
      case "max_age": copy.age = try Self.count(&value)
      default: try value.skip()
      }
    }
    self = copy
  }

  private mutating func takeState(_ value: inout JSONScanner) throws(JSONFault) {
    var copy = self
    try value.object { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
      switch key {
      case "messages": copy.messages = UInt64(try Self.count(&value))
      case "bytes": copy.bytes = try Self.count(&value)
      case "first_seq": copy.first = UInt64(try Self.count(&value))
      case "last_seq": copy.last = UInt64(try Self.count(&value))
      default: try value.skip()
      }
    }
    self = copy
  }

  private mutating func takeCluster(_ value: inout JSONScanner) throws(JSONFault) {
    var copy = self
    copy.hasLeader = false
    try value.object { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
      switch key {
      case "leader":
        copy.leader = try value.string() ?? ""
        copy.hasLeader = !copy.leader.isEmpty
      case "replicas" where try value.isArray():
        try value.array { (value: inout JSONScanner) throws(JSONFault) in
          copy.copies.append(try Self.replica(&value))
        }
      default: try value.skip()
      }
    }
    self = copy
  }

  private static func replica(_ value: inout JSONScanner) throws(JSONFault) -> Copy {
    var copy = Copy()
    try value.object { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
      switch key {
      case "name": copy.server = try value.string() ?? ""
      case "current": copy.isCurrent = try value.boolean() ?? false
      case "offline": copy.isOffline = try value.boolean() ?? false
      case "lag": copy.lag = try count(&value)
      default: try value.skip()
      }
    }
    return copy
  }

  /// A number that is not below 0.
  private static func count(_ value: inout JSONScanner) throws(JSONFault) -> Int {
    try value.number().flatMap { Int(exactly: $0) }.map { max($0, 0) } ?? 0
  }
}
