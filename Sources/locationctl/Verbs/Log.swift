import LocationCoding
import LocationHost
import LocationLink
import LocationModel

extension Verb {
  private static let follow = Option(
    name: "follow", summary: "Continue with new lines as they come")
  private static let category = Option(
    name: "category", value: .choice(LogCategory.allCases.map(\.rawValue)), repeats: true,
    summary: "Only this category; all but fix unless given")
  private static let lines = Option(
    name: "lines", value: .wholeNumber("N", 0...1000),
    summary: "How many of the earlier lines; 100 unless given")
  private static let timeout = Option.timeout("With --follow: stop after so many seconds")

  static let log = Verb(
    name: "log", summary: "Show what the location daemon has done",
    details: [
      """
      The last thousand lines are kept by the daemon itself. Under systemd the journal has them \
      all, with the fields LOCATION_CATEGORY, LOCATION_APP, and LOCATION_PID: \
      journalctl -t locationd LOCATION_CATEGORY=client. No line contains a place; --places shows \
      the positions of the category fix, and with --follow the names of regions and \
      conditions, which are ‹private› otherwise.
      """
    ],
    options: [follow, category, lines, .places, timeout, .json],
    examples: [
      "locationctl log --follow", "locationctl log --category client --category authorization",
      "locationctl log --follow --category fix --places",
    ],
    run: { invocation in
      let names = invocation.texts(category)
      let query = AdministrationRequest.LogQuery(
        categories: names.isEmpty ? nil : names.compactMap { LogCategory(rawValue: $0) },
        last: invocation.wholeNumber(lines) ?? 100, follow: invocation.has(follow),
        places: invocation.has(.places))
      let isJSON = invocation.has(.json)
      try RunningDaemon.needed().follow(
        .log(query), "record", seconds: query.follow ? invocation.number(timeout) : nil
      ) { (record: LogRecord) in
        Output.standard.line(isJSON ? record.line : record.text(Output.standard))
        return true
      }
    })
}

extension LogRecord {
  fileprivate var line: String {
    var line = JSONLine(type: "log")
    line.add("date", date)
    line.add("category", category.rawValue)
    line.add("message", message)
    line.add("app", app)
    line.add("pid", pid.map { Int($0) })
    line.add("fault", flag: isFault)
    line.add("name", name)
    line.add(place)
    return line.text
  }

  fileprivate func text(_ output: Output) -> String {
    let name = category.rawValue
    let space = String(repeating: " ", count: max(0, 13 - name.count))
    let delivered = self.name.map { message.replacing("‹private›", with: $0) } ?? message
    let where_ = place.map { " at \($0.words)" } ?? ""
    let shown = delivered.escapedForDisplay(limit: .max)
    let words = isFault ? output.styled(shown, .bad) : shown
    return "\(output.styled(date.plain, .dim))  \(name)\(space)  \(words)\(where_)"
  }
}
