package import LocationModel

/// Drives the sensors of this computer: its heading, how it moves, and the pressure of the air.
///
/// They come from the kernel where it has the necessary sensors. The compass of iio-sensor-proxy is
/// looked for only at the start, and only when the kernel lacks the two sensors of a compass.
/// Movement comes from the kernel alone, because the proxy reports only which edge is up.
package struct SensorDriver: SourceDriver {
  private var kernel: KernelSensors
  /// `nil` while the kernel's sensors suffice, or are being looked for.
  private var proxy: ProxyCompass?
  private var demand = Demand.none
  private var entries: [StateEntry] = []
  private var status = ProviderStatus.idle
  private var hasCompass = false

  /// - Parameter sensesMotion: whether the accelerometer may be read for anything but the compass.
  package init(sensesMotion: Bool = true) {
    kernel = KernelSensors(sensesMotion: sensesMotion)
  }

  package var rejections: [SourceRejection] {
    let counts = kernel.refusals.merging(proxy?.refusals ?? [:]) { $0 + $1 }
    return counts.map { SourceRejection(reason: $0.key, count: $0.value) }
      .sorted { $0.reason < $1.reason }
  }

  package var evidence: SourceEvidence {
    var evidence = SourceEvidence()
    let quantities = SensorEvidence.Quantity.allCases.filter(measures)
    guard !quantities.isEmpty else { return evidence }
    var sensors = SensorEvidence(quantities)
    if !hasCompass, case .unavailable(let reason) = proxy?.status { sensors.compassFault = reason }
    evidence.sensors = sensors
    return evidence
  }

  private func measures(_ quantity: SensorEvidence.Quantity) -> Bool {
    switch quantity {
    case .heading: hasCompass
    case .motion, .pressure: kernel.measures(quantity)
    }
  }

  package var nextDeadline: Instant? { earliest(kernel.nextDeadline, proxy?.nextDeadline) }

  package mutating func handle(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    var outputs: [SourceOutput] = []
    switch input {
    case .stored(let entries):
      self.entries = entries.filter { $0.key.domain == IIOCompass.domain }
      outputs = [.open(.sensors)]
    case .demand(let demand):
      let isSame =
        (demand.magnetometer, demand.motion) == (self.demand.magnetometer, self.demand.motion)
      guard !isSame || demand.pressure != self.demand.pressure else { return [] }
      self.demand = demand
      outputs = kernel.want(demand, at: now)
      outputs += proxy?.want(demand.magnetometer, at: now) ?? []
    case .kernel(let event):
      outputs = kernel.receive(event, stored: entries, at: now) + askProxy(at: now)
    case .channel(let event): outputs = proxy?.receive(event, at: now) ?? []
    case .scan: return []
    case .wake: outputs = kernel.wake(at: now) + (proxy?.wake(at: now) ?? [])
    }
    return settleStatus() + outputs + settleCompass()
  }

  /// Asks the proxy, once, after the kernel was found to have no compass.
  private mutating func askProxy(at now: Moment) -> [SourceOutput] {
    guard proxy == nil, kernel.lacksCompass else { return [] }
    var proxy = ProxyCompass()
    let outputs = proxy.want(demand.magnetometer, at: now) + proxy.ask(at: now)
    self.proxy = proxy
    return outputs
  }

  /// Reports the better status of the two.
  private mutating func settleStatus() -> [SourceOutput] {
    let all = [kernel.status, proxy?.status].compactMap { $0 }
    let new = all.max { $0.rank < $1.rank } ?? .searching
    guard new != status else { return [] }
    status = new
    return [.status(new)]
  }

  private mutating func settleCompass() -> [SourceOutput] {
    let new = kernel.measures(.heading) || proxy?.hasCompass ?? false
    guard new != hasCompass else { return [] }
    hasCompass = new
    return [.compass(new)]
  }
}

extension ProviderStatus {
  /// A higher rank is the better status.
  fileprivate var rank: Int {
    switch self {
    case .unavailable: 0
    case .idle: 1
    case .searching: 2
    case .working: 3
    }
  }
}
