/// What a worker has done, for those who watch it.
package struct FleetFigures: Sendable {
  /// What has become of fixes and lines, and the events, by tenant.
  package struct Judged: Hashable, Sendable {
    /// By tenant, then by `accepted` or the reason why not.
    package private(set) var fixes: [ExactName: [String: Int]] = [:]
    /// By tenant, then by kind.
    package private(set) var events: [ExactName: [String: Int]] = [:]

    package init() {}

    package mutating func count(_ tenant: String, _ result: String, _ number: Int = 1) {
      Self.add(number, result, of: ExactName(tenant), to: &fixes)
    }

    package mutating func event(_ tenant: String, _ kind: String) {
      Self.add(1, kind, of: ExactName(tenant), to: &events)
    }

    mutating func add(_ other: Judged) {
      for (tenant, counts) in other.fixes {
        for (result, number) in counts { Self.add(number, result, of: tenant, to: &fixes) }
      }
      for (tenant, counts) in other.events {
        for (kind, number) in counts { Self.add(number, kind, of: tenant, to: &events) }
      }
    }

    /// The tenants beyond the most are counted together.
    private static func add(
      _ number: Int, _ label: String, of tenant: ExactName,
      to counts: inout [ExactName: [String: Int]]
    ) {
      if let place = counts.index(forKey: tenant) {
        counts.values[place][label, default: 0] += number
      } else {
        let known = counts.count < mostTenants ? tenant : "(others)"
        counts[known, default: [:]][label, default: 0] += number
      }
    }

    private static let mostTenants = 1000
  }

  package struct Partition: Hashable, Sendable {
    package var lag: Int
    /// Seconds since the newest input that was judged came; `nil` before the first one.
    package var age: Double?
    package var devices: Int
    package var position: UInt64
    /// Seconds since everything was last stored.
    package var snapshotAge: Double
  }

  package var judged = Judged()
  package var partitions: [Int: Partition] = [:]
  package var takeovers = 0
  /// How often another worker had written.
  package var fencedOff = 0
  package var faults = 0
  package var storedBytes = 0
  package var count = 0

  package init() {}

  /// In the text format of Prometheus; no device is named.
  package var prometheus: String {
    var text = ""
    func family(_ name: String, _ kind: String, _ what: String, _ lines: [(String, String)]) {
      text += "# HELP meridian_fleet_\(name) \(what)\n# TYPE meridian_fleet_\(name) \(kind)\n"
      for (labels, value) in lines { text += "meridian_fleet_\(name)\(labels) \(value)\n" }
    }
    func byTenant(_ counts: [ExactName: [String: Int]], _ label: String) -> [(String, String)] {
      counts.sorted { $0.key < $1.key }.flatMap { tenant, counts in
        counts.sorted { $0.key < $1.key }.map {
          ("{tenant=\"\(Self.quoted(tenant.text))\",\(label)=\"\($0.key)\"}", "\($0.value)")
        }
      }
    }
    func byPartition(_ value: (Partition) -> String?) -> [(String, String)] {
      partitions.sorted { $0.key < $1.key }.compactMap { number, partition in
        value(partition).map { ("{partition=\"\(number)\"}", $0) }
      }
    }
    family("partitions", "gauge", "Partitions of the fleet.", [("", "\(count)")])
    family(
      "fixes_total", "counter",
      "Fixes judged, or why not; what is judged anew after a takeover counts again only where no event came "
        + "after it and another worker had judged it.",
      byTenant(judged.fixes, "result"))
    family(
      "events_total", "counter", "Events appended; what is in the log already does not count again.",
      byTenant(judged.events, "kind"))
    family("takeovers_total", "counter", "Partitions taken over.", [("", "\(takeovers)")])
    family("fenced_off_total", "counter", "Writes of another worker met.", [("", "\(fencedOff)")])
    family("faults_total", "counter", "Requests without success.", [("", "\(faults)")])
    family("state_bytes_total", "counter", "Bytes of state stored.", [("", "\(storedBytes)")])
    family("lag_messages", "gauge", "Messages not judged yet.", byPartition { "\($0.lag)" })
    family(
      "lag_seconds", "gauge",
      "Seconds since the newest message that is judged came, while others wait behind it; else 0.",
      byPartition { $0.lag == 0 ? "0" : $0.age.map { "\($0)" } })
    family("devices", "gauge", "Devices of the partition.", byPartition { "\($0.devices)" })
    family("position", "counter", "Newest input judged.", byPartition { "\($0.position)" })
    family(
      "snapshot_age_seconds", "gauge", "Seconds since the checkpoint.",
      byPartition { "\($0.snapshotAge)" })
    return text
  }

  static func quoted(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
