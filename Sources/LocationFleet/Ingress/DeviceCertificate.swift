internal import LocationProviders

/// What the subject of a device's certificate says, which an authority of the owner has signed.
package struct DeviceCertificate: Hashable, Sendable {
  /// O, OU, and CN; empty where the subject has none.
  package var organization, unit, name: String

  package init(organization: String = "", unit: String = "", name: String) {
    (self.organization, self.unit, self.name) = (organization, unit, name)
  }

  /// The device that it is the certificate of; `nil` where it names none.
  ///
  /// - Chosen (FLEET-70): O is the tenant, OU the group, and CN the device, as they are. Unlike an account a
  ///   certificate never speaks for every device of a tenant.
  package var account: DeviceAccount? {
    guard FleetLine.isName(name), organization.isEmpty || FleetLine.isName(organization),
      unit.isEmpty || FleetLine.isName(unit)
    else { return nil }
    return DeviceAccount(
      user: name, tenant: organization, device: name, group: unit.isEmpty ? nil : unit, hash: "")
  }
}
