internal import LocationCoding
package import LocationModel

/// When a certificate ends, and what is said of that.
package enum CertificateTerm {
  /// Seconds before its end from which on it is named.
  private static let notice = 14 * 86_400.0

  /// What is found of the certificates of a file; `nil` where nothing has to be done yet.
  ///
  /// - Chosen (FLEET-136): an end that has passed is bad; one that comes within 14 days a person may want to know.
  /// - Parameters:
  ///   - setting: the key that names the file.
  ///   - path: the file.
  ///   - end: of a certificate and those above it the first end, of authorities the last.
  ///   - now: the present, by the computer's clock.
  /// - Returns: a finding with the end and the next step.
  package static func finding(
    _ setting: String, _ path: String, ends end: UnixTime, at now: UnixTime
  ) -> FleetFinding? {
    let left = end.seconds(since: now)
    guard left < notice else { return nil }
    let next = "renew it, and start again who reads it (SIGHUP for an ingress)"
    guard left > 0 else {
      return FleetFinding(
        "certificates", "certificate_ended", .bad,
        "`\(setting)` \(path) has ended at \(end.iso8601)", next: next)
    }
    return FleetFinding(
      "certificates", "certificate_ends", .doubtful,
      "`\(setting)` \(path) ends at \(end.iso8601), in \(Int(left / 86_400)) days", next: next)
  }
}
