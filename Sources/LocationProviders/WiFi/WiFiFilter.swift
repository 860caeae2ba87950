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
    let name = NetworkName.refusal(of: String(decoding: station.name, as: UTF8.self))
    switch name {
    case .hidden: return .hidden
    case .optedOut: return .optedOut
    case .mobile, nil: break
    }
    if !station.isAccessPoint || NetworkName.isDirect(station.name) { return .noAccessPoint }
    if name == .mobile { return .mobile }
    guard let heard = station.heard?.moment(at: now), now - heard <= longestAge else {
      return .stale
    }
    return nil
  }

  /// Chosen: the kernel forgets a silent station after as long, but not where another program or
  /// an old driver keeps it.
  package static let longestAge = Duration.seconds(30)
}
