package import LocationModel

/// An event of a simulation.
package enum SimulationEvent: Hashable, Sendable {
  case update(LiveUpdate)
  case standard(UpdatesDelivery)
  case significant(Fix)
  case condition(ConditionEvent)
  case region(RegionDescription, RegionEvent)
  case visit(Visit)
  case authorization(AuthorizationReport)
  case demand(Demand)
  case asked(Prompt)
  /// The state of the beacon that the app advertises.
  case advertising(BeaconAdvertising)
  case life(AppLife)
}

/// A hash of all events of a simulation, in their order (FNV-1a).
struct SimulationHash: Hashable, Sendable {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func mix(_ word: UInt64) {
    for shift in stride(from: UInt64(0), to: 64, by: 32) {
      value = (value ^ (word >> shift & 0xffff_ffff)) &* 0x100_0000_01b3
    }
  }

  mutating func mix(_ number: Double?) { mix(number?.bitPattern ?? 1) }
  mutating func mix(_ time: UnixTime?) { mix(UInt64(bitPattern: time?.nanoseconds ?? -1)) }

  mutating func mix(_ text: String) {
    for byte in text.utf8 { mix(UInt64(byte)) }
    mix(UInt64.max)
  }

  mutating func mix(_ fix: Fix?) {
    guard let fix else { return mix(0) }
    mix(fix.coordinate.latitude)
    mix(fix.coordinate.longitude)
    mix(fix.horizontalAccuracy)
    mix(fix.altitude)
    mix(fix.speed)
    mix(fix.course)
    mix(fix.time)
  }

  mutating func mix(_ event: SimulationEvent) {
    switch event {
    case .update(let update):
      mix(update.fix)
      mix(UInt64(update.diagnostics.rawValue) << 1 | (update.stationary ? 1 : 0))
    case .standard(.fixes(let fixes)): for fix in fixes { mix(fix) }
    case .standard(let other): mix("\(other)")
    case .significant(let fix): mix(fix)
    case .condition(let event):
      mix(event.identifier)
      mix(event.state.rawValue)
      mix(event.date)
    case .region(let region, let event):
      mix(region.identifier)
      mix(event.name)
    case .visit(let visit):
      mix(visit.coordinate.latitude)
      mix(visit.arrival)
      mix(visit.departure)
    case .authorization(let report): mix(report.status.rawValue)
    case .demand(let demand):
      mix(UInt64(demand.position.map { $0.tier.rawValue + 1 } ?? 0))
    case .asked(let prompt): mix("\(prompt.kind)")
    case .advertising(let state): mix(state.name)
    case .life(let life): mix(life.rawValue)
    }
  }
}

extension BeaconAdvertising {
  /// One word for each.
  package var name: String {
    switch self {
    case .stopped: "stopped"
    case .advertising: "advertising"
    case .waiting: "waiting"
    case .unavailable: "unavailable"
    case .refused: "refused"
    }
  }
}

extension RegionEvent {
  /// One word for each.
  package var name: String {
    switch self {
    case .started: "started"
    case .failed: "failed"
    case .determined(let state): "determined \(state.rawValue)"
    case .entered: "entered"
    case .exited: "exited"
    }
  }

  package var evidence: CrossingEvidence? {
    switch self {
    case .entered(let evidence), .exited(let evidence): evidence
    case .started, .failed, .determined: nil
    }
  }
}
