import CoreLocation

extension Verb {
  private static let events = Option(
    name: "events", value: .text("FILE"),
    summary: "The lines that simulate --json printed; else standard input")

  static let explain = Verb(
    name: "explain", summary: "Tell why an event of a condition or a region came, and when",
    details: [
      """
      EVENT is a number, counted from 1 in the order in which the events were told, or an \
      identifier; without it, every event is explained. Uses nothing but the evidence that the \
      event carries: the fixes that decided, how likely the new state is, when the boundary was \
      crossed between two fixes, and the delay since then.
      """,
      """
      Of the delay, sensing is from the crossing to the first fix beyond it, policy from that fix \
      to the decision, and delivery from the decision until the app was told. With --json they are \
      sensing_delay, policy_delay, and delivery_delay, in seconds; an event that no fix decided, \
      such as a beacon's, has no evidence and no delays.
      """,
    ],
    operands: [
      Operand(name: "EVENT", summary: "which event: a number or an identifier", isOptional: true)
    ],
    options: [events, .json],
    examples: [
      "locationctl simulate track.gpx --conditions circles.geojson --json | locationctl explain",
      "locationctl explain home --events run.jsonl",
    ],
    run: { invocation in
      let (name, text) = try printedEvents(invocation)
      let chosen = invocation.operand(0)
      var count = 0
      var isFound = false
      for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
        .enumerated()
      where !line.isEmpty {
        let explanation: Explanation?
        switch EventLine.explanation(of: line) {
        case .success(let event): explanation = event
        case .failure(let fault):
          throw invocation.usage("\(name):\(index + 1): \(fault.cause)")
        }
        guard let explanation else { continue }
        count += 1
        guard chosen == nil || chosen == "\(count)" || chosen == explanation.identifier else {
          continue
        }
        isFound = true
        Output.standard.line(
          invocation.has(.json) ? explanation.json(number: count) : explanation.text(number: count))
      }
      guard !isFound else { return }
      let what = chosen.map { "\"\($0)\" is none of the \(count) events" } ?? "no event"
      throw Failure.refused("\(what) in \(name)", next: nil)
    })

  private static func printedEvents(
    _ invocation: Invocation
  ) throws(Failure) -> (name: String, text: String) {
    guard let file = invocation.text(events) else {
      let data = FileHandle.standardInput.readDataToEndOfFile()
      return ("standard input", String(decoding: data, as: UTF8.self))
    }
    let data = try SimulationFile.data(of: file, as: invocation)
    return (file, String(decoding: data, as: UTF8.self))
  }
}
