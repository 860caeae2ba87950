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
  /// Messages and connections beyond a limit, by tenant and limit: refused, or made to wait.
  private var refused = FleetFigures.Judged()
  private var slowed = FleetFigures.Judged()
  private var ends: [MQTTEnd: Int] = [:]
  /// Answers of HTTP, by status.
  private var answers: [Int: Int] = [:]

  package init() {}

  package mutating func ended(_ end: MQTTEnd) { ends[end, default: 0] += 1 }

  /// Counts something beyond a limit, which was refused or had to wait.
  package mutating func limited(
    _ tenant: String, _ limit: SendingLimits.Limit, isRefused: Bool = true
  ) {
    if isRefused {
      refused.count(tenant, limit.rawValue)
    } else {
      slowed.count(tenant, limit.rawValue)
    }
  }

  package mutating func answered(_ status: Int) { answers[status, default: 0] += 1 }

  private static func family(
    _ name: String, _ kind: String, _ what: String, _ lines: [(String, Int)]
  ) -> String {
    "# HELP meridian_fleet_ingress_\(name) \(what)\n"
      + "# TYPE meridian_fleet_ingress_\(name) \(kind)\n"
      + lines.map { "meridian_fleet_ingress_\(name)\($0) \($1)\n" }.joined()
  }

  private static func byTenant(
    _ counts: FleetFigures.Judged, _ one: String?, _ label: String, action: String? = nil
  ) -> [(String, Int)] {
    let rest = action.map { ",action=\"\($0)\"" } ?? ""
    return counts.fixes.filter { one == nil || $0.key == one.map { ExactName($0) } }.sorted {
      $0.key < $1.key
    }
    .flatMap { tenant, counts in
      counts.sorted { $0.key < $1.key }.map {
        ("{tenant=\"\(FleetFigures.quoted(tenant.text))\",\(label)=\"\($0.key)\"\(rest)}", $0.value)
      }
    }
  }

  /// What concerns one tenant, or each of them.
  private func tenants(_ one: String?) -> String {
    Self.family(
      "fixes_total", "counter", "Fixes sent on, or why not.", Self.byTenant(judged, one, "result"))
      + Self.family(
        "limited_total", "counter", "Messages and connections beyond a limit.",
        Self.byTenant(refused, one, "limit", action: "refused")
          + Self.byTenant(slowed, one, "limit", action: "slowed"))
  }

  /// The figures of one tenant alone, for itself.
  package func text(of tenant: String) -> String { tenants(tenant) }

  /// In the text format of Prometheus; no device is named.
  package var prometheus: String {
    var text = tenants(nil)
    func family(_ name: String, _ kind: String, _ what: String, _ lines: [(String, Int)]) {
      text += Self.family(name, kind, what, lines)
    }
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
