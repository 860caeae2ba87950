import LocationModel

/// The deliveries of a client, and contradictions among them.
struct BoundedLog: Sendable {
  var status = AuthorizationStatus.notDetermined
  /// The conditions and the regions that the daemon says there are.
  var places: [String] = []
  var regions: [String] = []
  private(set) var faults: [String] = []
  private(set) var crossings = 0
  private(set) var visits = 0
  private var entered: Set<String> = []
  private var lastNumber = EventNumber.none
  /// On which side of each region the last event left the device.
  private var isInside: [String: Bool] = [:]
  /// When the stay of the last arrival began.
  private var stay: UnixTime?

  func hasEntered(_ place: String) -> Bool { entered.contains(place) }

  /// An event of a place that the device never leaves.
  mutating func take(_ event: ConditionEvent) {
    guard event.state == .satisfied else { return }
    if !entered.insert(event.identifier).inserted {
      faults.append("\(event.identifier) was entered twice")
    }
  }

  mutating func take(_ number: EventNumber, _ event: PendingEvent) {
    if number <= lastNumber { faults.append("\(event) was repeated") }
    lastNumber = number
    switch event {
    case .region(let region, let event):
      crossings += 1
      let now = if case .entered = event { true } else { false }
      // Of two in a row that say the same, the one between was lost.
      if isInside.updateValue(now, forKey: region.identifier) == now {
        faults.append("\(region.identifier) was \(now ? "entered" : "left") twice")
      }
    case .visit(let visit):
      visits += 1
      take(visit)
    }
  }

  private mutating func take(_ visit: Visit) {
    if visit.departure == nil {
      if stay != nil { faults.append("a departure was lost before \(visit)") }
      stay = visit.arrival
    } else {
      // The place of the first fix is left without an arrival, where the client came in time (VISIT-4).
      let isOfStart = visits == 1 && visit.arrival == nil
      if !isOfStart, visit.arrival == nil || visit.arrival != stay {
        faults.append("an arrival was lost before \(visit)")
      }
      stay = nil
    }
  }
}
