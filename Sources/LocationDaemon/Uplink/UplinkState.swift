import LocationFleet
import LocationHost
import LocationLink
import LocationModel

/// The way of this computer's fixes to a fleet; lives on the server's queue.
struct UplinkState {
  /// `nil` where the configuration names no ingress.
  var settings: UplinkSettings?
  /// The request that is sent, without its fixes; `nil` until its files are read.
  var request: WebRequest?
  /// Why nothing is sent, if its files cannot be used.
  var fault: String?
  var machine: Uplink?
  /// As an app of the engine.
  var client: ClientID?
  /// Goes on while the computer sleeps.
  var timer: UptimeTimer?

  /// What the owner sees; `nil` where the configuration names no ingress.
  var status: UplinkStatus? {
    guard let settings else { return nil }
    let tenant = settings.name.tenant.isEmpty ? nil : settings.name.tenant
    var status = UplinkStatus(
      app: settings.app.name, server: settings.server.origin ?? "", tenant: tenant,
      device: settings.name.device, state: "faulty")
    guard let machine else { return status }
    switch machine.standing {
    case _ where fault != nil:
      status.reason = fault
      status.next =
        "correct the file; it is read again within 5 minutes, or: systemctl restart locationd"
    case .good: status.state = "good"
    case .forbidden:
      status.state = "forbidden"
      status.reason = "\(settings.app) may not know the location, or location services are off"
      status.next = "locationctl authorize \(settings.app) always"
    case .waiting(let reason): (status.state, status.reason) = ("waiting", reason)
    case .refused(let reason, let next):
      (status.state, status.reason, status.next) = ("refused", reason, next)
    }
    (status.queued, status.oldest) = (machine.queued, machine.oldest)
    (status.sent, status.dropped) = (machine.figures.sent, machine.figures.dropped)
    status.lastSent = machine.figures.lastSent
    return status
  }

  /// What the fleet may know, by what the engine says of the app.
  func permission(in state: ClientState) -> Uplink.Permission {
    // A service is never in use, so when in use is never.
    guard state.servicesEnabled, state.authorization.status == .always else { return .none }
    return settings?.isPrecise == true && state.authorization.accuracy == .full ? .full : .reduced
  }
}
