import LocationCoding
import LocationModel
import LocationSimulation

extension ConsoleDay {
  /// Checks that no beacon has the name of a fence: the app monitors both.
  func checkNames(
    _ fences: [Simulation.NamedCircle], _ beacons: [Simulation.NamedBeacon]
  ) throws(Failure) {
    let names = Set(fences.map(\.identifier))
    guard let twice = beacons.first(where: { names.contains($0.identifier) }) else { return }
    throw .usage(
      "\"\(twice.identifier.escapedForDisplay())\" is the name of a fence and of a beacon",
      next: "choose another name")
  }

  /// Reads what a page has placed; each gets its place in the list as its number.
  static func beacons(_ body: [UInt8]) throws(Failure) -> [Simulation.NamedBeacon] {
    do throws(CodingFault) {
      guard case .array(let list) = try JSON(parsing: body) else { throw .mismatch("beacons") }
      let most = Simulation.NamedBeacon.most
      guard list.count <= most else { throw .tooLong(limit: most) }
      var beacons: [Simulation.NamedBeacon] = []
      for json in list {
        let place = try Coordinate(json: json)
        guard place.isValid else { throw .mismatch("latitude") }
        let identifier: String = try json.get("identifier")
        guard !beacons.contains(where: { $0.identifier == identifier }) else {
          throw .mismatch("identifier")
        }
        beacons.append(
          Simulation.NamedBeacon(
            identifier: identifier, place: place, number: UInt16(beacons.count + 1)))
      }
      return beacons
    } catch {
      throw .usage("the beacons cannot be read: \(error)", next: "place them again")
    }
  }
}

extension Simulation.NamedBeacon {
  var json: JSON {
    .fields([
      "identifier": identifier.json, "latitude": place.latitude.json,
      "longitude": place.longitude.json, "number": Int(number).json,
    ])
  }
}
