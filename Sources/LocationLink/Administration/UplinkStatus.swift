package import LocationCoding
package import LocationModel

/// How fixes go to the ingress of a fleet (UPLINK-11).
package struct UplinkStatus: Hashable, Sendable {
  /// The app that the daemon is for this.
  package var app: String
  package var server: String
  package var tenant: String?
  package var device: String
  /// `good`, `waiting` for the ingress, `refused` by it, `forbidden` by the owner, or `faulty`: its files
  /// cannot be used.
  package var state: String
  /// Why nothing is sent now; `nil` while everything is well.
  package var reason: String?
  /// What the owner can do about it, if anything.
  package var next: String?
  /// The fixes that wait.
  package var queued = 0
  /// When the oldest one that waits was taken.
  package var oldest: UnixTime?
  /// Fixes that the ingress has acknowledged since the daemon began, and that were dropped unsent.
  package var sent = 0
  package var dropped = 0
  /// When the ingress acknowledged something last.
  package var lastSent: UnixTime?

  package init(app: String, server: String, tenant: String?, device: String, state: String) {
    (self.app, self.server, self.tenant) = (app, server, tenant)
    (self.device, self.state) = (device, state)
  }
}

extension UplinkStatus: JSONStructure {
  package static let fields = JSONFields(
    UplinkStatus(app: "", server: "", tenant: nil, device: "", state: ""),
    .get("app", \.app), .get("server", \.server), .find("tenant", \.tenant),
    .get("device", \.device), .get("state", \.state), .find("reason", \.reason),
    .find("next", \.next), .get("queued", \.queued), .find("oldest", \.oldest),
    .get("sent", \.sent), .get("dropped", \.dropped), .find("lastSent", \.lastSent))
}
