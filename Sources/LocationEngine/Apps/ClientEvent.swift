package import LocationModel

/// An event in the life of a client.
package enum ClientEvent: Sendable {
  case connected(ClientDescription)
  case request(Request)
  /// The lifecycle state that the system observes; the app's framework may know better (MODEL-2).
  case life(AppLife)
  /// The system has frozen or thawed the process; overrides the reported lifecycle state.
  case frozen(Bool)
  /// The process has ended, by itself or by the system.
  case disconnected
}
