package import LocationModel
internal import LocationProviders

/// What the owner of one partition knows: its devices, what has been judged, and what of that is in
/// the log of events.
///
/// The same inputs give the same events with the same marks, whoever judges them; so a successor
/// appends those behind the last mark that is in the log, and no others.
package struct PartitionState: Sendable {
  package struct Settings: Hashable, Sendable {
    package var fleet = FleetDevice.Settings()
    /// Meters, for fixes without an accuracy.
    package var accuracy = FleetLine.standardAccuracy
    package var buckets = 256
    package var mostDevices = 100_000
    /// Devices that are kept as they are, between two of their fixes; all others are bytes.
    package var awake = 1024
    /// Bytes of one value; brokers have a limit.
    package var longestValue = 768 * 1024
    /// How long it may take until everything is stored.
    package var snapshotPeriod = Duration.seconds(60)

    package init() {}

    /// What has to be the same for all workers of a fleet, or they would decide other events for the same fixes:
    /// as the configuration has it, one setting behind the other. For tenants of their own only a digest.
    package var judging: String {
      [
        "window=\(fleet.window)", "default-accuracy=\(accuracy)",
        "clock-ahead=\(fleet.clockBounds.digest)", "visits=\(fleet.visits ? "yes" : "no")",
        "moves=\(fleet.moves ? "yes" : "no")", "buckets=\(buckets)", "devices=\(mostDevices)",
      ].joined(separator: " ")
    }
  }

  /// What is to be done for a message.
  package enum Outcome: Hashable, Sendable {
    case append([LogEntry])
    /// The message asks for fences that have to be fetched first, and given to `apply`.
    case fetch(fences: String)
  }

  package let partition: Int
  package let settings: Settings
  /// With what the subjects of its fixes begin.
  private let head: String
  /// The subject of what concerns the whole partition.
  private let control: String
  /// The newest input that has been judged.
  package private(set) var position: UInt64
  /// The newest event that is in the log.
  package private(set) var done: EventMark?
  package private(set) var fences: String
  /// The inputs from which other fences were in force, and which were before.
  private var changes: [(input: UInt64, before: String)] = []
  private var fleet: Fleet
  /// Up to which input each bucket had been judged when it was read.
  private var known: [UInt64]
  package var plan: SnapshotPlan
  /// The newest input that has asked for an erasure.
  package private(set) var erasure: UInt64 = 0
  /// Tenants whose devices could not be opened, and the inputs that ask for these to be forgotten.
  private var passedOver: [ExactName: UInt64] = [:]
  private var counted = FleetFigures.Judged()
  /// The inputs up to these were counted before: of fixes also those that have given the newest event.
  private let countedBefore: (fixes: UInt64, events: UInt64)
  /// Whether the fixes of the message that is judged are counted.
  private var isCounted = true
  /// Fixes of the newest tenant that were accepted, and are not counted yet.
  private var accepted = (tenant: "", count: 0)

  /// - Parameters:
  ///   - partition: its number.
  ///   - settings: by which it judges and stores.
  ///   - position: the input up to which everything is stored.
  ///   - done: the newest event that is in the log.
  ///   - counted: the input up to which this worker has judged and counted before.
  ///   - fences: those in force at `position`.
  ///   - now: when it begins.
  package init(
    _ partition: Int, _ settings: Settings, at position: UInt64, done: EventMark?,
    counted: UInt64 = 0, fences: (version: String, index: FleetFences), now: Instant
  ) {
    self.partition = partition
    self.settings = settings
    head = FleetAddress.head(ofFixesIn: partition)
    control = FleetAddress.control(of: partition)
    self.position = position
    self.done = done
    countedBefore = (max(counted, done?.input ?? 0), counted)
    self.fences = fences.version
    // Of a bucket, not of all: that is the same whenever an input is judged.
    let share = settings.mostDevices / settings.buckets
    let most = max(2 * share, share + 64)
    // The last quarter is for others. A tenant that is alone has room for half more than its share all the same.
    fleet = Fleet(
      fences.index, settings.fleet, buckets: settings.buckets, mostDevices: most,
      mostOfTenant: (3 * most + 3) / 4, mostAwake: settings.awake)
    known = [UInt64](repeating: 0, count: settings.buckets)
    plan = SnapshotPlan(buckets: settings.buckets, period: settings.snapshotPeriod, at: now)
  }

  /// What has become of fixes, by tenant and reason; and the events, by tenant and kind.
  package var figures: FleetFigures.Judged {
    var state = self
    state.countAccepted()
    return state.counted
  }

  package var devices: Int { fleet.count }

  /// Takes the devices of a bucket as they were stored.
  package mutating func restore(_ number: Int, _ bucket: StateBucket) {
    known[number] = bucket.position
    for device in bucket.devices { fleet.restore(device.name, stored: device.bytes) }
  }

  /// Judges nothing of a tenant before the input that asks for its devices to be forgotten: they cannot be
  /// opened, and their events are overwritten.
  mutating func passOver(_ tenant: ExactName, until input: UInt64) { passedOver[tenant] = input }

  /// Judges the next message.
  package mutating func take(_ message: borrowing LogMessage) -> Outcome {
    guard message.sequence > position else { return .append([]) }
    let subject = message.entry.subject
    if subject == control {
      return take(ControlMessage(message.entry.bytes), at: message.sequence)
    }
    position = message.sequence
    isCounted = message.sequence > countedBefore.fixes
    if !passedOver.isEmpty, let device = FleetAddress.device(ofFixes: subject),
      message.sequence < passedOver[ExactName(device.tenant)] ?? 0
    {
      reject(message, "erased")
      return .append([])
    }
    guard message.entry.bytes.count <= FleetLine.longest else {
      reject(message, FleetLine.Reason.tooLong.rawValue)
      return .append([])
    }
    return .append(judge(message))
  }

  private mutating func take(_ control: ControlMessage?, at input: UInt64) -> Outcome {
    if case .fences(let version) = control, version != fences { return .fetch(fences: version) }
    position = input
    // What was stored after this input is of devices that have begun anew.
    switch control {
    case .mark: return .append(mark(.mark, at: input))
    case .erase(let device):
      let bucket = FleetAddress.bucket(of: device, count: settings.buckets)
      if input > known[bucket] {
        fleet.forget(device)
        plan.change(bucket, by: input)
      }
    case .eraseTenant(let tenant):
      for bucket in known.indices where input > known[bucket] {
        if fleet.forget(tenant: tenant, in: bucket) > 0 { plan.change(bucket, by: input) }
      }
    case .fences, nil: return .append([])
    }
    erasure = input
    return .append(mark(.erased, at: input))
  }

  private enum MarkKind: String { case erased, mark }

  /// The log of events never ends with one that is to be erased.
  private func mark(_ kind: MarkKind, at input: UInt64) -> [LogEntry] {
    let mark = EventMark(input: input, index: 0)
    guard done.map({ $0 < mark }) ?? true else { return [] }
    let text = #"{"type":"\#(kind)","partition":\#(partition),"input":\#(input)}"# + "\n"
    let subject = FleetAddress.mark(of: partition)
    return [LogEntry(subject: subject, mark: mark, bytes: Array(text.utf8))]
  }

  /// Judges from the message with this number on by other fences.
  package mutating func apply(_ index: FleetFences, version: String, at input: UInt64) {
    position = input
    // A successor judges from the floor on, so none above that may be forgotten.
    let floor = plan.floor(at: input)
    changes.removeAll { $0.input <= floor }
    changes.append((input, fences))
    fences = version
    fleet.replace(index)
  }

  /// The events up to this one are in the log.
  package mutating func appended(_ mark: EventMark) { done = mark }

  /// What is stored of a bucket, as of the newest input.
  package func bucket(_ number: Int) -> StateBucket {
    StateBucket(
      position: max(position, known[number]),
      devices: fleet.stored(in: number).map { StateBucket.Device(name: $0.name, bytes: $0.bytes) })
  }

  /// From where a successor has to judge.
  package var checkpoint: Checkpoint {
    let floor = plan.floor(at: position)
    let version = changes.first { $0.input > floor }?.before ?? fences
    return Checkpoint(position: floor, fences: version, buckets: settings.buckets)
  }

  /// Whether everything is to be stored at once, as fences have changed so often since the checkpoint: what is
  /// remembered of that is bounded by these, and by the messages of one turn.
  package var isFullOfChanges: Bool {
    guard changes.count > Self.mostChanges else { return false }
    return changes[changes.count - Self.mostChanges - 1].input > plan.floor(at: position)
  }

  /// The event that says that inputs were gone before they were judged.
  package func gap(to first: UInt64) -> LogEntry? {
    // A log without inputs may give 0 as the number of its first one.
    guard first > position, first - position > 1 else { return nil }
    let mark = EventMark(input: first - 1, index: 0)
    guard done.map({ $0 < mark }) ?? true else { return nil }
    let text =
      #"{"type":"gap","partition":\#(partition),"first":\#(position + 1),"last":\#(first - 1)}"#
    return LogEntry(
      subject: "evt.\(partition).-.gap", mark: mark, bytes: Array((text + "\n").utf8))
  }

  private static let mostChanges = 64
  private static let mostLines = 1000
}

// MARK: - One message

extension PartitionState {
  private mutating func judge(_ message: borrowing LogMessage) -> [LogEntry] {
    let bytes = message.entry.bytes
    var (entries, index, lines): ([LogEntry], Int, Int) = ([], 0, 0)
    var start = 0
    while start < bytes.count {
      let end = bytes.span.firstIndex(of: UInt8(ascii: "\n"), from: start) ?? bytes.count
      let line = end - start == bytes.count ? bytes : Array(bytes[start..<end])
      start = end + 1
      guard line.contains(where: { $0 > 0x20 }) else { continue }
      lines += 1
      guard lines <= Self.mostLines else {
        reject(message, "tooMany")
        break
      }
      guard let parsed = parse(line, message) else { continue }
      let device = FleetDeviceName(tenant: parsed.tenant, device: parsed.device)
      guard let outcome = judge(parsed, of: device, message) else { continue }
      if outcome.isCorrected {
        count(device.tenant, "corrected")
      } else if outcome.rejected.isEmpty {
        accept(of: device.tenant)
      }
      for reason in outcome.rejected { count(device.tenant, reason.rawValue) }
      for event in outcome.events {
        let mark = EventMark(input: message.sequence, index: index)
        index += 1
        if let done, mark <= done { continue }
        if message.sequence > countedBefore.events {
          counted.event(device.tenant, event.kind.rawValue)
        }
        entries.append(
          LogEntry(
            subject: FleetAddress.event(event.kind.rawValue, of: device, partition: partition),
            mark: mark,
            bytes: FleetEventLine.encoded(event, of: device)))
      }
    }
    return entries
  }

  /// Counts an accepted fix; of one tenant, without looking it up for each.
  private mutating func accept(of tenant: String) {
    guard isCounted else { return }
    if !tenant.isExactly(accepted.tenant) {
      countAccepted()
      accepted.tenant = tenant
    }
    accepted.count += 1
  }

  private mutating func countAccepted() {
    if accepted.count > 0 { counted.count(accepted.tenant, "accepted", accepted.count) }
    accepted.count = 0
  }

  /// Counts a fix or line of a tenant that is not accepted as it is, behind those that were.
  private mutating func count(_ tenant: String, _ result: String) {
    guard isCounted else { return }
    countAccepted()
    counted.count(tenant, result)
  }

  private mutating func parse(_ line: [UInt8], _ message: borrowing LogMessage) -> FleetLine? {
    do throws(FleetLine.Reason) {
      guard let parsed = try FleetLine(line, accuracy: settings.accuracy) else { return nil }
      let subject = message.entry.subject
      // A device is that of its subject; what claims to be another one is refused.
      guard
        FleetAddress.isFixes(subject, of: parsed.tenant, parsed.device, head: head)
      else { throw .device }
      return parsed
    } catch {
      reject(message, error.rawValue)
      return nil
    }
  }

  private mutating func judge(
    _ line: FleetLine, of device: FleetDeviceName, _ message: borrowing LogMessage
  ) -> FleetDevice.Outcome? {
    let hash = FleetAddress.hash(of: device)
    let bucket = FleetAddress.bucket(ofHash: hash, count: settings.buckets)
    // Its events are in the log, as it was stored after them.
    guard message.sequence > known[bucket] else { return nil }
    plan.change(bucket, by: message.sequence)
    // Nothing comes later than the log says.
    let received = min(line.received ?? message.time, message.time)
    let outcome = fleet.take(
      line.fix, of: device, hash: hash, group: line.group, received: received)
    if outcome == nil { reject(message, "surplus") }
    return outcome
  }

  /// Counts a line that gives no fix for the tenant of its subject.
  private mutating func reject(_ message: borrowing LogMessage, _ reason: String) {
    guard let device = FleetAddress.device(ofFixes: message.entry.subject) else {
      return count("", "subject")
    }
    count(device.tenant, reason)
  }
}
