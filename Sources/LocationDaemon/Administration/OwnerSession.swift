import LocationHost
import LocationLink
import LocationModel

/// The owner's open requests: the connections that follow the log or the events, and the monitor
/// that has those events.
///
/// Events wait in the engine while no connection follows, and are acknowledged after they are sent.
struct OwnerSession {
  /// The owner's client in the engine; `nil` until something is monitored.
  var client: ClientID?
  /// Connections that follow events, in the order in which they came.
  var eventFollowers: [Int] = []
  /// Connections that follow the log.
  var logFollowers: [Int: AdministrationRequest.LogQuery] = [:]

  /// Connections that follow which apps use the location.
  var useFollowers: [Int] = []
  /// What was sent to them last.
  var lastUse: UseStatus?
  /// Connections that receive locations, by their subscriber.
  var locationFollowers: [SubscriberID: Int] = [:]
  /// The number of the newest subscriber; none is used twice.
  private var newest = Self.subscriber.rawValue
  /// Those who follow the status.
  var status = StatusFollowers()
  /// When they are woken next; `nil` while no timer runs for them.
  var statusArmed: Instant?
  /// Whether a step of the engine is noted for them already.
  var isStepNoted = false
  /// Which connection sets the place from outside.
  var simulation = SimulationControl()
  /// Why the configuration on disk is not in force; `nil` if it is.
  var refusedReload: RefusedReload?

  /// Returns a subscriber of the owner's client that is not in use.
  mutating func newSubscriber() -> SubscriberID {
    newest += 1
    return SubscriberID(newest)
  }

  static let subscriber = SubscriberID(1)
  /// The name of the owner's monitor.
  static let monitor = "owner"
}
