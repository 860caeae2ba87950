import LocationModel

/// What the part of a service that belongs to one app asks of the app's coordinator.
enum AppOutput: Sendable {
  /// A delivery for a process, as soon as it can receive it.
  case post(Delivery, to: ClientID)
  /// For the engine.
  case engine(LocationEngine.Output)
}
