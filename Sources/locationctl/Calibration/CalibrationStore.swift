import LocationCoding
import LocationEngine
import LocationHost
import LocationLink
import LocationModel

/// Where what is known of the adapters is stored: with the daemon, or in this person's own state.
enum CalibrationStore {
  case daemon(RunningDaemon)
  case state(SavedState)

  static func find() throws(Failure) -> CalibrationStore {
    if let daemon = try RunningDaemon.find() { return .daemon(daemon) }
    return .state(try SavedState())
  }

  /// Passes the stored calibrations to the engine of this process; where they cannot be read,
  /// every beacon counts as near until this process has learned.
  static func passKnown(to person: Person) {
    guard let known = try? find().adapters() else { return }
    for adapter in known {
      guard let offset = adapter.offset else { continue }
      person.host.pass(.setting(.beaconOffset(adapter.address, offset)))
    }
  }

  func adapters() throws(Failure) -> [AdapterStatus] {
    switch self {
    case .daemon(let daemon): try daemon.ask(.adapters, "adapters")
    case .state(let state):
      AdapterLevels(restoring: state.entries).all.map { AdapterStatus($0.adapter, $0.level) }
    }
  }

  func store(_ offset: Int, of adapter: BluetoothAddress) throws(Failure) {
    switch self {
    case .daemon(let daemon): try daemon.perform(.calibrate(adapter: adapter, offset: offset))
    case .state(let state):
      var levels = AdapterLevels(restoring: state.entries)
      let changes: [StateChange]
      do throws(AdapterLevels.Refusal) {
        changes = try levels.calibrate(adapter, offset, at: HostClock.now.unixTime)
      } catch {
        throw .refused("\(error)", next: "locationctl beacons calibrate --list")
      }
      try state.commit(changes)
    }
  }

  func list(_ invocation: Invocation) throws(Failure) {
    let adapters = try adapters()
    guard !invocation.has(.json) else {
      for adapter in adapters { Output.standard.line(adapter.line) }
      return
    }
    var table = TextTable(
      ["ADAPTER", "OFFSET", "USUAL", "SPREAD", "PLACES"], numbers: [1, 2, 3, 4])
    for adapter in adapters {
      table.add([
        "\(adapter.address)", adapter.offset.map { "\($0) dB" } ?? "not calibrated",
        "\(Int(adapter.level.rounded())) dB", "\(Int(adapter.spread.rounded())) dB",
        "\(Int(adapter.places.rounded()))",
      ])
    }
    Output.standard.table(table, whenEmpty: "Nothing is known of any adapter.")
  }

  /// Forgets one adapter, or all.
  func clear(_ adapter: BluetoothAddress?, _ invocation: Invocation) throws(Failure) {
    let known = try adapters().map(\.address).filter { adapter == nil || $0 == adapter }
    if let adapter, known.isEmpty {
      throw .refused(
        "nothing is known of an adapter \(adapter)", next: "locationctl beacons calibrate --list")
    }
    switch self {
    case .daemon(let daemon):
      for address in known { try daemon.perform(.calibrate(adapter: address, offset: nil)) }
    case .state(let state):
      var levels = AdapterLevels(restoring: state.entries)
      try state.commit(known.flatMap { levels.forget($0) })
    }
    guard invocation.has(.json) else {
      return Output.standard.line(
        "forgot \(known.count) \(known.count == 1 ? "adapter" : "adapters")")
    }
    var line = JSONLine(type: "cleared")
    line.add("adapters", known.count)
    Output.standard.line(line.text)
  }
}

extension AdapterStatus {
  fileprivate var line: String {
    var line = JSONLine(type: "adapter")
    line.add("adapter", "\(address)")
    line.add("offset", offset)
    line.add("usual", level)
    line.add("spread", spread)
    line.add("places", Int(places.rounded()))
    return line.text
  }
}
