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
    let bytes = try SimulationFile.bytes(of: path, as: invocation)
    let list: AccessPointList
    do throws(AccessPointList.Fault) { list = try AccessPointList(bytes) } catch {
      throw invocation.usage("\(path) is no list of access points: \(text(of: error, bytes))")
    }
    for (reason, count) in list.refusals.all {
      Output.error.line("\(path): not used: \(count) × \(reason.rawValue)")
    }
    scenario.accessPoints += list.entries.map { VirtualAccessPoint($0.address, at: $0.place) }
    return .scenario(scenario)
  }

  private static func text(of fault: AccessPointList.Fault, _ bytes: [UInt8]) -> String {
    switch fault {
    case .noColumns where bytes.starts(with: [0x1f, 0x8b]): "it is compressed; gunzip it first"
    case .noColumns:
      "its first line names no columns such as bssid, latitude, and longitude"
    case .tooMany: "it has more than \(AccessPointList.most)"
    case .empty: "no row of it can be used"
    }
  }
}
