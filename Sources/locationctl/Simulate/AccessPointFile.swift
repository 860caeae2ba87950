import LocationModel
import LocationRadio
import LocationSimulation

/// The access points of a city in a file of comma-separated values, to be simulated.
enum AccessPointFile {
  /// Adds the access points of a file to a world.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - input: what is simulated.
  ///   - invocation: for the message of an error.
  /// - Returns: the input with them.
  /// - Throws: why there are none.
  static func add(
    _ path: String, to input: SimulationInput, as invocation: Invocation
  ) throws(Failure) -> SimulationInput {
    guard case .scenario(var scenario) = input else {
      throw invocation.usage(
        "a recording was made without these access points: take a scenario, or waypoints")
    }
    let bytes = try SimulationFile.bytes(of: path, upTo: most, as: invocation)
    guard bytes.count <= most else {
      throw invocation.usage("\(path) has more than \(most >> 20) MiB: \(remedy)")
    }
    let list: AccessPointList
    do throws(AccessPointList.Fault) { list = try AccessPointList(bytes) } catch {
      throw invocation.usage("\(path) is no list of access points: \(text(of: error, bytes))")
    }
    for line in lines(of: list.refusals) { Output.error.line("\(path): not used: \(line)") }
    scenario.accessPoints += list.entries.map { VirtualAccessPoint($0.address, at: $0.place) }
    return .scenario(scenario)
  }

  /// Has a part of a world's access points change until the end.
  ///
  /// - Parameters:
  ///   - share: the part of them that has changed at the end.
  ///   - input: what is simulated.
  ///   - invocation: for the message of an error.
  /// - Returns: the input with the changes.
  /// - Throws: that there are none that could change.
  static func add(
    churn share: Double, to input: SimulationInput, as invocation: Invocation
  ) throws(Failure) -> SimulationInput {
    guard case .scenario(var scenario) = input,
      scenario.accessPoints.contains(where: { $0.place != nil })
    else {
      throw invocation.usage(
        "there are no access points that could change: take a scenario that has some, or "
          + "--access-points")
    }
    scenario.churn = AccessPointChurn(share: share, in: scenario.end)
    return .scenario(scenario)
  }

  private static func text(of fault: AccessPointList.Fault, _ bytes: [UInt8]) -> String {
    switch fault {
    case .noColumns where bytes.starts(with: [0x1f, 0x8b]): "it is compressed; gunzip it first"
    case .noColumns:
      "its first line names no columns such as bssid, latitude, and longitude"
    case .tooMany: "it has more than \(AccessPointList.most): \(remedy)"
    case .empty(let refusals) where refusals.all.isEmpty: "it has no rows"
    case .empty(let refusals):
      "no row of it can be used: \(lines(of: refusals).joined(separator: ", "))"
    }
  }

  private static func lines(of refusals: ImportRefusals) -> [String] {
    refusals.all.map { "\($0.count) × \($0.reason.rawValue)" }
  }

  private static let remedy = "keep the rows around the way"
  /// Bytes. Chosen: twice what WiGLE writes of as many as a list may have.
  private static let most = 64 << 20
}
