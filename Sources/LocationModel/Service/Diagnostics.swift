/// The conditions a modern service reports beside, or instead of, its values.
package struct Diagnostics: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  package static let authorizationDenied = Diagnostics(rawValue: 1 << 0)
  package static let authorizationDeniedGlobally = Diagnostics(rawValue: 1 << 1)
  package static let authorizationRestricted = Diagnostics(rawValue: 1 << 2)
  package static let authorizationRequestInProgress = Diagnostics(rawValue: 1 << 3)
  package static let insufficientlyInUse = Diagnostics(rawValue: 1 << 4)
  package static let serviceSessionRequired = Diagnostics(rawValue: 1 << 5)
  package static let fullAccuracyDenied = Diagnostics(rawValue: 1 << 6)
  package static let alwaysAuthorizationDenied = Diagnostics(rawValue: 1 << 7)
  package static let accuracyLimited = Diagnostics(rawValue: 1 << 8)
  package static let locationUnavailable = Diagnostics(rawValue: 1 << 9)

  /// Apple's property of each flag, in the order of the bits.
  package static let names = [
    "authorizationDenied", "authorizationDeniedGlobally", "authorizationRestricted",
    "authorizationRequestInProgress", "insufficientlyInUse", "serviceSessionRequired",
    "fullAccuracyDenied", "alwaysAuthorizationDenied", "accuracyLimited", "locationUnavailable",
  ]
}

extension Diagnostics: CustomStringConvertible {
  /// The names of the flags that are set, or `none`.
  package var description: String {
    let set = Self.names.indices.filter { contains(Diagnostics(rawValue: 1 << $0)) }
    return set.isEmpty ? "none" : set.map { Self.names[$0] }.joined(separator: " ")
  }
}
