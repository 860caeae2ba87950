/// What a sink has done, for those who watch it.
package struct SinkFigures: Sendable {
  package var read = 0
  package var passedOver = 0
  package var missed = 0
  /// Deliveries by what has become of them.
  package private(set) var deliveries: [String: Int] = [:]
  /// Events by the reason for which they were set aside.
  package var setAside: [String: Int] = [:]
  package var takeovers = 0
  package var faults = 0
  package var isActive = false
  package var waiting = 0
  package var failing = 0
  package var lag = 0
  package var pausedFor = 0.0

  package init() {}

  mutating func count(_ outcome: DeliveryOutcome) {
    let word =
      switch outcome {
      case .confirmed: "confirmed"
      case .refused: "refused"
      case .failed: "failed"
      case .unreachable, .full: "unreachable"
      }
    deliveries[word, default: 0] += 1
  }

  /// In the text format of Prometheus; no device is named.
  package func prometheus(sink: String) -> String {
    var text = ""
    let name = "sink=\"\(sink)\""
    func family(_ word: String, _ kind: String, _ what: String, _ lines: [(String, String)]) {
      text += "# HELP meridian_fleet_sink_\(word) \(what)\n"
      text += "# TYPE meridian_fleet_sink_\(word) \(kind)\n"
      for (labels, value) in lines { text += "meridian_fleet_sink_\(word){\(labels)} \(value)\n" }
    }
    func counts(_ counts: [String: Int], _ label: String) -> [(String, String)] {
      counts.sorted { $0.key < $1.key }.map {
        ("\(name),\(label)=\"\(FleetFigures.quoted($0.key))\"", "\($0.value)")
      }
    }
    family("active", "gauge", "1 where this process hands on.", [(name, isActive ? "1" : "0")])
    family("events_total", "counter", "Events that were read.", [(name, "\(read)")])
    family(
      "passed_over_total", "counter", "Events of kinds or tenants that are not handed on.",
      [(name, "\(passedOver)")])
    family(
      "missed_total", "counter", "Events that were gone before they were handed on.",
      [(name, "\(missed)")])
    family(
      "deliveries_total", "counter", "Deliveries, and what has become of them.",
      counts(deliveries, "result"))
    family(
      "set_aside_total", "counter", "Events in the stream REFUSED, and why.",
      counts(setAside, "reason"))
    family("events_waiting", "gauge", "Events that are not confirmed.", [(name, "\(waiting)")])
    family(
      "devices_failing", "gauge", "Devices whose next event has failed.", [(name, "\(failing)")])
    family("lag_messages", "gauge", "Events that were not read yet.", [(name, "\(lag)")])
    family(
      "paused_seconds", "gauge", "Until the other side is tried again.", [(name, "\(pausedFor)")])
    family("takeovers_total", "counter", "How often it began to hand on.", [(name, "\(takeovers)")])
    family("faults_total", "counter", "Faults of the broker.", [(name, "\(faults)")])
    return text
  }
}
