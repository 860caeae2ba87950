internal import LocationProviders

extension FenceFile {
  /// The file without the fences of a tenant, and else as it is; `nil` where it has none of these.
  static func removing(_ tenant: String, from file: [UInt8]) throws(Fault) -> [UInt8]? {
    var (rest, copied, hasOwn) = ([UInt8](), 0, false)
    do throws(JSONFault) {
      var scanner = JSONScanner(file)
      try scanner.document { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
        guard key == "features", try value.isArray() else { return try value.skip() }
        rest += file[copied..<value.position]
        var kept: [ArraySlice<UInt8>] = []
        try value.array { (scanner: inout JSONScanner) throws(JSONFault) in
          let start = scanner.position
          let isOwn = try owner(&scanner)?.isExactly(tenant) == true
          hasOwn = hasOwn || isOwn
          if !isOwn { kept.append(file[start..<scanner.position]) }
        }
        rest += Array("[".utf8) + kept.joined(separator: Array(",".utf8)) + Array("]".utf8)
        copied = value.position
      }
    } catch { throw Fault(feature: nil, cause: "this is no JSON (\(error))") }
    return hasOwn ? rest + file[copied...] : nil
  }

  /// The tenant of a feature, empty for none; `nil` where it is everybody's.
  private static func owner(_ scanner: inout JSONScanner) throws(JSONFault) -> String? {
    guard try scanner.isObject() else {
      try scanner.skip()
      return nil
    }
    var (tenant, hasAudience): (String?, Bool) = (nil, false)
    try scanner.object { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
      guard key == "properties", try value.isObject() else { return try value.skip() }
      try value.object { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
        guard key == "tenant" else {
          if key == "audience" { hasAudience = try value.isObject() }
          return try value.skip()
        }
        tenant = try value.string()
      }
    }
    return tenant ?? (hasAudience ? "" : nil)
  }
}
