internal import LocationModel

/// The readings of a scan that concern one kind of transmitters, each box once.
struct Readings: Sendable {
  private struct Reading: Sendable {
    var station: RadioStationID
    var strength: Double
    var age: Double
  }

  private var readings: [Reading] = []
  /// Names of boxes that were heard with locally administered addresses only.
  private(set) var local: Set<RadioStationID> = []
  /// Names of neighbors, whose channels other cells of the network have, too.
  private var neighbors: Set<RadioStationID> = []
  /// Names of the serving cell and its station, which say what neighborhood that is.
  private var anchors: [RadioStationID] = []
  /// Names of the areas in which the cells lie, that of the serving one first. They are taught, so that it is known
  /// where an area is; no place is found by them.
  private(set) var areas: [RadioStationID] = []

  init(_ scan: RadioScan, _ kind: RadioMap.Kind, _ names: inout RadioStationNames) {
    var loudest: [RadioStationID: Reading] = [:]
    var global: Set<RadioStationID> = []
    let serving = kind == .cells ? Self.serving(in: scan) : nil
    if let serving {
      anchors = [names.name(of: serving), names.name(ofStationWith: serving)].compactMap(\.self)
    }
    if kind == .cells { areas = Self.areas(of: scan, &names) }
    func note(_ station: RadioStationID, _ strength: Double, _ age: Double) {
      if let known = loudest[station], known.strength >= strength { return }
      loudest[station] = Reading(station: station, strength: strength, age: age)
    }
    for reading in scan.readings {
      switch (kind, reading.transmitter) {
      case (.accessPoints, .accessPoint(let address)):
        let name = names.name(of: address)
        if address.isLocallyAdministered { local.insert(name) } else { global.insert(name) }
        note(name, Self.strength(reading.level), reading.age)
      case (.cells, .cell(let cell)):
        guard let name = names.name(of: cell) else { continue }
        note(name, reading.isServing ? 1 : 0.5, reading.age)
        // Another cell of the same station is near, too.
        if let station = names.name(ofStationWith: cell) {
          note(station, Self.stationShare, reading.age)
        }
      case (.cells, .neighbor(let channel)):
        guard let serving else { continue }
        let name = names.name(of: channel, beside: serving)
        neighbors.insert(name)
        note(name, Self.neighborShare * Self.strength(reading.level), reading.age)
      case (.beacons, .beacon(let beacon)):
        note(names.name(of: beacon), Self.strength(reading.level), reading.age)
      case (.accessPoints, _), (.beacons, _), (.cells, _): continue
      }
    }
    local.subtract(global)
    var all = Array(loudest.values)
    if all.count > Self.most {
      all.sort { ($1.strength, $0.station) < ($0.strength, $1.station) }
      all.removeLast(all.count - Self.most)
    }
    readings = all.sorted { $0.station < $1.station }
  }

  var isEmpty: Bool { readings.isEmpty }

  var levels: [RadioLayer.Level] {
    readings.map { RadioLayer.Level(station: $0.station, strength: $0.strength) }
  }

  /// Returns what may be looked for in a layer: neighbors only where it knows the serving cell or its
  /// station, because their channels alone are found in many places.
  func levels(in layer: RadioLayer) -> [RadioLayer.Level] {
    guard !neighbors.isEmpty, !anchors.contains(where: { !layer.postings(of: $0).isEmpty }) else {
      return levels
    }
    return levels.filter { !neighbors.contains($0.station) }
  }

  /// The first serving cell whose identity no other has; `nil` where none is received.
  private static func serving(in scan: RadioScan) -> CellIdentity? {
    for reading in scan.readings where reading.isServing {
      if case .cell(let cell) = reading.transmitter, RadioStationNames.isDistinct(cell) {
        return cell
      }
    }
    return nil
  }

  /// Returns what is taught: the readings that are at most so many seconds older than the others, and the areas in
  /// which they lie.
  func lesson(fresherThan age: Double = .infinity) -> [RadioLayer.Level] {
    let fresh = readings.filter { $0.age - self.age <= age }.map {
      RadioLayer.Level(station: $0.station, strength: $0.strength)
    }
    guard !fresh.isEmpty else { return [] }
    return fresh + areas.map { RadioLayer.Level(station: $0, strength: Self.areaShare) }
  }

  /// The names of the areas of a scan's cells, each once, that of the serving cell first.
  private static func areas(
    of scan: RadioScan, _ names: inout RadioStationNames
  ) -> [RadioStationID] {
    var areas: [RadioStationID] = []
    for cell in scan.cells.prefix(most) {
      guard let area = names.name(ofAreaWith: cell), !areas.contains(area) else { continue }
      areas.append(area)
      if areas.count == mostAreas { break }
    }
    return areas
  }

  /// Seconds: the mean age.
  var age: Double {
    readings.isEmpty ? 0 : readings.reduce(0) { $0 + $1.age } / Double(readings.count)
  }

  /// How strongly a level counts: 0 at -100 dBm, 1 from -30 dBm on. The power was chosen on the
  /// shared walks, where it tells places apart best.
  static func strength(_ level: Double?) -> Double {
    power(min(max((level ?? -85) + 100, 1), 70) / 70, 1.5)
  }

  /// Boxes of a scan. Chosen: the busiest recorded place has 80; more are somebody's invention.
  static let most = 128
  private static let stationShare = 0.3
  /// So little that places are as alike as without it: it changes a radius by some 2 %, that of the faintest scan by 6 %.
  private static let areaShare = 0.05
  /// Chosen: the borders of several areas seldom meet.
  private static let mostAreas = 4
  private static let neighborShare = 0.8
}
