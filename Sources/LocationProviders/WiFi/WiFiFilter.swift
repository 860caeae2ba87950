package import LocationModel

/// Decides which access points may be used to find a place.
///
/// A locally administered address is no reason against one: most networks of large buildings have
/// such addresses, derived from those of their makers.
package enum WiFiFilter {
  /// Why an access point must not be used.
  package enum Refusal: Int, Comparable, CaseIterable, Sendable, CustomStringConvertible {
    /// Its network has no name, so its owner does not want it to be seen.
    case hidden
    /// The name ends with `_nomap` or contains `_optout`: the owner does not want it to be used.
    case optedOut
    /// The name is that of a phone, a vehicle, or another thing that moves.
    case mobile
    /// The address names a group, none, or all.
    case group
    /// Ad hoc, a mesh, or Wi-Fi Direct.
    case noAccessPoint
    /// It was not heard lately, or it is not known when.
    case stale

    package static func < (left: Refusal, right: Refusal) -> Bool {
      left.rawValue < right.rawValue
    }

    package var description: String {
      switch self {
      case .hidden: "access points of hidden networks"
      case .optedOut: "access points whose owners have opted out (_nomap, _optout)"
      case .mobile: "access points of phones and vehicles, by their names"
      case .group: "access points with the address of a group"
      case .noAccessPoint: "ad hoc, mesh, and Wi-Fi Direct networks"
      case .stale: "access points that were not heard lately"
      }
    }
  }

  /// Returns why a station must not be used; `nil` when it may be.
  package static func refusal(of station: WiFiStation, at now: Instant) -> Refusal? {
    if station.address.isGroup { return .group }
    if station.name.isEmpty { return .hidden }
    let name = station.name.map { (65...90).contains($0) ? $0 + 32 : $0 }
    if optedOut.contains(where: { name.contains($0) }) { return .optedOut }
    if !station.isAccessPoint || name.starts(with: direct) { return .noAccessPoint }
    if mobile.contains(where: { name.contains($0) }) { return .mobile }
    guard let heard = station.heard?.moment(at: now), now - heard <= longestAge else {
      return .stale
    }
    return nil
  }

  /// Chosen: the kernel forgets a silent station after as long, but not where another program or
  /// an old driver keeps it.
  package static let longestAge = Duration.seconds(30)

  private static let optedOut = ["_nomap", "_optout"].map { Array($0.utf8) }
  private static let direct = Array("direct-".utf8)
  /// What names of things that move contain, in lower case (shared/design/radios.md, 1.6).
  private static let mobile = [
    "iphone", "ipad", "androidap", "android auto", "androidauto", "samsung", "galaxy", "moto",
    "oneplus", "oppo", "pixel", "poco", "realme", "redmi", "vivo", "audi", "bmw", "carplay",
    "hyundai", "kia", "porsche", "mazda", "mb wlan", "skoda", "renault", "my vw", "dashcam",
    "blackvue",
  ].map { Array($0.utf8) }
}
