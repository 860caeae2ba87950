internal import LocationCoding

// What is wrong with a configuration as a whole.
extension SinkConfiguration {
  /// Settings that stand in a file a second time.
  ///
  /// - Chosen (FLEET-137): nobody sees which of two would count.
  static func repeated(in text: String) -> [FleetConfiguration.Fault] {
    let once = Set(everyKey).subtracting(["server", "tenant", "sink-tenant", "nats-out"])
    var lines: [String: Int] = [:]
    var faults: [FleetConfiguration.Fault] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      guard let key = KeyValueLines.setting(in: line)?.key, once.contains(key) else { continue }
      if let first = lines[key] {
        faults.append(
          FleetConfiguration.Fault(
            line: index + 1, cause: "`\(key)` is there already, in line \(first)"))
      }
      lines[key] = lines[key] ?? index + 1
    }
    return faults
  }

  /// All keys of a file: workers, an ingress, and sinks may share one.
  static var everyKey: [String] { FleetConfiguration.keys + IngressConfiguration.keys + keys }

  /// Ports of the configuration that two of its listeners want, if they run on one computer.
  ///
  /// - Chosen (FLEET-137): named by `--check` alone, as they may run on several.
  package var collisions: [String] {
    let loopback = "127.0.0.1"
    var wanted = [
      ("port", ingress.fleet.port, loopback), ("ingress-port", ingress.port, loopback),
      ("mqtt-port", ingress.mqttPort, ingress.address),
      ("http-port", ingress.httpPort, ingress.address),
    ]
    for (kind, key) in [
      (SinkKind.webhook, "webhook-figures"), (.postgis, "postgis-figures"),
      (.mqtt, "mqtt-out-figures"), (.nats, "nats-out-figures"),
    ] { wanted.append((key, ports[kind], loopback)) }
    let everywhere = ["0.0.0.0", "::"]
    var causes: [String] = []
    for (index, (key, port, address)) in wanted.enumerated() {
      guard let port else { continue }
      let other = wanted[..<index].first {
        $0.1 == port
          && ($0.2 == address || everywhere.contains($0.2) || everywhere.contains(address))
      }
      if let other { causes.append("`\(key)` is \(port), which `\(other.0)` has already") }
    }
    return causes
  }
}
