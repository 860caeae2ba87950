internal import LocationModel

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

  /// Why nothing of a partition is judged.
  package enum Obstacle: String, Sendable {
    /// The key of a tenant is missing or another one.
    case key
    case other
  }

  package struct Partition: Hashable, Sendable {
    /// `nil` where it is not known, as there is no answer.
    package var lag: Int?
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
  /// Partitions that are owned, and of which nothing is judged.
  package var heldUp: [Obstacle: Int] = [:]
  /// Seconds for which the leases have not answered.
  package var silence = 0.0

  package init() {}

  /// In the text format of Prometheus; no device is named.
  package var prometheus: String { ofWorker + ofTenants + ofPartitions }

  private static func family(
    _ name: String, _ kind: String, _ what: String, _ lines: [(String, String)]
  ) -> String {
    "# HELP meridian_fleet_\(name) \(what)\n# TYPE meridian_fleet_\(name) \(kind)\n"
      + lines.map { "meridian_fleet_\(name)\($0) \($1)\n" }.joined()
  }

  private var ofWorker: String {
    func family(_ name: String, _ kind: String, _ what: String, _ value: String) -> String {
      Self.family(name, kind, what, [("", value)])
    }
    return Self.family(
      "build_info", "gauge", "Version of locationfleet.",
      [("{version=\"\(Release.version)\"}", "1")])
      + family(
        "broker_silence_seconds", "gauge",
        "Seconds for which the broker has not answered; else 0.", "\(silence)")
      + family("partitions", "gauge", "Partitions of the fleet.", "\(count)")
      + Self.family(
        "partitions_held_up", "gauge",
        "Partitions of this worker of which nothing is judged; key: that of a tenant is missing or another one.",
        [Obstacle.key, .other].map { ("{cause=\"\($0.rawValue)\"}", "\(heldUp[$0] ?? 0)") })
      + family("takeovers_total", "counter", "Partitions taken over.", "\(takeovers)")
      + family("fenced_off_total", "counter", "Writes of another worker met.", "\(fencedOff)")
      + family("faults_total", "counter", "Requests without success.", "\(faults)")
      + family("state_bytes_total", "counter", "Bytes of state stored.", "\(storedBytes)")
  }

  private var ofTenants: String {
    func byTenant(_ counts: [ExactName: [String: Int]], _ label: String) -> [(String, String)] {
      counts.sorted { $0.key < $1.key }.flatMap { tenant, counts in
        counts.sorted { $0.key < $1.key }.map {
          ("{tenant=\"\(Self.quoted(tenant.text))\",\(label)=\"\($0.key)\"}", "\($0.value)")
        }
      }
    }
    return Self.family(
      "fixes_total", "counter",
      "Fixes judged, or why not. What a worker that died had judged behind its newest event counts again.",
      byTenant(judged.fixes, "result"))
      + Self.family("events_total", "counter", "Events decided.", byTenant(judged.events, "kind"))
  }

  private var ofPartitions: String {
    func family(
      _ name: String, _ kind: String, _ what: String, _ value: (Partition) -> String?
    ) -> String {
      let lines = partitions.sorted { $0.key < $1.key }.compactMap { number, partition in
        value(partition).map { ("{partition=\"\(number)\"}", $0) }
      }
      return Self.family(name, kind, what, lines)
    }
    return family("lag_messages", "gauge", "Messages not judged yet.") {
      $0.lag.map { "\($0)" }
    }
      + family(
        "lag_seconds", "gauge",
        "Seconds since the newest message that is judged came, while others wait behind it; else 0."
      ) { partition in
        partition.lag.flatMap { $0 == 0 ? "0" : partition.age.map { "\($0)" } }
      }
      + family("devices", "gauge", "Devices of the partition.") { "\($0.devices)" }
      + family("position", "counter", "Newest input judged.") { "\($0.position)" }
      + family("snapshot_age_seconds", "gauge", "Seconds since the checkpoint.") {
        "\($0.snapshotAge)"
      }
  }

  static func quoted(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
