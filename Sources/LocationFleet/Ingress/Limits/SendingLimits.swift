package import LocationModel

/// How much tenants and devices may send to an ingress, and what they have sent.
///
/// - Chosen (FLEET-73): of each device and of each tenant a moment is kept at which what has come is paid for
///   at its rate. A message goes on when that is at most a burst ahead; until then it waits, and its place is kept for
///   it, so that it never asks again. One that would wait too long is refused and costs nothing.
package struct SendingLimits: Sendable {
  /// What a tenant may send.
  package struct Share: Hashable, Sendable {
    package var tenant = SendingRate(10_000, burst: 20_000)
    package var device = SendingRate(100, burst: 2000)
    /// Connections of MQTT; `nil` for three quarters of all.
    package var connections: Int?

    package init() {}
  }

  /// Which limit it was.
  package enum Limit: String, Comparable, Sendable {
    case device, tenant, devices, connections, size

    package static func < (left: Limit, right: Limit) -> Bool { left.rawValue < right.rawValue }
  }

  package enum Verdict: Hashable, Sendable {
    case passes
    /// When it goes on; its place is kept.
    case later(Instant, Limit)
    /// In which time it may come again.
    case refused(Limit, after: Duration)
  }

  private struct Tenant {
    var paid = Instant.start
    var devices: [ExactName: Instant] = [:]
    /// How many devices there may be before those that have paid are forgotten.
    var sweep = 256
    var nextSweep = Instant.start
    var connections = 0
  }

  private let usual: Share
  private let shares: [ExactName: Share]
  private let connections: Int
  /// Of one tenant: the others have theirs, whatever names it makes up.
  private let mostDevices: Int
  private var tenants: [ExactName: Tenant] = [:]
  private var sweep = 256

  /// `connections` is how many there may be of all tenants together.
  package init(
    _ usual: Share, _ shares: [ExactName: Share] = [:], connections: Int,
    mostDevices: Int = 1_000_000
  ) {
    (self.usual, self.shares, self.connections) = (usual, shares, connections)
    self.mostDevices = mostDevices
  }

  /// Judges a message of so many fixes, which may wait for a time.
  package mutating func admit(
    _ fixes: Int, of name: FleetDeviceName, at now: Instant, waiting limit: Duration
  ) -> Verdict {
    let (tenant, device) = (ExactName(name.tenant), ExactName(name.device))
    let share = shares[tenant] ?? usual
    forget(at: now)
    // In place always: a message must not cost a copy of a table.
    if tenants[tenant] == nil { tenants[tenant] = Tenant() }
    let paid = tenants[tenant]?.devices[device] ?? .start
    let begins = (
      tenant: share.tenant.begin(paid: tenants[tenant]?.paid ?? .start),
      device: share.device.begin(paid: paid)
    )
    let which = begins.tenant > begins.device ? Limit.tenant : .device
    let begin = max(begins.tenant, begins.device)
    guard begin <= now + limit else {
      return .refused(which, after: .seconds(begin.seconds(since: now)))
    }
    let next = share.device.charge(fixes, to: paid, at: now)
    if next > now {
      guard remember(device, of: tenant, next, at: now) else {
        return .refused(.devices, after: .seconds(1))
      }
    }
    let all = share.tenant.charge(
      fixes, to: tenants[tenant]?.paid ?? .start, at: now)
    tenants[tenant]?.paid = all
    return begin <= now ? .passes : .later(begin, which)
  }

  /// Whether one more connection of a tenant may be.
  package mutating func connect(_ name: String) -> Bool {
    let tenant = ExactName(name)
    let most = (shares[tenant] ?? usual).connections ?? max(connections * 3 / 4, 1)
    guard tenants[tenant]?.connections ?? 0 < most else { return false }
    tenants[tenant, default: Tenant()].connections += 1
    return true
  }

  package mutating func disconnect(_ tenant: String) {
    tenants[ExactName(tenant)]?.connections -= 1
  }

  /// Devices of which something is remembered.
  package var devices: Int { tenants.values.reduce(0) { $0 + $1.devices.count } }

  private mutating func remember(
    _ device: ExactName, of tenant: ExactName, _ paid: Instant, at now: Instant
  ) -> Bool {
    let count = tenants[tenant]?.devices.count ?? 0
    let isDue =
      count >= mostDevices
      ? now >= tenants[tenant]?.nextSweep ?? .start
      : count >= tenants[tenant]?.sweep ?? 0
    if isDue { sweepDevices(of: tenant, at: now) }
    // Nothing of the table may be held here, or it would be copied.
    guard
      tenants[tenant]?.devices[device] != nil
        || tenants[tenant]?.devices.count ?? 0 < mostDevices
    else { return false }
    tenants[tenant]?.devices[device] = paid
    return true
  }

  /// Who has paid everything is like one who was never here.
  private mutating func sweepDevices(of tenant: ExactName, at now: Instant) {
    guard var swept = tenants[tenant] else { return }
    swept.devices = swept.devices.filter { $0.value > now }
    swept.sweep = max(2 * swept.devices.count, 256)
    swept.nextSweep = now + .seconds(1)
    tenants[tenant] = swept
  }

  private mutating func forget(at now: Instant) {
    guard tenants.count >= sweep else { return }
    tenants = tenants.filter { _, tenant in
      tenant.connections > 0 || tenant.paid > now || tenant.devices.contains { $0.value > now }
    }
    sweep = max(2 * tenants.count, 256)
  }
}
