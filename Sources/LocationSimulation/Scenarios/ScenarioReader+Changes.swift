package import LocationModel

extension ScenarioReader {
  /// Reads what happens at a time, as a line of a scenario has it after its time: `permission never`.
  /// A movement and the end are part of a way, and are refused.
  ///
  /// - Parameters:
  ///   - text: the line without its time.
  ///   - at: the time since the beginning, of which the whole seconds count.
  ///   - date: the date of the beginning.
  /// - Returns: the event.
  /// - Throws: what is wrong with the line, as line 1.
  package static func event(
    _ text: String, at: Duration, beginning date: UnixTime
  ) throws(ScenarioFault) -> Scenario.Event {
    var reader = ScenarioReader()
    reader.scenario.date = date
    reader.clock = .seconds(Int(at.inSeconds))
    reader.line = 1
    guard !text.contains(where: { $0.isNewline || $0 == "#" }) else {
      throw reader.fault("\"\(text)\" has more than one line", "one line without #")
    }
    reader.words = text.split(whereSeparator: \.isWhitespace)[...]
    let verb = reader.words.first.flatMap { Verb(rawValue: String($0)) }
    guard let verb, !verb.isPartOfWay else {
      let names = Verb.allCases.filter { !$0.isPartOfWay }.map(\.rawValue)
      throw reader.fault(
        "\"\(reader.words.first ?? "")\" cannot happen at a time",
        "one of " + names.joined(separator: ", "))
    }
    let written = reader.words.joined(separator: " ")
    reader.words.removeFirst()
    guard let event = try reader.read(verb) else {
      throw reader.fault("\"\(written)\" changes nothing", "what happens")
    }
    try reader.expectEnd()
    return Scenario.Event(at: reader.clock, worldEvent: event, text: written)
  }

  /// A scenario's own lines with events between them, each at its time; the other lines keep theirs.
  ///
  /// - Parameters:
  ///   - events: in the order of their times.
  ///   - story: the scenario.
  /// - Returns: the scenario with them.
  /// - Throws: what is wrong with the scenario.
  package static func adding(
    _ events: [Scenario.Event], to story: String
  ) throws(ScenarioFault) -> String {
    var reader = ScenarioReader()
    var written: [String] = []
    var left = events[...]
    func line(_ event: Scenario.Event) -> String {
      "\(clockTime(event.at)) \(event.text)"
    }
    for content in lines(of: story) {
      let before = reader.clock
      reader.line += 1
      try reader.read(content)
      guard reader.hasBegun else {
        written.append(String(content))
        continue
      }
      var last = before
      while let event = left.first, event.at < reader.clock {
        left.removeFirst()
        last = event.at
        written.append(line(event))
      }
      written.append(last > before ? content.waiting(reader.clock - last) : String(content))
    }
    while written.last?.allSatisfy(\.isWhitespace) == true { written.removeLast() }
    if reader.hasEnded { return written.joined(separator: "\n") + "\n" }
    return (written + left.map(line)).joined(separator: "\n") + "\n"
  }
}

extension [Scenario.Event] {
  /// These in the order of their times; of those at one time, the earlier ones first.
  package var inOrder: [Scenario.Event] {
    enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map(\.element)
  }
}

extension Substring {
  /// A line of a scenario whose time counts from the line before, with another distance from it.
  fileprivate func waiting(_ wait: Duration) -> String {
    let indent = prefix { $0.isWhitespace }
    let rest = dropFirst(indent.count)
    guard rest.hasPrefix("+") else { return String(self) }
    return "\(indent)+\(wait.inSeconds)s\(rest.drop { !$0.isWhitespace })"
  }
}
