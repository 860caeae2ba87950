import LocationFleet
import LocationModel

/// What `--check` looks at beyond the lines of a configuration.
///
/// - Chosen (FLEET-136, FLEET-137): it connects to nothing and changes nothing.
struct ConfigurationCheck {
  private let configuration: SinkConfiguration
  private let place: String

  /// `place` is the file, or what stands for it.
  init(_ configuration: SinkConfiguration, _ place: String) {
    (self.configuration, self.place) = (configuration, place)
  }

  /// Prints that there is no fault, with a number of accounts where these were looked at.
  func run(accounts: Int? = nil, keys: Bool = false) throws(FleetFault) {
    let ingress = configuration.ingress
    try AccessFiles.check(ingress.fleet.access)
    var faults = configuration.collisions
    if keys, let folder = ingress.fleet.tenantKeys {
      faults += TenantKeyFiles(folder: folder).faults
    }
    let findings = AccessFiles.certificates(
      of: ingress, and: configuration.nats.access, at: IngressProcess.now.unixTime)
    for finding in findings {
      let text = finding.message + (finding.next.map { "; next: \($0)" } ?? "")
      if finding.verdict == .bad { faults.append(text) } else { Log.line("\(place): \(text)") }
    }
    guard faults.isEmpty else {
      throw FleetFault(reason: faults.map { "\(place): \($0)" }.joined(separator: "\n"))
    }
    try Printout.line("\(place): no faults" + (accounts.map { ", \($0) accounts" } ?? ""))
  }
}
