internal import CNATS
internal import Glibc
package import LocationFleet

extension NATSConnection {
  /// What a connection is made with; the files of TLS are read here.
  static func options(_ access: BrokerAccess) throws(BrokerFault) -> OpaquePointer? {
    if let server = access.exposed { throw .refused("\(server) without TLS") }
    var made: OpaquePointer?
    try check(natsOptions_Create(&made), "NATS")
    do throws(BrokerFault) {
      try set(made, access)
      return made
    } catch {
      natsOptions_Destroy(made)
      throw error
    }
  }

  private static func set(
    _ made: OpaquePointer?, _ access: BrokerAccess
  ) throws(BrokerFault) {
    func said(_ key: String, _ file: String? = nil) -> String {
      "`\(access.name(of: key))`" + (file.map { " \($0)" } ?? "")
    }
    let servers = access.servers.map { strdup($0) }
    defer { for server in servers { free(server) } }
    var names = servers.map { UnsafePointer($0) }
    try check(natsOptions_SetServers(made, &names, Int32(names.count)), said("server"))
    try check(natsOptions_SetMaxReconnect(made, -1), "NATS")
    try check(natsOptions_SetReconnectWait(made, 200), "NATS")
    try check(natsOptions_SetTimeout(made, 2000), "NATS")
    // A server without power hangs up on nobody: it is left after three of these.
    try check(natsOptions_SetPingInterval(made, 2000), "NATS")
    try check(natsOptions_SetMaxPingsOut(made, 2), "NATS")
    if let file = access.credentials {
      try check(natsOptions_SetUserCredentialsFromFiles(made, file, nil), said("credentials", file))
    }
    if let file = access.seed {
      try check(natsOptions_SetNKeyFromSeed(made, access.publicKey, file), said("nkey-seed", file))
    }
    // A server may name others, which need not be on this computer.
    guard access.isSecure else {
      return try check(natsOptions_SetIgnoreDiscoveredServers(made, true), "NATS")
    }
    try check(natsOptions_SetSecure(made, true), "TLS")
    if let file = access.authorities {
      try check(natsOptions_LoadCATrustedCertificates(made, file), said("authorities", file))
    }
    if let file = access.certificate {
      let key = access.key ?? ""
      try check(
        natsOptions_LoadCertificatesChain(made, file, key),
        "\(said("certificate", file)), \(said("certificate-key", key))")
    }
  }

  private static func check(_ status: natsStatus, _ what: String) throws(BrokerFault) {
    guard status != NATS_OK else { return }
    throw .refused("\(what): \(cause(of: status))")
  }

  /// What the library, or the server through it, says of the call of this thread that has just failed; what its
  /// status means where that is nothing.
  static func cause(of status: natsStatus) -> String {
    // The library keeps what it has said of an earlier call.
    var last = NATS_OK
    let said = nats_GetLastError(&last).map { String(cString: $0) } ?? ""
    if last == status, !said.isEmpty {
      // It begins with the line of the library's own code.
      return said.hasPrefix("(") ? String(said.drop { $0 != ")" }.dropFirst(3)) : said
    }
    return natsStatus_GetText(status).map { String(cString: $0) } ?? "NATS"
  }
}

extension NATSBroker {
  /// What is wrong with the settings of a connection, and the files that they name; connects to nothing.
  package static func fault(of access: BrokerAccess) -> String? {
    do throws(BrokerFault) {
      natsOptions_Destroy(try NATSConnection.options(access))
      return nil
    } catch {
      guard case .refused(let cause) = error else { return "\(error)" }
      return cause
    }
  }
}
