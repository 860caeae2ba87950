internal import LocationProviders

/// How far a sink is, and who hands on: the value of its key.
struct SinkPosition: Hashable, Sendable {
  /// The life of a process; empty where it is nobody's.
  var owner = ""
  /// By partition, the number up to which everything is confirmed or set aside.
  var settled: [UInt64]
  /// The tenants whose events are handed on, as commands call them, in order; `nil` for all.
  var tenants: [String]?

  init(owner: String = "", settled: [UInt64], tenants: [String]? = nil) {
    self.owner = owner
    self.settled = settled
    self.tenants = tenants
  }

  init?(_ bytes: [UInt8]) {
    var (owner, settled): (String?, [UInt64]?) = (nil, nil)
    var tenants: [String?]?
    var scanner = JSONScanner(bytes)
    do throws(JSONFault) {
      try scanner.document { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
        switch key {
        case "owner": owner = try value.string()
        case "settled" where try value.isArray():
          var numbers: [UInt64?] = []
          try value.array { (value: inout JSONScanner) throws(JSONFault) in
            numbers.append(try value.number().flatMap { UInt64(exactly: $0) })
          }
          settled = numbers.contains(nil) ? nil : numbers.compactMap { $0 }
        case "tenants" where try value.isArray():
          var names: [String?] = []
          try value.array { (value: inout JSONScanner) throws(JSONFault) in
            names.append(try value.string())
          }
          tenants = names
        default: try value.skip()
        }
      }
    } catch { return nil }
    guard let owner, let settled, tenants?.contains(nil) != true else { return nil }
    self.init(owner: owner, settled: settled, tenants: tenants?.compactMap { $0 })
  }

  var encoded: [UInt8] {
    let numbers = settled.map { "\($0)" }.joined(separator: ",")
    let names = tenants.map { names in
      #","tenants":[\#(names.map { "\"\($0)\"" }.joined(separator: ","))]"#
    }
    return Array(#"{"owner":"\#(owner)","settled":[\#(numbers)]\#(names ?? "")}"#.utf8)
  }
}
