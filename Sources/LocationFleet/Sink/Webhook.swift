package import LocationModel
internal import LocationSecrets

/// Signs what is posted to a webhook, in the form of the Standard Webhooks.
package struct WebhookSecret: Sendable {
  /// The newest first; while they are changed there are two.
  private let keys: [[UInt8]]

  /// Reads a file of one or two lines, each `whsec_` and 24 to 64 bytes in base64; `nil` for any other.
  package init?(_ file: [UInt8]) {
    guard file.count <= 1024, let text = String(validating: file, as: UTF8.self) else { return nil }
    let lines = text.split(whereSeparator: \.isWhitespace)
    guard (1...2).contains(lines.count) else { return nil }
    var keys: [[UInt8]] = []
    for line in lines {
      guard line.hasPrefix(Self.mark),
        let key = MessageDigest.bytes(base64: String(line.dropFirst(Self.mark.count))),
        (24...64).contains(key.count)
      else { return nil }
      keys.append(key)
    }
    self.keys = keys
  }

  private static let mark = "whsec_"

  /// The headers of a request.
  package func headers(id: String, body: [UInt8], at time: UnixTime) -> [String] {
    let stamp = "\(Int(time.seconds))"
    let message = Array("\(id).\(stamp).".utf8) + body
    let signatures = keys.map {
      "v1," + MessageDigest.base64(MessageDigest.code(of: message, key: $0))
    }
    return [
      "webhook-id: \(id)", "webhook-timestamp: \(stamp)",
      "webhook-signature: \(signatures.joined(separator: " "))",
    ]
  }
}

/// What a webhook has answered.
package enum WebhookAnswer {
  /// Judges the status of HTTP, 0 where none came; libcurl's code, which says why; and the seconds of
  /// Retry-After.
  package static func outcome(status: Int, code: Int, retryAfter: Int?) -> DeliveryOutcome {
    let after = retryAfter.map { Duration.seconds($0) }
    switch status {
    case 200..<300: return .confirmed
    // Whoever is redirected has an old address; the other side's owner has to name the new one.
    case 300..<400: return .unreachable("status \(status), a redirect", after: after)
    case 408, 425: return .failed("status \(status)", after: after)
    case 429, 503: return .unreachable("status \(status)", after: after)
    case 400..<500: return .refused("status \(status)")
    case 500...: return .failed("status \(status)", after: after)
    default: return code == 28 ? .failed("no answer in time", after: nil) : unreachable(code)
    }
  }

  private static func unreachable(_ code: Int) -> DeliveryOutcome {
    let reason =
      switch code {
      case -1: "libcurl is not installed: apt-get install libcurl4"
      case -2: "the answer is too long"
      case 6: "no such host"
      case 7: "nobody listens"
      case 60: "its certificate is not accepted"
      default: "no answer, libcurl \(code)"
      }
    return .unreachable(reason, after: nil)
  }
}
