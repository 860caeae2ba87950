import LocationModel

/// The receivers of one gpsd: which are connected, and what each has reported.
package struct GpsdReceivers: Sendable {
  private struct Receiver: Sendable {
    /// `nil` for a server that does not name its only source.
    let path: String?
    var context = GpsdContext()
    var epochs = GpsdEpochs()
    /// `nil` before its first solution or lack of one.
    var isSolving: Bool?
  }

  /// Receivers that gpsd lists, sorted by path; `nil` before its first list, which may be empty.
  private var devices: [GpsdDevice]?
  /// Receivers that have reported, in the order of their first report.
  private var receivers: [Receiver] = []

  /// Receivers beyond this number that a server names are ignored.
  package static let mostReceivers = 64

  var nextDeadline: Instant? {
    receivers.reduce(nil) { earliest($0, $1.epochs.nextDeadline) }
  }

  /// The last satellite counts of the first receiver that sent some.
  var satellites: SatelliteSummary? { receivers.lazy.compactMap(\.context.satellites).first }

  /// The satellites that the first receiver which names some has sent last.
  var sky: [Satellite] {
    receivers.first { !$0.context.sky.isEmpty }.map { GpsdSatellites.read($0.context.sky) } ?? []
  }

  mutating func wake(at now: Instant) -> [GpsdClient.Output] {
    receivers.indices.flatMap { index in
      receivers[index].epochs.wake(at: now).map { .fix($0, device: receivers[index].path) }
    }
  }

  /// Forgets all receivers; emits the fixes that wait, because they are still valid.
  mutating func removeAll() -> [GpsdClient.Output] {
    let waiting = receivers.indices.flatMap { flush(at: $0) }
    receivers = []
    defer { devices = nil }
    return waiting + (devices == nil ? [] : list([]))
  }

  /// Takes a report, which is this line.
  mutating func take(
    _ report: GpsdReport, _ line: [UInt8] = [], at now: Instant
  ) -> [GpsdClient.Output] {
    switch report.kind {
    case "DEVICES": return list(report.devices)
    case "DEVICE": return GpsdDevice(report).map { update($0) } ?? []
    case "TPV": return solve(report, at: now)
    case "GST", "SKY":
      if let index = index(of: report.device) { receivers[index].context.note(report, line) }
      return []
    case "ATT": return [.attitude(GpsdAttitude(report))]
    default: return []
    }
  }

  // MARK: Who is there

  private mutating func update(_ device: GpsdDevice) -> [GpsdClient.Output] {
    var all = devices ?? []
    if let index = all.firstIndex(where: { $0.path == device.path }) {
      all[index].isActive = device.isActive
      all[index].driver = device.driver ?? all[index].driver
    } else {
      all.append(device)
    }
    return list(all)
  }

  private mutating func list(_ list: [GpsdDevice]) -> [GpsdClient.Output] {
    let sorted = Array(list.sorted { $0.path < $1.path }.prefix(Self.mostReceivers))
    guard sorted != devices else { return [] }
    devices = sorted
    let gone = receivers.indices.filter { index in
      sorted.contains { $0.path == receivers[index].path && !$0.isActive }
    }
    let waiting = gone.flatMap { flush(at: $0) }
    for index in gone.reversed() { receivers.remove(at: index) }
    return waiting + [.devices(sorted)]
  }

  private mutating func flush(at index: Int) -> [GpsdClient.Output] {
    receivers[index].epochs.flush().map { .fix($0, device: receivers[index].path) }
  }

  private mutating func index(of path: String?) -> Int? {
    if let index = receivers.firstIndex(where: { $0.path == path }) { return index }
    guard receivers.count < Self.mostReceivers else { return nil }
    receivers.append(Receiver(path: path))
    return receivers.count - 1
  }

  // MARK: Solutions

  private mutating func solve(_ report: GpsdReport, at now: Instant) -> [GpsdClient.Output] {
    guard let index = index(of: report.device) else { return [] }
    let isSolving = report.mode >= 2
    let status = receivers[index].isSolving == isSolving ? [] : [isSolving]
    receivers[index].isSolving = isSolving
    let decisions = status.map { solving -> GpsdClient.Output in
      .status(solving ? .solving(device: report.device) : .noFix(device: report.device))
    }
    return isSolving ? decisions + takeSolution(report, of: index, at: now) : decisions
  }

  private mutating func takeSolution(
    _ report: GpsdReport, of index: Int, at now: Instant
  ) -> [GpsdClient.Output] {
    do {
      let fix = try Fix(report, receivers[index].context)
      let (fixes, rejection) = receivers[index].epochs.take(fix, at: now)
      return fixes.map { .fix($0, device: report.device) }
        + (rejection.map { [.rejected($0, device: report.device)] } ?? [])
    } catch {
      return [.rejected(error.rejection, device: report.device)]
    }
  }
}

extension GpsdAttitude {
  init(_ report: GpsdReport) {
    self.init(
      device: report.device, time: report.time,
      trueHeading: report.heading.map(normalizedDegrees),
      magneticHeading: report.magneticHeading.map(normalizedDegrees),
      pitch: report.pitch, roll: report.roll)
  }
}
