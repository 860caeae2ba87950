import LocationCoding

// A sink serves other figures than a worker, at a port of its own.
extension FleetStatus {
  /// The name of the sink that serves them, if one does.
  private var sink: String? { samples.first { $0.name == "sink_active" }?.labels["sink"] }

  var isOfSink: Bool { sink != nil }

  private func number(_ name: String) -> Int { value("sink_\(name)") }

  /// Counts of a family, by what its label says.
  private func counts(_ name: String, by label: String) -> [(what: String, count: Int)] {
    samples.filter { $0.name == "sink_\(name)" }.map {
      ($0.labels[label] ?? "", Int($0.value))
    }
  }

  var sinkJSON: [String] {
    var line = JSONLine(type: "sink")
    line.add("sink", sink)
    line.add("active", flag: number("active") == 1)
    for name in ["events_waiting", "lag_messages", "devices_failing", "paused_seconds"] {
      line.add(name, number(name))
    }
    for name in [
      "events_total", "passed_over_total", "missed_total", "takeovers_total", "faults_total",
    ] {
      line.add(String(name.dropLast("_total".count)), number(name))
    }
    return [line.text]
      + counts("deliveries_total", by: "result").map { Self.line("deliveries", "result", $0) }
      + counts("set_aside_total", by: "reason").map { Self.line("set_aside", "reason", $0) }
  }

  private static func line(
    _ type: String, _ label: String, _ count: (what: String, count: Int)
  ) -> String {
    var line = JSONLine(type: type)
    line.add(label, count.what)
    line.add("count", count.count)
    return line.text
  }

  func printSink(to output: Output) {
    let state =
      if number("active") == 0 {
        "waits for another process"
      } else if number("paused_seconds") > 0 {
        "waits \(number("paused_seconds")) s for the other side"
      } else { "hands on" }
    output.line(
      "sink \(sink ?? "") \(state): \(number("events_waiting")) events wait, "
        + "\(number("lag_messages")) are not read, \(number("devices_failing")) devices fail, "
        + "\(number("missed_total")) events were gone, \(number("faults_total")) faults")
    var table = TextTable(["WHAT", "COUNT"], numbers: [1])
    for (what, count) in counts("deliveries_total", by: "result") {
      table.add(["deliveries \(what)", "\(count)"])
    }
    for (what, count) in counts("set_aside_total", by: "reason") {
      table.add(["set aside: \(what)", "\(count)"])
    }
    output.table(table, whenEmpty: "nothing was handed on yet")
  }
}
