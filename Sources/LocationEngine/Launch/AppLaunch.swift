import LocationModel

/// What may launch one app while it does not run, and whether it may be launched.
struct AppLaunch: Sendable {
  /// The services that launch the app.
  var reasons = LaunchReasons()
  /// When the app may be launched, by the person's settings.
  var policy = LaunchPolicy()
}
