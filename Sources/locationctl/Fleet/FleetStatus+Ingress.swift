import LocationCoding

// An ingress serves figures of its own, too.
extension FleetStatus {
  var isOfIngress: Bool { samples.contains { $0.name == "ingress_connections" } }

  private func number(_ name: String) -> Int { value("ingress_\(name)") }

  private static let totals = [
    "connections", "connections_total", "messages_kept_total", "messages_failed_total",
    "messages_waiting",
  ]

  /// Everything that is counted by labels: what is counted, the labels' values, and how often.
  private var counts: [(what: String, labels: [String: String], count: Int)] {
    samples.filter { $0.name.hasPrefix("ingress_") && !$0.labels.isEmpty }.map {
      let name = $0.name.dropFirst("ingress_".count)
      let what = name.hasSuffix("_total") ? name.dropLast("_total".count) : name
      return (String(what), $0.labels, Int($0.value))
    }
  }

  var ingressJSON: [String] {
    var line = JSONLine(type: "ingress")
    for name in Self.totals { line.add(name, number(name)) }
    return [line.text]
      + counts.map { what, labels, count in
        var line = JSONLine(type: what)
        for (label, value) in labels.sorted(by: { $0.key < $1.key }) { line.add(label, value) }
        line.add("count", count)
        return line.text
      }
  }

  func printIngress(to output: Output) {
    output.line(
      "ingress: \(number("connections")) connections of MQTT, "
        + "\(number("messages_kept_total")) messages kept, "
        + "\(number("messages_failed_total")) not, \(number("messages_waiting")) wait")
    var table = TextTable(["TENANT", "WHAT", "COUNT"], numbers: [2])
    for (what, labels, count) in counts {
      let more = labels.filter { $0.key != "tenant" }.sorted { $0.key < $1.key }.map(\.value)
      table.add([
        labels["tenant"] ?? "", ([what] + more).joined(separator: " "), "\(count)",
      ])
    }
    output.table(table, whenEmpty: "nothing has come yet")
  }
}
