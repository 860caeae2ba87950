/// How the way of the devices to an ingress is encrypted, and whose certificates it believes.
package struct IngressSecurity: Hashable, Sendable {
  /// The files of its own certificate and of the key of that.
  package var certificate, key: String?
  /// The file of the certificates that those of devices must come from; `nil` where devices have none.
  package var authorities: String?
  /// Whether the owner wants to be heard beyond this computer without TLS all the same.
  package var isWaived = false

  package init() {}

  package var isSecure: Bool { certificate != nil }

  /// What is wrong with all of it together.
  ///
  /// - Chosen (FLEET-71): beyond this computer there is no listening without TLS, unless the owner has said so.
  func faults(at address: String) -> [String] {
    var causes: [String] = []
    if (certificate == nil) != (key == nil) {
      causes.append("`ingress-certificate` and `ingress-certificate-key` go together")
    }
    if authorities != nil, certificate == nil {
      causes.append("`device-authorities` needs `ingress-certificate`")
    }
    if !isSecure, !isWaived, !BrokerAccess.isLoopback(host: address) {
      causes.append(
        "\(address) is not on this computer: it needs `ingress-certificate`, or `without-tls = yes`"
      )
    }
    return causes
  }
}
