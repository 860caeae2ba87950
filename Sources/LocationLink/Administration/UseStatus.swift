package import LocationCoding

/// Which apps use the location now: the replies of `FollowUse`.
package struct UseStatus: Hashable, Sendable {
  /// One app that uses the location now, or asks to calibrate the compass.
  package struct App: Hashable, Sendable {
    package var app: String
    /// The path of its program, as it was verified; `nil` if it was not.
    package var program: String?
    package var user: UInt32?
    /// Whether it uses the location now.
    package var isActive: Bool
    /// Whether it does so in the background: the indicator of BGA-5.
    package var isInBackground: Bool
    /// Whether it asks the person to calibrate the compass.
    package var calibrates: Bool

    package init(app: String, isActive: Bool, isInBackground: Bool, calibrates: Bool) {
      self.app = app
      self.isActive = isActive
      self.isInBackground = isInBackground
      self.calibrates = calibrates
    }
  }

  package var apps: [App]
  package var servicesEnabled: Bool
  /// Whether a place is set from outside (SIM-15).
  package var isSimulated: Bool

  package init(apps: [App], servicesEnabled: Bool, isSimulated: Bool) {
    self.apps = apps
    self.servicesEnabled = servicesEnabled
    self.isSimulated = isSimulated
  }
}

extension UseStatus: JSONStructure {
  package static let fields = JSONFields(
    UseStatus(apps: [], servicesEnabled: true, isSimulated: false),
    .get("apps", \.apps), .get("servicesEnabled", \.servicesEnabled),
    .get("simulated", \.isSimulated))
}

extension UseStatus.App: JSONStructure {
  package static let fields = JSONFields(
    UseStatus.App(app: "", isActive: false, isInBackground: false, calibrates: false),
    .get("app", \.app), .find("program", \.program), .find("user", \.user),
    .get("active", \.isActive), .get("background", \.isInBackground),
    .get("calibration", \.calibrates))
}
