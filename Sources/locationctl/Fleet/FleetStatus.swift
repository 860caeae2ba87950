import Glibc
import LocationCoding

/// How a fleet's worker, its ingress, or a sink on this computer stands, from the figures that it serves.
struct FleetStatus {
  /// One line of the figures: a name, its labels, and a value.
  struct Sample {
    var name: String
    var labels: [String: String]
    var value: Double
  }

  private(set) var samples: [Sample] = []

  /// Reads the text format of Prometheus; lines that are none of the fleet's are passed over.
  init(_ text: String) {
    for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix(Self.prefix) {
      guard let space = line.lastIndex(of: " "),
        let value = Double(line[line.index(after: space)...])
      else { continue }
      let head = line[..<space].dropFirst(Self.prefix.count)
      let name = head.prefix { $0 != "{" }
      samples.append(
        Sample(
          name: String(name), labels: Self.labels(head.dropFirst(name.count)), value: value))
    }
  }

  private static let prefix = "meridian_fleet_"

  /// The labels of `{a="b",c="d"}`.
  private static func labels(_ text: Substring) -> [String: String] {
    var labels: [String: String] = [:]
    var rest = text.dropFirst()
    while let equals = rest.firstIndex(of: "=") {
      let name = String(rest[..<equals])
      rest = rest[rest.index(after: equals)...].dropFirst()
      var value = ""
      while let letter = rest.popFirst(), letter != "\"" {
        guard letter == "\\", let next = rest.popFirst() else {
          value.append(letter)
          continue
        }
        value.append(next == "n" ? "\n" : next)
      }
      labels[name] = value
      rest = rest.dropFirst()
    }
    return labels
  }

  func value(_ name: String) -> Int {
    Int(samples.first { $0.name == name }?.value ?? 0)
  }

  /// By partition, in order.
  private func partitions(_ name: String) -> [(partition: Int, value: Double)] {
    samples.filter { $0.name == name }.compactMap { sample in
      sample.labels["partition"].flatMap { Int($0) }.map { ($0, sample.value) }
    }.sorted { $0.partition < $1.partition }
  }

  /// `nil` where the worker does not know it.
  private func partition(_ number: Int, _ name: String) -> Double? {
    partitions(name).first { $0.partition == number }?.value
  }

  /// Partitions of which nothing is judged, by cause.
  private func heldUp(_ cause: String) -> Int {
    samples.filter { $0.name == "partitions_held_up" && $0.labels["cause"] == cause }
      .reduce(0) { $0 + Int($1.value) }
  }

  /// What the whole worker says of itself.
  private var worker: String {
    var line = JSONLine(type: "worker")
    line.add("partitions", value("partitions"))
    line.add("judging", partitions("devices").count)
    line.add("waiting_for_key", heldUp("key"))
    line.add("held_up", heldUp("other"))
    line.add("broker_silence", value("broker_silence_seconds"))
    for name in ["takeovers_total", "fenced_off_total", "faults_total"] {
      line.add(String(name.dropLast("_total".count)), value(name))
    }
    line.add("version", samples.first { $0.name == "build_info" }?.labels["version"])
    return line.text
  }

  /// One object for the worker, one for each partition, and one for each count of a tenant.
  var json: [String] {
    guard !isOfSink else { return sinkJSON }
    guard !isOfIngress else { return ingressJSON }
    var lines = [worker]
    for (number, devices) in partitions("devices") {
      var line = JSONLine(type: "partition")
      line.add("partition", number)
      line.add("devices", Int(devices))
      line.add("position", Int(partition(number, "position") ?? 0))
      line.add("lag_messages", partition(number, "lag_messages").map { Int($0) })
      line.add("lag_seconds", partition(number, "lag_seconds"))
      line.add("snapshot_age", partition(number, "snapshot_age_seconds"))
      lines.append(line.text)
    }
    for sample in samples where sample.name == "fixes_total" || sample.name == "events_total" {
      let isFix = sample.name == "fixes_total"
      var line = JSONLine(type: isFix ? "fixes" : "events")
      line.add("tenant", sample.labels["tenant"])
      line.add(isFix ? "result" : "kind", sample.labels[isFix ? "result" : "kind"])
      line.add("count", Int(sample.value))
      lines.append(line.text)
    }
    return lines
  }

  func print(to output: Output) {
    guard !isOfSink else { return printSink(to: output) }
    guard !isOfIngress else { return printIngress(to: output) }
    for line in warnings { output.line(line) }
    let owned = partitions("devices")
    let devices = owned.reduce(0) { $0 + Int($1.value) }
    output.line(
      "\(owned.count) of \(value("partitions")) partitions, \(devices) devices, "
        + "\(value("takeovers_total")) taken over, \(value("fenced_off_total")) fenced off, "
        + "\(value("faults_total")) faults")
    var table = TextTable(
      ["PARTITION", "DEVICES", "JUDGED", "WAITING", "BEHIND", "STORED"],
      numbers: [0, 1, 2, 3, 4, 5])
    for (number, devices) in owned {
      table.add([
        "\(number)", "\(Int(devices))", "\(Int(partition(number, "position") ?? 0))",
        partition(number, "lag_messages").map { "\(Int($0))" } ?? "?",
        partition(number, "lag_seconds").map { "\(Int($0)) s" } ?? "?",
        "\(Int(partition(number, "snapshot_age_seconds") ?? 0)) s ago",
      ])
    }
    output.table(table, whenEmpty: "no partition is owned")
    var counts = TextTable(["TENANT", "WHAT", "COUNT"], numbers: [2])
    for sample in samples where sample.name == "fixes_total" || sample.name == "events_total" {
      let what = sample.labels["result"].map { "fixes \($0)" }
      counts.add([
        sample.labels["tenant"] ?? "", what ?? "events \(sample.labels["kind"] ?? "")",
        "\(Int(sample.value))",
      ])
    }
    output.table(counts, whenEmpty: "nothing is judged yet")
  }

  /// What is wrong, before everything else.
  var warnings: [String] {
    var lines: [String] = []
    let silence = value("broker_silence_seconds")
    if silence > 0 {
      lines.append(
        "the broker has not answered for \(silence) s, and what waits is not known; next: locationfleet doctor"
      )
    }
    let (key, other) = (heldUp("key"), heldUp("other"))
    if key + other > 0 {
      lines.append(
        "nothing is judged of \(key + other) partitions, of \(key) for want of a tenant's key; next: "
          + "locationfleet doctor")
    }
    return lines
  }

  /// Asks the worker at a port of the loopback; `nil` if none answers.
  static func read(port: Int) -> FleetStatus? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    let length = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, length)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, length)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(clamping: port).bigEndian)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let connected = withUnsafeBytes(of: &address) {
      connect(
        descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    let request = Array("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
    guard connected == 0, send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) > 0 else {
      return nil
    }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < longest {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.hasPrefix("HTTP/1.1 200"), text.contains(prefix) else { return nil }
    return FleetStatus(text)
  }

  private static let longest = 16 << 20
}
