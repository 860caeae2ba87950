import LocationModel
import LocationSimulation

// The beacons of a day in a test in Swift; nothing where there are none.
extension ConsoleExport {
  /// Their table, behind the one of the fences.
  var beaconTable: String {
    guard let first = day.beacons.first else { return "" }
    let rows = day.beacons.map { beacon in
      "    (\(Self.quoted(beacon.identifier)), \(beacon.place.latitude), \(beacon.place.longitude), "
        + "\(beacon.number)),"
    }
    let uuid = first.identity.uuid
    let bytes = [uuid.high, uuid.low].flatMap { number in
      (0..<8).map { "0x" + String(UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)), radix: 16) }
    }
    return """

        /// Identifier, latitude, longitude, and minor number of each beacon.
        let beacons: [(String, Double, Double, UInt16)] = [
      \(rows.joined(separator: "\n"))
        ]
        let deployment = UUID(
          uuid: (
            \(bytes.prefix(8).joined(separator: ", ")),
            \(bytes.suffix(8).joined(separator: ", "))
          ))
      """
  }

  /// The changes that a test compares in their order: those of fences. How often a beacon comes and goes
  /// is a matter of its signal.
  var ofFences: [ConsoleDay.Delivered] {
    let names = Set(day.beacons.map(\.identifier))
    return day.deliveries.filter { !names.contains($0.fence) }
  }

  /// The statements that compare what was seen.
  var comparison: String {
    guard !day.beacons.isEmpty else { return "#expect(seen == expected)" }
    let near = day.beacons.map(\.identifier).filter { name in
      day.deliveries.contains { $0.fence == name && $0.state == "satisfied" }
    }
    return """
      let names = beacons.map(\\.0)
      let ofFences = seen.filter { line in !names.contains { line.hasPrefix("\\($0) ") } }
      #expect(ofFences == expected)
      #expect(names.filter { seen.contains("\\($0) satisfied") } == [\(near.map(Self.quoted).joined(separator: ", "))])
      """.split(separator: "\n").joined(separator: "\n      ")
  }

  /// The statements that place and monitor them.
  var beaconStatements: String {
    guard !day.beacons.isEmpty else { return "" }
    return """

            for (name, latitude, longitude, minor) in beacons {
              device.place(
                SimulatedBeacon(uuid: deployment, major: 1, minor: minor),
                at: CLLocationCoordinate2D(latitude: latitude, longitude: longitude))
              await monitor.add(
                CLMonitor.BeaconIdentityCondition(uuid: deployment, major: 1, minor: minor),
                identifier: name)
            }
      """
  }
}
