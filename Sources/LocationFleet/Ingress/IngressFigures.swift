/// What an ingress has done, for those who watch it.
package struct IngressFigures: Sendable {
  /// Fixes that were sent on, and what gave none by its reason, by tenant.
  package var judged = FleetFigures.Judged()
  /// Messages of the streams that were acknowledged, and that were not.
  package var kept = 0
  package var failed = 0
  /// Messages whose acknowledgement is awaited.
  package var waiting = 0
  package var connections = 0
  /// Connections of MQTT that were taken.
  package var arrivals = 0
  private var ends: [MQTTEnd: Int] = [:]
  /// Answers of HTTP, by status.
  private var answers: [Int: Int] = [:]

  package init() {}

  package mutating func ended(_ end: MQTTEnd) { ends[end, default: 0] += 1 }
  package mutating func answered(_ status: Int) { answers[status, default: 0] += 1 }

  /// In the text format of Prometheus; no device is named.
  package var prometheus: String {
    var text = ""
    func family(_ name: String, _ kind: String, _ what: String, _ lines: [(String, Int)]) {
      text += "# HELP meridian_fleet_ingress_\(name) \(what)\n"
      text += "# TYPE meridian_fleet_ingress_\(name) \(kind)\n"
      for (labels, value) in lines { text += "meridian_fleet_ingress_\(name)\(labels) \(value)\n" }
    }
    let fixes = judged.fixes.sorted { $0.key < $1.key }.flatMap { tenant, counts in
      counts.sorted { $0.key < $1.key }.map {
        ("{tenant=\"\(FleetFigures.quoted(tenant))\",result=\"\($0.key)\"}", $0.value)
      }
    }
    family("fixes_total", "counter", "Fixes sent on, or why not.", fixes)
    family("messages_kept_total", "counter", "Messages that the streams keep.", [("", kept)])
    family("messages_failed_total", "counter", "Messages without acknowledgement.", [("", failed)])
    family("messages_waiting", "gauge", "Messages that wait for it.", [("", waiting)])
    family("connections", "gauge", "Connections of MQTT.", [("", connections)])
    family("connections_total", "counter", "Connections of MQTT taken.", [("", arrivals)])
    family(
      "closed_total", "counter", "Connections of MQTT that ended, and why.",
      ends.sorted { $0.key < $1.key }.map { ("{reason=\"\($0.key.rawValue)\"}", $0.value) })
    family(
      "http_total", "counter", "Answers of HTTP by status.",
      answers.sorted { $0.key < $1.key }.map { ("{status=\"\($0.key)\"}", $0.value) })
    return text
  }
}
