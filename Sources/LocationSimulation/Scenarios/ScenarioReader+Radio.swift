import LocationModel

// MARK: Radios and the barometer

extension ScenarioReader {
  /// The place of an access point and, optionally, the level at one meter and its altitude; its address
  /// is its number, in which hotspots do not count.
  mutating func readAccessPoint() throws(ScenarioFault) {
    let place = try place()
    let isLevel = words.first.map { $0 != "altitude" } ?? false
    let level = isLevel ? try level() : VirtualAccessPoint.usualLevel
    var altitude: Double?
    if !words.isEmpty {
      try expect("altitude")
      altitude = try number("an altitude in meters", Self.altitudes)
    }
    try add(at: place, altitude: altitude, level: level)
  }

  /// The level of an access point that travels with the device.
  mutating func readHotspot() throws(ScenarioFault) {
    try add(at: nil, altitude: nil, level: words.isEmpty ? VirtualAccessPoint.usualLevel : level())
  }

  private mutating func level() throws(ScenarioFault) -> Double {
    try number("a level in dBm", VirtualAccessPoint.levels)
  }

  private mutating func add(
    at place: Coordinate?, altitude: Double?, level: Double
  ) throws(ScenarioFault) {
    guard scenario.accessPoints.count < Self.mostAccessPoints else {
      throw fault("there are too many access points", "\(Self.mostAccessPoints) at most")
    }
    let number = scenario.accessPoints.count { ($0.place == nil) == (place == nil) }
    scenario.accessPoints.append(
      VirtualAccessPoint(
        .simulated(UInt64(number), travels: place == nil), at: place, altitude: altitude,
        level: level))
  }

  /// The name of a file, which may have spaces.
  mutating func readAccessPointList() throws(ScenarioFault) {
    guard scenario.accessPointList == nil else {
      throw fault("there is a list of access points already", "one list in each scenario")
    }
    guard !words.isEmpty else {
      throw fault("the line ends too early", "the file with the list of access points")
    }
    scenario.accessPointList = words.joined(separator: " ")
    words = []
  }

  /// The part of the access points that has changed after some time.
  mutating func readChurn() throws(ScenarioFault) {
    let word = try word("a share such as 10%")
    let percent = word.hasSuffix("%") ? Double(word.dropLast()) : nil
    guard let share = percent.map({ $0 / 100 }), AccessPointChurn.shares.contains(share) else {
      throw fault("\"\(word)\" will not do", "a share of the access points, from 0% to 99%")
    }
    try expect("in")
    let period = try duration()
    guard period >= AccessPointChurn.shortestPeriod else {
      throw fault("the access points change too fast", "a time of 1h or more")
    }
    scenario.churn = AccessPointChurn(share: share, in: period)
  }

  /// The floor and the places of a survey and, optionally, its altitude; else the floor's, counted from
  /// where the story begins.
  mutating func readSurvey() throws(ScenarioFault) {
    guard hasPlace else { throw fault("the survey comes too early", "a line with place before") }
    guard scenario.surveys.count < Self.mostSurveys else {
      throw fault("there are too many surveys", "\(Self.mostSurveys) at most")
    }
    let written = try number("a floor", Self.floors)
    guard let floor = Int(exactly: written) else {
      throw fault("\"\(written)\" will not do", "a floor, a whole number")
    }
    var places = [try place()]
    while let word = words.first, word != "altitude" { places.append(try place()) }
    var altitude = scenario.journey.truth(at: .zero).altitude + Double(floor) * Truth.story
    if !words.isEmpty {
      try expect("altitude")
      altitude = try number("an altitude in meters", Self.altitudes)
    }
    var way = Journey(from: places[0], altitude: altitude, floor: floor)
    for place in places.dropFirst() { way.move(to: place, speed: Self.paceOfSurvey) }
    scenario.surveys.append(way)
  }

  /// The place of a cell and, optionally, its level at one meter; its identity is its number.
  mutating func readCell() throws(ScenarioFault) {
    let number = scenario.cells.count
    guard number < Self.mostCells else {
      throw fault("there are too many cells", "\(Self.mostCells) at most")
    }
    let place = try place()
    let level =
      words.isEmpty ? VirtualCell.usualLevel : try self.number("a level in dBm", VirtualCell.levels)
    scenario.cells.append(VirtualCell(.simulated(number), at: place, level: level))
  }

  /// The pressure at sea level.
  mutating func readBarometer() throws(ScenarioFault) {
    scenario.pressureAtSea =
      words.isEmpty
      ? VirtualBarometer.standard
      : try number("a pressure at sea level in hPa", VirtualBarometer.pressuresAtSea)
  }

  /// Whether the device is where its hotspots are from now on.
  mutating func readHotspotChange() throws(ScenarioFault) -> WorldEvent {
    let isThere = try isOn()
    // A change beside a scenario does not know what that has.
    guard scenario.name == nil || scenario.accessPoints.contains(where: { $0.place == nil }) else {
      throw fault("there is no hotspot", "a line such as: hotspot, before anything happens")
    }
    return .hotspot(isThere)
  }

  /// Chosen: the map has room for 127 floors up and down.
  private static let floors = -20.0...120
  /// Chosen: some ways on each floor of a mall.
  private static let mostSurveys = 100
  /// Meters per second. Chosen: a slow walk.
  private static let paceOfSurvey = 1.0
  /// Chosen: a block of houses.
  private static let mostAccessPoints = 1000
  /// Chosen: more than a day reaches.
  private static let mostCells = 1000
}
