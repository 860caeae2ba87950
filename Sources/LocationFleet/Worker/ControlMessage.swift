internal import LocationProviders

/// What concerns a whole partition, in its place among the fixes.
package enum ControlMessage: Hashable, Sendable {
  /// Judge by the fences of this version from here on.
  case fences(String)
  /// Forget a device, and leave nothing of it stored.
  case erase(FleetDeviceName)
  /// Forget all devices of a tenant, and leave nothing of them stored.
  case eraseTenant(String)
  /// Append a mark behind the events, so that their log does not end in one that is to be erased.
  case mark

  package var text: String {
    switch self {
    case .fences(let version): #"{"ctl":"fences","version":"\#(version)"}"#
    case .erase(let name):
      // As parts of a subject the names need no escaping.
      #"{"ctl":"erase","tenant":"\#(FleetAddress.part(name.tenant))","#
        + #""device":"\#(FleetAddress.part(name.device))"}"#
    case .eraseTenant(let tenant):
      // A word of its own: no request for a device becomes one for all by losing a member.
      #"{"ctl":"erase-tenant","tenant":"\#(FleetAddress.part(tenant))"}"#
    case .mark: #"{"ctl":"mark"}"#
    }
  }

  /// `nil` where the bytes are none, or one of a later version.
  package init?(_ bytes: [UInt8]) {
    var members: [String: String] = [:]
    var scanner = JSONScanner(bytes)
    do throws(JSONFault) {
      try scanner.document { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
        switch key {
        case "ctl", "version", "tenant", "device": members[key.text] = try value.string()
        default: try value.skip()
        }
      }
    } catch { return nil }
    switch members["ctl"] {
    case "fences":
      guard let version = members["version"], FenceStore.isVersion(version) else { return nil }
      self = .fences(version)
    case "erase":
      guard let tenant = members["tenant"].flatMap({ FleetAddress.name($0) }),
        let device = members["device"].flatMap({ FleetAddress.name($0) }), !device.isEmpty
      else { return nil }
      self = .erase(FleetDeviceName(tenant: tenant, device: device))
    case "erase-tenant":
      guard let tenant = members["tenant"].flatMap({ FleetAddress.name($0) }) else { return nil }
      self = .eraseTenant(tenant)
    case "mark": self = .mark
    default: return nil
    }
  }
}
