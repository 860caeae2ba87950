import LocationModel
import TestSupport

@testable import LocationFleet

/// Events in memory, another side that answers as a test says, and sinks that may die.
struct SinkBench {
  /// What has reached the other side, in order.
  private(set) var received: [SinkEvent] = []
  /// What it answers, by the event and how often it has come.
  var answer: (SinkEvent, Int) -> DeliveryOutcome = { _, _ in .confirmed }
  var settings = Sink.Settings()
  var now: Instant = .start
  let logs = MemoryLogs()
  private(set) var notes: [String] = []
  private var times: [String: Int] = [:]

  init(devices: Int, events: Int, partitions: Int = 2) {
    settings.partitions = partitions
    settings.lease = .seconds(3)
    for number in 0..<events {
      for device in 0..<devices { add(number, of: device) }
    }
  }

  func add(_ number: Int, of device: Int, kind: String? = nil, tenant: String = "acme") {
    let name = FleetDeviceName(tenant: tenant, device: "truck-\(device)")
    let partition = FleetAddress.partition(of: name, count: settings.partitions)
    let kind = kind ?? (number.isMultiple(of: 2) ? "entered" : "exited")
    let entry = LogEntry(
      subject: "evt.\(partition).\(FleetAddress.part(tenant)).truck-\(device).\(kind)",
      bytes: Array((Self.line(number, of: device, kind, tenant) + "\n").utf8))
    _ = logs.add(entry, to: .events(partition))
  }

  static func line(
    _ number: Int, of device: Int, _ kind: String, _ tenant: String = "acme"
  ) -> String {
    let time = FleetWalk.start + .seconds(Double(60 * number))
    return """
      {"type":"\(kind)","tenant":"\(tenant)","device":"truck-\(device)","fence":"depot","revision":7,\
      "date":"\(time.iso8601)","decided":"\((time + .seconds(2)).iso8601)",\
      "fix":{"type":"fix","date":"\(time.iso8601)","latitude":46.5,"longitude":6.6,\
      "horizontal_accuracy":8}}
      """
  }

  /// All events of a device in the order in which they are kept.
  func expected(_ device: Int) -> [String] {
    let name = FleetDeviceName(tenant: "acme", device: "truck-\(device)")
    let partition = FleetAddress.partition(of: name, count: settings.partitions)
    return logs.messages(.events(partition)).compactMap { SinkEvent($0, partition: partition) }
      .filter { $0.device == name }.map(\.id)
  }

  /// The events of a device in the order in which they came first.
  func arrived(_ device: Int) -> [String] {
    var seen: Set<String> = []
    return received.filter { $0.device.device == "truck-\(device)" }.map(\.id)
      .filter { seen.insert($0).inserted }
  }

  var refused: [String] {
    logs.messages(.refused).map { String(decoding: $0.entry.bytes, as: UTF8.self) }
  }

  var position: SinkPosition? {
    logs.messages(.sinks).last.flatMap { SinkPosition($0.entry.bytes) }
  }

  /// Lets a sink run for some time, and end of itself if it `drains`; returns how many deliveries it has
  /// made. It dies in the delivery with the number `most`, which the other side has all the same.
  @discardableResult
  mutating func run(
    _ life: String, _ broker: inout MemoryBroker, for time: Duration = .seconds(30),
    most: Int = .max, drains: Bool = true
  ) -> Int {
    var sink = Sink(name: "test", life: life, settings)
    let end = now + time
    var count = 0
    while now < end, !sink.isDrained, !broker.isDead {
      if drains, now + .seconds(2) >= end { sink.drain() }
      for delivery in sink.turn(&broker, at: now) {
        count += 1
        let outcome = take(delivery)
        guard count < most else { return count }
        sink.settle(delivery.number, outcome, at: now)
      }
      notes += sink.takeNotes().map(\.text)
      now = now + .milliseconds(250)
    }
    return count
  }

  /// A batch is taken whole or not at all.
  private mutating func take(_ delivery: EventDelivery) -> DeliveryOutcome {
    for event in delivery.events {
      times[event.id, default: 0] += 1
      let outcome = answer(event, times[event.id] ?? 0)
      guard outcome == .confirmed else { return outcome }
    }
    received += delivery.events
    return .confirmed
  }
}
