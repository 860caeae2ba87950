import CoreLocation

/// What the app declares in its information property list, as far as requests need it.
struct Declarations: Hashable, Sendable {
  /// Whether there is a usage text for location at any time.
  var hasAlwaysText = false
  /// Whether the background modes contain `location` (INTU-8).
  var hasLocationBackgroundMode = false

  enum Goal: Hashable, Sendable { case always, whenInUse }

  /// Returns the authorization to request (INTU-6).
  ///
  /// Core Location reports a missing text, and which one; the original library asserted.
  func goal(for type: INTUAuthorizationType) -> Goal {
    switch type {
    case .always: .always
    case .whenInUse: .whenInUse
    case .auto: hasAlwaysText ? .always : .whenInUse
    }
  }
}

extension Declarations {
  /// What this process declares, as Core Location has read it (INTU-6).
  static var ofProcess: Declarations {
    let client = LocationClient.current
    return Declarations(
      hasAlwaysText: client.declaresAlways,
      hasLocationBackgroundMode: client.declaresBackgroundMode)
  }
}
