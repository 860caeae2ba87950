package import LocationFleet
import LocationHost
package import LocationModel

/// The ingress of a fleet that the owner has named, and as which device this computer comes there.
package struct UplinkSettings: Hashable, Sendable {
  /// How the ingress knows it.
  package enum Proof: Hashable, Sendable {
    /// The path of a file with the password of the account.
    case password(file: String)
    /// The paths of a certificate and of its key.
    case certificate(String, key: String)
  }

  package var server: WebServer
  package var name: FleetDeviceName
  package var user: String
  package var proof: Proof
  /// The path of the certificates to trust; `nil` for the system's.
  package var authority: String?
  /// Whether the fleet may know the exact place.
  package var isPrecise: Bool
  /// At most one fix is sent in that time; every one where it is zero.
  package var interval: Duration

  /// The app that the daemon is for this: one for each ingress, as consent to one is none to another. No
  /// program can claim a name with a colon.
  package var app: AppIdentity {
    let place = server.origin?.split(separator: "/", maxSplits: 2).last.map(String.init)
    return AppIdentity("uplink:" + (place ?? ""))
  }

  /// The keys of the configuration.
  static let keys = [
    "uplink", "uplink-tenant", "uplink-device", "uplink-user", "uplink-password-file",
    "uplink-certificate", "uplink-key", "uplink-authority", "uplink-accuracy", "uplink-interval",
  ]

  /// What is wrong with the value of a key; `nil` if nothing is.
  static func fault(of key: String, _ value: String) -> String? {
    switch key {
    case "uplink":
      let server = WebServer(value)
      // A path is the ingress's own; what comes behind it would be in the middle of a request's.
      let isPlain = value.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"?#".utf8.contains($0) }
      guard isPlain, server.origin != nil else {
        return "`uplink` must be the address of an ingress: https://ingress.example.org:8443"
      }
      if let fault = server.placeFault { return "`uplink` \(fault)" }
      return server.isPrivate ? nil : "`uplink`: \(WebServer.mustBePrivate)"
    case "uplink-tenant", "uplink-device", "uplink-user":
      let isName =
        (1...64).contains(value.utf8.count)
        && !value.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
      guard isName else { return "`\(key)` must have 1 to 64 bytes without control characters" }
      // HTTP's Basic authentication ends the user there.
      return key == "uplink-user" && value.contains(":") ? "`\(key)` must have no colon" : nil
    case "uplink-accuracy":
      return ["full", "reduced"].contains(value) ? nil : "`\(key)` must be full or reduced"
    case "uplink-interval":
      let isValid = Int(value).map { (0...86_400).contains($0) } ?? false
      return isValid ? nil : "`\(key)` must be a number of seconds from 0 to 86400"
    default: return value.hasPrefix("/") ? nil : "`\(key)` must be an absolute path"
    }
  }

  /// The settings of these values, or why they are none together.
  static func read(_ values: [String: String]) -> Result<UplinkSettings, UplinkFault> {
    guard let url = values["uplink"] else { return fault("`uplink` is missing: nothing is sent") }
    guard let device = values["uplink-device"] else { return fault("`uplink-device` is missing") }
    // What a fleet may know is for the owner to say: neither is assumed.
    guard let accuracy = values["uplink-accuracy"] else {
      return fault("`uplink-accuracy` is missing: full for the exact place, or reduced")
    }
    let proof: Proof
    switch (
      values["uplink-password-file"], values["uplink-certificate"], values["uplink-key"]
    ) {
    case (let file?, nil, nil): proof = .password(file: file)
    case (nil, let certificate?, let key?): proof = .certificate(certificate, key: key)
    default:
      return fault("either `uplink-password-file`, or `uplink-certificate` and `uplink-key`")
    }
    return .success(
      UplinkSettings(
        server: WebServer(url),
        name: FleetDeviceName(tenant: values["uplink-tenant"] ?? "", device: device),
        user: values["uplink-user"] ?? device, proof: proof,
        authority: values["uplink-authority"], isPrecise: accuracy == "full",
        interval: .seconds(values["uplink-interval"].flatMap { Int($0) } ?? 10)))
  }

  private static func fault(_ reason: String) -> Result<UplinkSettings, UplinkFault> {
    .failure(UplinkFault(reason: reason))
  }

  /// A request that sends lines of fixes.
  ///
  /// - Throws: `UplinkFault` if a file with a secret is not the owner's alone, or if others can change what is
  ///   trusted.
  package func request() throws(UplinkFault) -> WebRequest {
    if let authority { _ = try Self.read(authority, limit: Self.longestAuthority) }
    var request = WebRequest(
      server.url + "/", of: server, userAgent: "Meridian locationd", timeout: .seconds(30),
      authorities: authority)
    switch proof {
    case .password(let file):
      var bytes = try Self.read(file, limit: 1024, isSecret: true)[...]
      while let last = bytes.last, last == 10 || last == 13 { bytes.removeLast() }
      guard !bytes.isEmpty, bytes.allSatisfy({ $0 >= 0x20 }),
        let password = String(validating: bytes, as: UTF8.self)
      else {
        throw UplinkFault(reason: "\(file) must have the password alone, on one line")
      }
      request.credentials = .password(user: user, password)
    case .certificate(let certificate, let key):
      // The library reads them again.
      _ = try Self.read(certificate, limit: 65_536)
      _ = try Self.read(key, limit: 65_536, isSecret: true)
      request.credentials = .certificate(certificate, key: key)
    }
    return request
  }

  /// Bytes. Chosen: ten times the certificates of a distribution.
  private static let longestAuthority = 4 << 20

  private static func read(
    _ path: String, limit: Int, isSecret: Bool = false
  ) throws(UplinkFault) -> [UInt8] {
    do throws(OwnedFile.Fault) {
      return try OwnedFile.read(path, limit: limit, isSecret: isSecret)
    } catch { throw UplinkFault(reason: "\(path): \(error)") }
  }
}

/// Why nothing is sent.
package struct UplinkFault: Error, Hashable, Sendable {
  package var reason: String
}
