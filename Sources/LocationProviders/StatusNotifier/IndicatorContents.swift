package import LocationModel

/// What the location indicator shows a person.
package struct IndicatorContents: Hashable, Sendable {
  /// One app that uses the location now, or asks to calibrate the compass.
  package struct App: Hashable, Sendable {
    package var app: AppIdentity
    /// The program as it was verified; `nil` if it was not.
    package var program: VerifiedProgram?
    /// Whether it uses the location now.
    package var isActive: Bool
    /// Whether it does so in the background (BGA-5).
    package var isInBackground: Bool
    /// Whether it asks the person to calibrate the compass (HEAD-9).
    package var calibrates: Bool

    package init(
      _ app: AppIdentity, _ program: VerifiedProgram? = nil, isActive: Bool = true,
      isInBackground: Bool = false, calibrates: Bool = false
    ) {
      self.app = app
      self.program = program
      self.isActive = isActive
      self.isInBackground = isInBackground
      self.calibrates = calibrates
    }

    /// The name of the app without its user, as one line.
    var name: String { app.base.escapedForDisplay() }

    /// Its name and its verified program: an app cannot appear as another one.
    var words: String {
      guard let program else { return "\(name): its program is not verified" }
      return app.path == nil ? "\(name): \(program.words)" : program.words
    }
  }

  package var apps: [App]

  package init(apps: [App] = []) {
    self.apps = apps
  }
}
