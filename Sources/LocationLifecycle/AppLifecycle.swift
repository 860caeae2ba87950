import CoreLocation
import LocationModel

/// Where an app is in its life, for the location service.
///
/// On Linux nobody but the app's own framework knows whether a window is on the screen. The
/// framework says so here; an app that nobody speaks for counts as in the foreground, as programs
/// on a command line do. Apps do not call this: it belongs to the framework that they are made with.
public enum AppLifecycle {
  /// One part of a life.
  public enum Phase: Sendable, Hashable, CaseIterable {
    /// The person sees the app and uses it.
    case foreground
    /// The app runs, and the person does not see it.
    case background
    /// The app is about to be stopped for a while; what it may hear later waits until it enters
    /// another phase.
    ///
    /// A daemon also sees by itself that the system has stopped a process.
    case suspended
    /// The person ends the app; its process goes next. Without this word, a process that goes
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

  /// Says that the app enters a phase; returns at once.
  ///
  /// May be called from any thread, and before location is used for the first time. Words of one
  /// thread count in their order.
  ///
  /// - Parameter phase: The phase that begins now.
  public static func enter(_ phase: Phase) {
    LocationClient.enter(phase.life)
  }
}
