import LocationHost
import LocationLink
import LocationModel

/// What the owner of a daemon has going on: the connections that follow the log or the events, and
/// the monitor whose events those are.
///
/// Events wait in the engine while nobody follows, and are handled once they were sent.
struct OwnerSession {
  /// As the engine knows the owner; `nil` before there is anything to monitor.
  var client: ClientID?
  /// Connections that follow events, in the order in which they came.
  var eventFollowers: [Int] = []
  /// Connections that follow the log.
  var logFollowers: [Int: AdministrationRequest.LogQuery] = [:]

  static let subscriber = SubscriberID(1)
  /// The name of the owner's monitor.
  static let monitor = "owner"
}
