import LocationEngine
import LocationModel

/// Reads scenarios, a line at a time.
package struct ScenarioReader {
  var scenario = Scenario()
  var words: ArraySlice<Substring> = []
  var line = 0
  var clock = Duration.zero
  /// How far the device's clock was set ahead so far.
  private var ahead = Duration.zero
  private(set) var hasPlace = false
  /// Whether anything has happened, and whether the story has ended.
  private(set) var hasBegun = false
  private(set) var hasEnded = false

  /// Whether a text is meant as a scenario: its first line that is no comment begins as one does,
  /// perhaps with a capital.
  package static func isScenario(_ text: String) -> Bool {
    let first = lines(of: text).first {
      let content = $0.drop(while: \.isWhitespace)
      return !content.isEmpty && !content.hasPrefix("#")
    }
    let word = first?.split(whereSeparator: \.isWhitespace).first
    return word.map { Header(rawValue: $0.lowercased()) != nil || clockTime($0) != nil } ?? false
  }

  package static func read(_ text: String) throws(ScenarioFault) -> Scenario {
    var reader = ScenarioReader()
    for content in lines(of: text) {
      reader.line += 1
      try reader.read(content)
    }
    guard reader.hasPlace else {
      throw ScenarioFault(
        line: reader.line, problem: "the scenario says nowhere where it begins",
        expectation: "a line such as: place 52.52,13.40")
    }
    let way = reader.scenario.journey.duration
    reader.scenario.end = reader.hasEnded ? reader.clock : max(reader.clock, way)
    return reader.scenario
  }

  /// An editor may have put a byte order mark before the first.
  static func lines(of text: String) -> [Substring] {
    text.drop { $0 == "\u{FEFF}" }
      .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
  }

  mutating func read(_ content: Substring) throws(ScenarioFault) {
    let text = content.prefix { $0 != "#" }
    words = text.split(whereSeparator: \.isWhitespace)[...]
    guard let first = words.popFirst() else { return }
    guard scenario.name != nil || first == Header.scenario.rawValue else {
      throw fault("\"\(first)\" comes too early", "a first line such as: scenario A walk home")
    }
    guard !hasEnded else { throw fault("the story has ended", "nothing after the line with end") }
    if let header = Header(rawValue: String(first)) { return try read(header) }
    try readTime(first)
    guard hasPlace else { throw fault("\"\(first)\" comes too early", "a line with place before") }
    hasBegun = true
    let verb = words.popFirst() ?? ""
    guard let verb = Verb(rawValue: String(verb)) else {
      throw fault(
        verb.isEmpty ? "nothing happens" : "there is no \"\(verb)\"",
        "one of " + Verb.allCases.map(\.rawValue).joined(separator: ", "))
    }
    let written = text.split(whereSeparator: \.isWhitespace).dropFirst().joined(separator: " ")
    if let worldEvent = try read(verb) {
      scenario.events.append(Scenario.Event(at: clock, worldEvent: worldEvent, text: written))
    }
    try expectEnd()
    guard max(clock, scenario.journey.duration) <= Self.longest else {
      throw fault("the story takes too long", "no more than 3650d in all")
    }
  }

  // MARK: Lines

  private enum Header: String {
    case scenario, place, date, seed, receiver, condition, beacon, accesspoint, accesspoints
    case churn, survey, hotspot, cell, barometer
  }

  private mutating func read(_ header: Header) throws(ScenarioFault) {
    guard !hasBegun else {
      throw fault("\(header.rawValue) comes too late", "headings before anything happens")
    }
    switch header {
    case .scenario:
      guard scenario.name == nil else {
        throw fault("a second scenario begins", "one scenario in each file")
      }
      scenario.name = words.joined(separator: " ")
      words = []
    case .place:
      scenario.origin = try place()
      let altitude = words.isEmpty ? 0 : try number("an altitude in meters", Self.altitudes)
      scenario.journey = Journey(from: scenario.origin, altitude: altitude)
      hasPlace = true
    case .date: scenario.date = try date()
    case .seed:
      let seed = try word("a whole number")
      guard let number = UInt64(seed) else {
        throw fault("\"\(seed)\" will not do", "a whole number")
      }
      scenario.seed = number
    case .receiver:
      scenario.start = try choice("how the receiver starts", VirtualReceiver.Start.self)
      if let language = words.first.flatMap({ VirtualReceiver.Language(rawValue: String($0)) }) {
        scenario.language = language
        words.removeFirst()
      }
      if words.first == "every" {
        words.removeFirst()
        scenario.interval = try duration()
        guard scenario.interval >= VirtualReceiver.shortestInterval else {
          throw fault("the receiver speaks too often", "every 0.01s or more seldom")
        }
      }
    case .condition:
      let identifier = try identifier("the identifier of a condition")
      let circle = Circle(center: try place(), radius: try number("a radius in meters", 1...1e6))
      scenario.circles.append(Simulation.NamedCircle(identifier: identifier, circle: circle))
    case .beacon:
      let identifier = try identifier("the identifier of a beacon")
      guard scenario.beacons.count < Simulation.NamedBeacon.most else {
        throw fault("there are too many beacons", "\(Simulation.NamedBeacon.most) at most")
      }
      let number = UInt16(scenario.beacons.count + 1)
      scenario.beacons.append(
        Simulation.NamedBeacon(identifier: identifier, place: try place(), number: number))
    case .accesspoint: try readAccessPoint()
    case .accesspoints: try readAccessPointList()
    case .churn: try readChurn()
    case .survey: try readSurvey()
    case .hotspot: try readHotspot()
    case .cell: try readCell()
    case .barometer: try readBarometer()
    }
    try expectEnd()
  }

  /// A name that nothing else has that the app monitors.
  private mutating func identifier(_ what: String) throws(ScenarioFault) -> String {
    let identifier = try word(what)
    guard
      !scenario.circles.contains(where: { $0.identifier == identifier }),
      !scenario.beacons.contains(where: { $0.identifier == identifier })
    else {
      throw fault("there is a condition \"\(identifier)\" already", "another identifier")
    }
    return identifier
  }

  /// `08:00:00` since the beginning, `+10min` after the line before, or `then`: when the way so
  /// far is done.
  private mutating func readTime(_ word: Substring) throws(ScenarioFault) {
    let time: Duration?
    if word == "then" {
      time = max(clock, scenario.journey.duration)
    } else if word.hasPrefix("+") {
      time = Self.duration(word.dropFirst()).map { clock + $0 }
    } else {
      time = Self.clockTime(word)
    }
    guard let time else {
      throw fault("\"\(word)\" is no time", "HH:MM:SS, +10min, then, or a heading such as place")
    }
    guard time >= clock else { throw fault("the time goes back", "a time not before \(clock)") }
    clock = time
  }

  enum Verb: String, CaseIterable {
    case walk, cycle, drive, move, stay, climb, sky, receiver, clock, person, services, permission
    case precise, beacon, advertise, hotspot, app, end

    /// Whether it moves the device, or ends the story.
    var isPartOfWay: Bool {
      switch self {
      case .walk, .cycle, .drive, .move, .stay, .climb, .end: true
      default: false
      }
    }

    /// Meters per second. Chosen: brisk, easy, and in town.
    var speed: Double {
      switch self {
      case .walk: 1.4
      case .cycle: 5
      default: 13.9
      }
    }
  }

  mutating func read(_ verb: Verb) throws(ScenarioFault) -> WorldEvent? {
    switch verb {
    case .walk, .cycle, .drive: try travel(at: verb.speed)
    case .move: try moveTowards()
    case .stay:
      try wait()
      scenario.journey.stay(for: try duration())
    case .climb: try climb()
    case .sky: return .sky(words.first == "open" ? skip(nil) : try choice("a sky", Sky.self))
    case .receiver: return .fault(0, try receiverFault())
    case .clock:
      ahead += try duration()
      guard ahead <= Self.longest else {
        throw fault("the clock is too far ahead", "no more than 3650d in all")
      }
      return .date(scenario.date + clock + ahead)
    case .person:
      try expect("answers")
      return .habit(try replies())
    case .services: return .input(.setting(.services(on: try isOn())))
    case .permission:
      return .input(
        .setting(
          .authorization(Simulation.app, try choice("a permission", AuthorizationSetting.self))))
    case .precise: return .input(.setting(.precise(Simulation.app, try isOn())))
    case .beacon:
      let permission = try choice("a permission", BeaconPermission.self)
      return .input(.setting(.beacon(Simulation.app, permission)))
    case .advertise:
      return .input(.client(ClientID(1), .request(Simulation.advertising(try isOn()))))
    case .hotspot: return try readHotspotChange()
    case .app:
      let life = try choice("a life", of: [AppLife.foreground, .background, .suspended])
      return .input(.client(ClientID(1), .life(life)))
    case .end: hasEnded = true
    }
    return nil
  }

  // MARK: Movement

  /// Stands until the line's time.
  private mutating func wait() throws(ScenarioFault) {
    let way = scenario.journey.duration
    guard clock >= way else {
      throw fault("the way lasts until \(Self.clockTime(way))", "then, or a later time")
    }
    if clock > way { scenario.journey.stay(for: clock - way) }
  }

  private mutating func travel(at speed: Double) throws(ScenarioFault) {
    try wait()
    try expect("to")
    let place = try place()
    let (speed, sky) = try manner(speed)
    scenario.journey.move(to: place, speed: speed, sky: sky)
  }

  private mutating func climb() throws(ScenarioFault) {
    try wait()
    let meters = try number("meters up, or down if negative", -1000...1000)
    try expect("in")
    scenario.journey.climb(by: meters, in: try duration(), sky: try sky())
  }

  private mutating func moveTowards() throws(ScenarioFault) {
    try wait()
    let distance = try number("a distance in meters", 0...1e7)
    try expect("towards")
    let bearing = try number("a bearing in degrees", 0...360)
    let (speed, sky) = try manner(Verb.walk.speed)
    scenario.journey.move(distance, towards: bearing, speed: speed, sky: sky)
  }

  /// `at 5` and `under tunnel`, both optional.
  private mutating func manner(_ speed: Double) throws(ScenarioFault) -> (Double, Sky) {
    var speed = speed
    if words.first == "at" {
      words.removeFirst()
      speed = try number("a speed in meters per second", 0.01...1000)
    }
    return (speed, try sky())
  }

  /// `under tunnel`, optional.
  private mutating func sky() throws(ScenarioFault) -> Sky {
    guard words.first == "under" else { return .open }
    words.removeFirst()
    return try choice("a sky", Sky.self)
  }

  // MARK: Receiver and person

  private mutating func receiverFault() throws(ScenarioFault) -> VirtualReceiver.Fault? {
    switch try word("what the receiver does") {
    case "well": return nil
    case "silent": return .silent
    case "unplugged": return .unplugged
    case "lies":
      return .lies(
        claim: try number("the claimed accuracy in meters", 0.1...1000),
        off: try number("how many meters off", 0...1e6),
        towards: try number("a bearing in degrees", 0...360))
    case "ahead": return .clock(try duration())
    case let other:
      throw fault(
        "a receiver cannot be \"\(other)\"",
        "well, silent, unplugged, lies CLAIM OFF BEARING, or ahead DURATION")
    }
  }

  private mutating func replies() throws(ScenarioFault) -> [Person.Reply] {
    var answers: [PromptAnswer] = []
    while let word = words.first, let answer = PromptAnswer(rawValue: String(word)) {
      answers.append(answer)
      words.removeFirst()
    }
    guard !answers.isEmpty else {
      throw fault(
        "the person answers nothing",
        "some of " + PromptAnswer.allCases.map(\.rawValue).joined(separator: ", "))
    }
    var delay = Duration.seconds(1)
    if words.first == "after" {
      words.removeFirst()
      delay = try duration()
    }
    return answers.map { Person.Reply($0, after: delay) }
  }

  // MARK: Encoding

  func fault(_ problem: String, _ expectation: String) -> ScenarioFault {
    ScenarioFault(line: line, problem: problem, expectation: expectation)
  }

  private mutating func skip<Value>(_ value: Value?) -> Value? {
    words.removeFirst()
    return value
  }

  mutating func word(_ what: String) throws(ScenarioFault) -> String {
    guard let word = words.popFirst() else { throw fault("the line ends too early", what) }
    return String(word)
  }

  mutating func expect(_ expected: String) throws(ScenarioFault) {
    let word = try word("\"\(expected)\"")
    guard word == expected else { throw fault("\"\(word)\" cannot stand here", "\"\(expected)\"") }
  }

  func expectEnd() throws(ScenarioFault) {
    guard let extra = words.first else { return }
    throw fault("\"\(extra)\" is one word too many", "the line's end")
  }

  private mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ what: String, _ type: Choice.Type
  ) throws(ScenarioFault) -> Choice {
    try choice(what, of: Array(type.allCases))
  }

  private mutating func choice<Choice: RawRepresentable<String>>(
    _ what: String, of choices: [Choice]
  ) throws(ScenarioFault) -> Choice {
    let names = choices.map(\.rawValue).joined(separator: ", ")
    let word = try word("\(what): one of \(names)")
    guard let choice = choices.first(where: { $0.rawValue == word }) else {
      throw fault("there is no \"\(word)\"", "\(what): one of \(names)")
    }
    return choice
  }

  mutating func isOn() throws(ScenarioFault) -> Bool {
    let word = try word("on or off")
    guard word == "on" || word == "off" else { throw fault("\"\(word)\" is neither", "on or off") }
    return word == "on"
  }

  mutating func number(
    _ what: String, _ range: ClosedRange<Double>
  ) throws(ScenarioFault) -> Double {
    let word = try word(what)
    guard let number = Double(word), range.contains(number) else {
      throw fault(
        "\"\(word)\" will not do",
        "\(what), from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  mutating func place() throws(ScenarioFault) -> Coordinate {
    let word = try word("a place: LATITUDE,LONGITUDE")
    let parts = word.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let latitude = Double(parts[0]), let longitude = Double(parts[1]),
      case let place = Coordinate(latitude: latitude, longitude: longitude), place.isValid
    else { throw fault("\"\(word)\" is no place", "LATITUDE,LONGITUDE in degrees, without spaces") }
    return place
  }

  private mutating func date() throws(ScenarioFault) -> UnixTime {
    let word = try word("a date")
    guard let date = UnixTime(iso8601: word) else {
      throw fault("\"\(word)\" is no date", "a date such as 2026-01-31T08:00:00Z")
    }
    guard let year = Int(date.iso8601.prefix(4)), Self.years.contains(year) else {
      throw fault("no receiver sends \"\(word)\"", "a year from 1980 to 2199")
    }
    return date
  }

  mutating func duration() throws(ScenarioFault) -> Duration {
    let word = try word("a duration such as 90s, 10min, or 2h")
    guard let duration = Self.duration(word[...]) else {
      throw fault("\"\(word)\" is no duration", "90s, 10min, or 2h")
    }
    guard duration <= Self.longest else {
      throw fault("\"\(word)\" is too long", "no more than 3650d")
    }
    return duration
  }

  /// Meters: from the shore of the Dead Sea to the highest summit, rounded outwards.
  static let altitudes = -500.0...9000
  /// Chosen: no story needs ten years, and dates stay far from where nanoseconds end.
  private static let longest = Duration.seconds(3650 * 86_400)
  /// From the beginning of GPS to well before the end of nanoseconds in 2262.
  private static let years = 1980...2199

  private static func duration(_ word: Substring) -> Duration? {
    let number = word.prefix { $0.isNumber || $0 == "." }
    guard let value = Double(number), value < 1e7 else { return nil }
    switch word.dropFirst(number.count) {
    case "s": return .seconds(value)
    case "min": return .seconds(value * 60)
    case "h": return .seconds(value * 3600)
    case "d": return .seconds(value * 86_400)
    default: return nil
    }
  }

  /// `HH:MM:SS`, the next full second.
  static func clockTime(_ time: Duration) -> String {
    let seconds = Int(time.inSeconds.rounded(.up))
    return [seconds / 3600, seconds / 60 % 60, seconds % 60]
      .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }

  private static func clockTime(_ word: Substring) -> Duration? {
    let parts = word.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 3, let hours = parts[0], let minutes = parts[1], let seconds = parts[2],
      (0..<10_000).contains(hours), (0..<60).contains(minutes), (0..<60).contains(seconds)
    else { return nil }
    return .seconds(hours * 3600 + minutes * 60 + seconds)
  }
}
