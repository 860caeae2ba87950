import CoreLocation
import LocationModel

/// The lifecycle state of an app, for the location service.
///
/// An app's own framework knows best whether a window is on the screen. The framework reports it
/// here; where nothing is reported, the system observes windows, terminals, and services. Apps do not
/// call this: it is for the framework that they are made with.
public enum AppLifecycle {
  /// One lifecycle state.
  public enum Phase: Sendable, Hashable, CaseIterable {
    /// The app is visible and in use.
    case foreground
    /// The app runs and is not visible.
    case background
    /// The app is about to be suspended; later deliveries wait until it enters another phase.
    ///
    /// A daemon also detects by itself that the system has stopped a process.
    case suspended
    /// The person ends the app; its process exits next. A process that exits without this report
    /// counts as ended by the system.
    case ended

    var life: AppLife {
      switch self {
      case .foreground: .foreground
      case .background: .background
      case .suspended: .suspended
      case .ended: .quit
      }
    }
  }

  /// Reports that the app enters a phase; returns at once.
  ///
  /// May be called from any thread, and before location is used for the first time. Calls of one
  /// thread take effect in order.
  ///
  /// - Parameter phase: The phase that begins now.
  public static func enter(_ phase: Phase) {
    LocationClient.enter(phase.life)
  }
}
