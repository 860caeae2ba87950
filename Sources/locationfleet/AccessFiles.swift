import CIngress
import Glibc
import LocationFleet
import LocationFleetNATS
import LocationModel
import LocationSecrets

/// The files with which one comes in at the servers.
enum AccessFiles {
  /// Reads what has to be known of them, and returns what is wrong with them, each with its setting.
  static func faults(of access: inout BrokerAccess) -> [String] {
    var faults: [String] = []
    for (key, path, isSecret, text) in [
      ("authorities", access.authorities, false, "-----BEGIN CERTIFICATE-----"),
      ("certificate", access.certificate, false, "-----BEGIN CERTIFICATE-----"),
      ("certificate-key", access.key, true, "PRIVATE KEY-----"),
      ("credentials", access.credentials, true, "-----BEGIN NATS USER JWT-----"),
    ] {
      guard let path, let fault = fault(of: path, isSecret: isSecret, with: text) else { continue }
      faults.append("`\(access.name(of: key))` \(path): \(fault)")
    }
    if let path = access.seed, let fault = readSeed(path, &access) {
      faults.append("`\(access.name(of: "nkey-seed"))` \(path): \(fault)")
    }
    return faults
  }

  /// Looks also at what only the library knows, such as whether a key belongs to its certificate. Its
  /// threads begin then: a process that awaits signals must not do this before it has blocked them.
  static func check(_ access: BrokerAccess) throws(FleetFault) {
    if let fault = NATSBroker.fault(of: access) { throw FleetFault(reason: fault) }
  }

  private static func readSeed(_ path: String, _ access: inout BrokerAccess) -> String? {
    if let fault = fault(of: path, isSecret: true, with: "SU") { return fault }
    guard var bytes = try? Input.file(path, limit: limit) else { return "cannot be read" }
    defer { wipe(&bytes) }
    let lines = bytes.split(whereSeparator: { $0 <= 0x20 })
    guard let line = lines.first(where: { $0.starts(with: "SU".utf8) }) else {
      return "there is no seed in it"
    }
    do throws(NATSSeed.Fault) {
      access.publicKey = try NATSSeed.publicKey(of: String(decoding: line, as: UTF8.self))
      return nil
    } catch { return "there is no seed of a user in it, or it is damaged" }
  }

  /// What is wrong with a file that has to have a text in it.
  static func fault(of path: String, isSecret: Bool, with text: String) -> String? {
    var state = stat()
    guard stat(path, &state) == 0 else { return String(cString: strerror(errno)) }
    guard state.st_mode & S_IFMT == S_IFREG else { return "is no file" }
    guard state.st_mode & (isSecret ? 0o027 : 0o022) == 0 else {
      return isSecret ? "others can read or write it" : "others can write it"
    }
    var bytes: [UInt8]
    do throws(FleetFault) { bytes = try Input.file(path, limit: limit) } catch {
      return "cannot be read"
    }
    defer { wipe(&bytes) }
    let wanted = Array(text.utf8)
    let isThere = bytes.indices.contains { bytes[$0...].starts(with: wanted) }
    return isThere ? nil : "there is no \(text) in it"
  }

  /// What is found of the ends of the certificates of a configuration, also of those for other servers. Nothing is without OpenSSL, and then there
  /// is no TLS either.
  static func certificates(
    of configuration: IngressConfiguration, and other: BrokerAccess? = nil, at now: UnixTime
  ) -> [FleetFinding] {
    let (access, security) = (configuration.fleet.access, configuration.security)
    return [
      ("certificate", access.certificate, false), ("authorities", access.authorities, true),
      ("ingress-certificate", security.certificate, false),
      ("device-authorities", security.authorities, true),
      (other?.name(of: "certificate") ?? "", other?.certificate, false),
      (other?.name(of: "authorities") ?? "", other?.authorities, true),
    ].compactMap { key, path, isOfAuthorities in
      guard let path, let bytes = try? Input.file(path, limit: limit) else { return nil }
      var (first, last): (Int64, Int64) = (0, 0)
      let count = bytes.withUnsafeBytes {
        cin_certificate_ends(
          $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count), &first, &last)
      }
      guard count > 0 else { return nil }
      let end = UnixTime(seconds: Double(isOfAuthorities ? last : first))
      return CertificateTerm.finding(key, path, ends: end, at: now)
    }
  }

  private static let limit = 1 << 20

  /// Prints a new seed, and on standard error the public key that the server has to know.
  static func printSeed() throws(FleetFault) {
    let seed = NATSSeed.text(of: .random())
    try Printout.line(seed)
    if let key = try? NATSSeed.publicKey(of: seed) { Log.line(key) }
  }
}
