package import LocationEngine
package import LocationModel

/// A circle or polygon that many devices share.
package struct FleetFence: Hashable, Sendable {
  /// The devices that can have events of it.
  package enum Audience: Hashable, Sendable {
    case everyone
    case tenant(String)
    case group(tenant: String, String)
    case device(tenant: String, String)
  }

  /// Unique among all fences.
  package var id: String
  /// Grows with each change of the fence.
  package var revision: UInt64
  package var area: Area
  package var audience: Audience
  /// After so long inside a device has dwelled; `nil` for never.
  package var dwell: Duration?

  package init(
    id: String, revision: UInt64 = 1, _ area: Area, audience: Audience = .everyone,
    dwell: Duration? = nil
  ) {
    self.id = id
    self.revision = revision
    self.area = area
    self.audience = audience
    self.dwell = dwell
  }

  /// Why a fence is not taken.
  package enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
    case invalid
    case radius
    case name
    case dwell
    case doubled
    case tooMany
    case tooManyEdges
    case tooManyOfDevice

    package var description: String {
      switch self {
      case .invalid: "no circle on earth with a radius above 0"
      case .radius:
        "the radius is above \(Int(FleetFences.largestRadius)) m, half the way around the earth"
      case .name: "the id is empty or longer than \(FleetFences.longestName) bytes"
      case .dwell: "the dwell is not between 1 and 604800 seconds"
      case .doubled: "the id is that of an earlier fence"
      case .tooMany: "more than \(FleetFences.most) fences"
      case .tooManyEdges: "more than \(FleetFences.mostEdges) edges of all polygons"
      case .tooManyOfDevice: "more than \(FleetFences.mostOfDevice) fences of one device"
      }
    }
  }
}

/// The fences of a fleet, in one index that all devices share.
package struct FleetFences: Sendable {
  package typealias Slot = ConditionIndex.Slot

  private(set) var circles = WatchedCircles()
  private var edges = 0
  /// By slot.
  private var fences: [FleetFence] = []
  private var slots: [String: Slot] = [:]
  private var ownCounts: [FleetDeviceName: Int] = [:]

  package static let most = 2_000_000
  /// 32 bytes each.
  package static let mostEdges = 10_000_000
  package static let mostOfDevice = 100
  package static let longestName = 128
  /// Meters: nobody would ever leave a larger circle.
  package static let largestRadius = Geodesic.halfOfEquator

  package init() {}

  package var count: Int { fences.count }

  package mutating func insert(_ fence: FleetFence) throws(FleetFence.Fault) {
    guard fence.area.isValid else { throw .invalid }
    if case .circle(let circle) = fence.area, circle.radius > Self.largestRadius { throw .radius }
    guard (1...Self.longestName).contains(fence.id.utf8.count) else { throw .name }
    if let dwell = fence.dwell, !(.seconds(1) ... .seconds(604_800)).contains(dwell) {
      throw .dwell
    }
    guard slots[fence.id] == nil else { throw .doubled }
    guard count < Self.most else { throw .tooMany }
    if case .polygon(let polygon) = fence.area {
      guard edges + polygon.size <= Self.mostEdges else { throw .tooManyEdges }
      edges += polygon.size
    }
    if case .device(let tenant, let device) = fence.audience {
      let name = FleetDeviceName(tenant: tenant, device: device)
      guard ownCounts[name, default: 0] < Self.mostOfDevice else { throw .tooManyOfDevice }
      ownCounts[name, default: 0] += 1
    }
    slots[fence.id] = circles.insert(fence.area)
    fences.append(fence)
  }

  package subscript(slot: Slot) -> FleetFence { fences[Int(slot)] }

  func slot(of id: String) -> Slot? { slots[id] }

  /// Returns the ids of the fences that have another area than among those before, and the same revision.
  package func moved(since before: FleetFences) -> [String] {
    fences.filter { fence in
      guard let slot = before.slot(of: fence.id) else { return false }
      return before[slot].revision == fence.revision && before[slot].area != fence.area
    }.map(\.id)
  }

  /// How many fences are new, others than before, and gone.
  package struct Change: Hashable, Sendable {
    package var (new, changed, gone) = (0, 0, 0)
  }

  /// Returns what has changed since the fences before.
  package func change(since before: FleetFences) -> Change {
    var change = Change()
    forEachNew(since: before) { _, isChanged in
      if isChanged { change.changed += 1 } else { change.new += 1 }
    }
    change.gone = before.count - (count - change.new)
    return change
  }

  /// Calls `body` with each fence that was none before, or another one: whether it is a changed one.
  func forEachNew(since before: FleetFences, _ body: (FleetFence, _ isChanged: Bool) -> Void) {
    for fence in fences {
      let known = before.slot(of: fence.id)
      if known.map({ before[$0] != fence }) ?? true { body(fence, known != nil) }
    }
  }

  /// Whether a device can have events of a fence.
  func concerns(_ slot: Slot, _ device: FleetDeviceName, group: String?) -> Bool {
    switch fences[Int(slot)].audience {
    case .everyone: true
    case .tenant(let tenant): tenant.isExactly(device.tenant)
    case .group(let tenant, let name):
      tenant.isExactly(device.tenant) && group?.isExactly(name) == true
    case .device(let tenant, let name): FleetDeviceName(tenant: tenant, device: name) == device
    }
  }
}
