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

  /// Prints that there is no fault, with the number of accounts where these were looked at.
  func run(accounts: DeviceAccounts? = nil, keys: Bool = false) throws(FleetFault) {
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
    if let accounts { warnOfKeys(accounts) }
    try Printout.line(
      "\(place): no faults" + (accounts.map { ", \($0.byUser.count) accounts" } ?? ""))
  }

  /// Names tenants of accounts, and of settings, that an ingress would not let in.
  ///
  /// - Chosen (FLEET-158): no fault, as all others are let in.
  private func warnOfKeys(_ accounts: DeviceAccounts) {
    guard let folder = configuration.ingress.fleet.tenantKeys else { return }
    let files = TenantKeyFiles(folder: folder)
    if let fault = files.fault {
      Log.line(
        "\(place): `tenant-keys` \(folder): \(fault): a tenant without a key would be let in; next: "
          + "make it as for the workers; an ingress looks only whether a file of that name is there"
      )
      return
    }
    let tenants = Set(accounts.byUser.values.map { ExactName($0.tenant) })
      .union(configuration.ingress.tenants.tenants.keys)
    let without = tenants.sorted().filter { files.isWithout($0.text) }
    for tenant in without.prefix(Self.mostNamed) {
      let label = FleetAddress.label(of: tenant.text)
      Log.line(
        "\(place): tenant \(label) has no key in `tenant-keys`: its devices would be refused; next: "
          + TenantKeyFault.unmade.next(for: label))
    }
    if without.count > Self.mostNamed {
      Log.line("\(place): \(without.count - Self.mostNamed) further tenants have none")
    }
  }

  private static let mostNamed = 8
}
