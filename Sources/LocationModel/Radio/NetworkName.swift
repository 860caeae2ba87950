/// The name of a Wi-Fi network, as far as it decides whether its access point may be used to find
/// places.
///
/// Owners opt out by a name that contains `_nomap` or `_optout`; an access point without a
/// name is hidden; phones and vehicles move.
package enum NetworkName {
  /// Why an access point is not used.
  package enum Refusal: String, Hashable, CaseIterable, Sendable {
    case optedOut
    case hidden
    /// The name is one of a phone, a vehicle, or another device that moves.
    case mobile
  }

  /// Returns why the access point of a network is not used; `nil` if it may be.
  package static func refusal(of name: String) -> Refusal? {
    guard name.utf8.contains(where: { $0 != 0 }) else { return .hidden }
    let folded = name.lowercased()
    if folded.holds("_nomap") || folded.holds("_optout") { return .optedOut }
    let isMobile = folded.hasPrefix(direct) || mobile.contains { folded.holds($0) }
    return isMobile ? .mobile : nil
  }

  /// Whether the name is that of a network of Wi-Fi Direct, which a printer or a phone makes.
  package static func isDirect(_ name: [UInt8]) -> Bool {
    String(decoding: name.prefix(direct.utf8.count), as: UTF8.self).lowercased() == direct
  }

  private static let direct = "direct-"

  /// Words in the names of devices that move, from the public rules of beaconDB.
  private static let mobile = [
    "iphone", "ipad", "androidap", "android-", "android auto", "androidauto", "samsung", "galaxy",
    "moto g", "motorola", "oneplus", "oppo", "pixel", "poco", "realme", "redmi", "vivo", "audi",
    "bmw", "carplay", "hyundai", "kia", "porsche", "mazda", "mb wlan", "skoda", "renault", "my vw",
    "dashcam", "blackvue",
  ]
}
