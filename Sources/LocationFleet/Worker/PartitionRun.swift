package import LocationModel
package import LocationSecrets

/// One partition, from the moment its owner has its lease: reads inputs, appends events, and stores
/// devices. What it decides is `PartitionState`'s and `SnapshotPlan`'s.
package struct PartitionRun: Sendable {
  package private(set) var state: PartitionState
  /// The number of the last event, behind which the next one goes.
  private var lastEvent: UInt64
  /// The numbers of the values, by key.
  private var revisions: [String: UInt64]
  /// Which of two sets of parts a bucket that is too large for one value has.
  private var sides: [Int: UInt8]
  private var stored: Checkpoint?
  private var keys: StateKeys
  private var generator: KeyedGenerator
  /// What was to be written and may be there.
  private var unsettled: Unsettled?
  /// Whether this can go on after a call without an answer: else a successor must judge anew.
  package private(set) var isWhole = true
  /// Inputs that are not read yet.
  package private(set) var lag = 0
  /// When the newest input came.
  package private(set) var newest: UnixTime?
  /// Bytes of the values of state that were put.
  package private(set) var storedBytes = 0
  package private(set) var lastCheckpoint: Instant

  private enum Unsettled {
    /// With what they were begun with, where the broker has not said yet what has become of them.
    case events([LogEntry], PendingAppend?)
    case value(key: String, bytes: [UInt8])
  }

  /// Takes a partition over. The devices are read before the last event: whatever is stored of them
  /// stands for events that are in the log.
  package init(
    takingOver partition: Int, _ settings: PartitionState.Settings,
    _ fences: inout FenceCache, _ broker: inout some FleetBroker, secret: SecretKey,
    tenantKeys: TenantKeySource = .broker, counted: UInt64 = 0, at now: Instant
  ) throws(BrokerFault) {
    var values: [String: LogMessage] = [:]
    var from: UInt64 = 1
    while true {
      let batch = try broker.read(.state(partition), from: from, most: Self.mostRead)
      for message in batch.messages {
        values[message.entry.subject] = message
        from = message.sequence + 1
      }
      guard batch.left == 0, batch.messages.isEmpty else { continue }
      // How many there seem to be is a count of the server's, and without one of them all would be judged wrongly.
      guard try broker.first(">", in: .state(partition), from: from) != nil else { break }
      throw .unreachable("the state of partition \(partition) does not come whole")
    }
    let key = FleetAddress.checkpoint(of: partition)
    let checkpoint = try values[key].map { (message) throws(BrokerFault) in
      guard let read = Checkpoint(message.entry.bytes) else { throw BrokerFault.damaged(key) }
      if let cause = read.fault(ofBuckets: settings.buckets) { throw BrokerFault.unfit(cause) }
      return read
    }
    let end = try broker.last(of: .events(partition), key: nil)
    let version = checkpoint?.fences ?? ""
    let index = try fences.get(version, &broker)
    state = PartitionState(
      partition, settings, at: checkpoint?.position ?? 0, done: end.message?.entry.mark,
      counted: counted, fences: (version, index), now: now)
    lastEvent = end.last
    revisions = values.mapValues(\.sequence)
    stored = checkpoint
    lastCheckpoint = now
    sides = [:]
    keys = StateKeys(of: partition, values, tenantKeys)
    generator = KeyedGenerator(secret)
    var closed = ClosedTenants()
    for bucket in 0..<settings.buckets {
      guard let value = try Self.bucket(bucket, of: partition, values, &keys) else { continue }
      // Else a device that cannot be read would begin anew with its next fix, and nobody would know.
      guard value.bucket.devices.allSatisfy({ FleetDevice.isWhole($0.bytes) }) else {
        throw .damaged(Self.bucketKey(bucket, of: partition))
      }
      sides[bucket] = value.side
      state.restore(bucket, value.bucket)
      for found in value.closed { closed.add(found, at: value.bucket.position) }
    }
    for (tenant, input) in try closed.requests(
      in: partition, after: state.position, keys, &broker)
    {
      state.passOver(tenant, until: input)
    }
    try tellGap(&broker)
  }

  /// Says so where inputs were gone before they were judged.
  private mutating func tellGap(_ broker: inout some FleetBroker) throws(BrokerFault) {
    let first = try broker.last(of: .fixes(state.partition), key: nil).first
    if let entry = state.gap(to: first) { try append([entry], &broker) }
  }

  /// Reads what has come, judges it, and stores what is due; returns how many messages there were.
  package mutating func turn(
    _ fences: inout FenceCache, _ broker: inout some FleetBroker, at now: Instant
  ) throws(BrokerFault) -> Int {
    try settle(&broker)
    let batch = try broker.read(
      .fixes(state.partition), from: state.position + 1, most: Self.mostRead)
    lag = batch.left
    var entries: [LogEntry] = []
    isWhole = false
    let messages = batch.messages.span
    for place in messages.indices {
      switch state.take(messages[place]) {
      case .append(let found): entries += found
      case .fetch(let version):
        let index = try fences.get(version, &broker)
        state.apply(index, version: version, at: messages[place].sequence)
      }
    }
    if let last = batch.messages.last { newest = last.time }
    isWhole = true
    // The events of the turn before were on their way meanwhile, as these are until the next one.
    try finish(before: entries, &broker)
    try append(entries, &broker)
    if state.erasure > stored?.erased ?? 0 || keys.isExposed { try renewKey(&broker, at: now) }
    if state.isFullOfChanges {
      try store(state.plan.all, &broker, at: now)
    } else if let buckets = state.plan.buckets(at: now) {
      try store(buckets, &broker, at: now)
    }
    return batch.messages.count
  }

  /// Stores everything, so that a successor has nothing to judge anew.
  package mutating func storeAll(
    _ broker: inout some FleetBroker, at now: Instant
  ) throws(BrokerFault) {
    try finish(&broker)
    try settle(&broker)
    try store(state.plan.all, &broker, at: now)
  }

  /// Sends events to be appended; what becomes of them `finish` finds out.
  private mutating func append(
    _ entries: [LogEntry], _ broker: inout some FleetBroker
  ) throws(BrokerFault) {
    guard !entries.isEmpty else { return }
    unsettled = .events(entries, nil)
    let append = try broker.beginAppend(
      entries, to: .events(state.partition), expecting: lastEvent)
    unsettled = .events(entries, append)
  }

  /// Waits until the events that were sent are in the log; where they may not be, those that come after them
  /// wait with them.
  private mutating func finish(
    before later: [LogEntry] = [], _ broker: inout some FleetBroker
  ) throws(BrokerFault) {
    guard case .events(let entries, let append?) = unsettled else { return }
    unsettled = .events(entries + later, nil)
    lastEvent = try broker.finish(append)
    unsettled = nil
    if let mark = entries.last?.mark { state.appended(mark) }
  }

  /// Finds out whether what was not answered is there, and writes what is not.
  private mutating func settle(_ broker: inout some FleetBroker) throws(BrokerFault) {
    switch unsettled {
    case nil, .events(_, .some): return
    case .events(let entries, nil):
      let end = try broker.last(of: .events(state.partition), key: nil)
      let kept = Int(clamping: end.last) - Int(clamping: lastEvent)
      guard (0...entries.count).contains(kept),
        kept == 0 || end.message?.entry.mark == entries[kept - 1].mark
      else { throw .conflict }
      lastEvent = end.last
      if kept == entries.count, let mark = entries.last?.mark { state.appended(mark) }
      unsettled = nil
      try append(Array(entries[kept...]), &broker)
    case .value(let key, let bytes):
      let end = try broker.last(of: .state(state.partition), key: key)
      let isThere = end.message?.entry.bytes == bytes
      guard isThere || end.last == revisions[key] ?? 0 else { throw .conflict }
      if isThere { revisions[key] = end.last }
      unsettled = nil
    }
  }
}

// MARK: - Storing

extension PartitionRun {
  /// Only what is judged, and whose events are in the log, may be stored.
  private mutating func store(
    _ buckets: [Int], _ broker: inout some FleetBroker, at now: Instant
  ) throws(BrokerFault) {
    try finish(&broker)
    try putBuckets(buckets, &broker)
    try putCheckpoint(&broker, at: now)
  }

  private mutating func putBuckets(
    _ buckets: [Int], _ broker: inout some FleetBroker
  ) throws(BrokerFault) {
    if !buckets.isEmpty, keys.current == nil { try addKey(&broker) }
    for bucket in buckets {
      try put(state.bucket(bucket), bucket, &broker)
      state.plan.written(bucket)
    }
  }

  private mutating func putCheckpoint(
    _ broker: inout some FleetBroker, erased: UInt64 = 0, at now: Instant
  ) throws(BrokerFault) {
    var checkpoint = state.checkpoint
    checkpoint.erased = max(stored?.erased ?? 0, erased)
    guard checkpoint != stored else { return lastCheckpoint = now }
    try put(checkpoint.encoded, at: FleetAddress.checkpoint(of: state.partition), &broker)
    stored = checkpoint
    lastCheckpoint = now
  }

  /// Stores every device with another key, and erases the ones before: what was stored of a device that
  /// is forgotten can be read no more, wherever bytes of it still are.
  private mutating func renewKey(
    _ broker: inout some FleetBroker, at now: Instant
  ) throws(BrokerFault) {
    try finish(&broker)
    isWhole = false
    try addKey(&broker)
    // The empty ones as well: another worker that still has an older key can put none behind these.
    try putBuckets(Array(0..<state.settings.buckets), &broker)
    _ = try broker.erase(keys.older, of: .state(state.partition))
    keys.forgetOlder()
    try putCheckpoint(&broker, erased: state.erasure, at: now)
    isWhole = true
  }

  private mutating func addKey(_ broker: inout some FleetBroker) throws(BrokerFault) {
    let number = (keys.current ?? 0) + 1
    let name = StateKeys.name(number, of: state.partition)
    let key = SecretKey(using: &generator)
    var bytes = key.withUnsafeBytes { Array($0) }
    defer { wipe(&bytes) }
    try put(bytes, at: name, &broker)
    keys.add(key, number: number, sequence: revisions[name] ?? 0)
  }

  /// Puts a bucket; one that is too large for a value in parts beside those that are in force.
  private mutating func put(
    _ content: StateBucket, _ bucket: Int, _ broker: inout some FleetBroker
  ) throws(BrokerFault) {
    let key = Self.bucketKey(bucket, of: state.partition)
    try keys.confirm(content, &broker)
    let bytes = try keys.seal(content, at: key, using: &generator)
    let longest = state.settings.longestValue
    guard bytes.count > longest else {
      try put([Form.sections.rawValue] + bytes, at: key, &broker)
      return sides[bucket] = nil
    }
    let side: UInt8 = sides[bucket] == 0 ? 1 : 0
    let count = (bytes.count + longest - 1) / longest
    guard count <= Int(UInt8.max) else { throw .refused("\(key) has \(bytes.count) bytes") }
    // Which side is in force is not known until the head is answered: then no part of it may be replaced.
    let wasWhole = isWhole
    isWhole = false
    for part in 0..<count {
      let run = bytes[(part * longest)...].prefix(longest)
      try put(Array(run), at: "\(key).\(side).\(part)", &broker)
    }
    try put([Form.sectionsInParts.rawValue, side, UInt8(count)], at: key, &broker)
    sides[bucket] = side
    isWhole = wasWhole
  }

  private mutating func put(
    _ bytes: [UInt8], at key: String, _ broker: inout some FleetBroker
  ) throws(BrokerFault) {
    unsettled = .value(key: key, bytes: bytes)
    revisions[key] = try broker.put(
      bytes, at: key, in: .state(state.partition), expecting: revisions[key] ?? 0)
    unsettled = nil
    storedBytes += bytes.count
  }

  private static func bucket(
    _ bucket: Int, of partition: Int, _ values: [String: LogMessage], _ keys: inout StateKeys
  ) throws(BrokerFault) -> (
    bucket: StateBucket, side: UInt8?, closed: [(tenant: String, fault: BrokerFault)]
  )? {
    let key = bucketKey(bucket, of: partition)
    guard let head = values[key]?.entry.bytes else { return nil }
    guard let form = head.first.flatMap({ Form(rawValue: $0) }) else { throw .damaged(key) }
    var bytes = Array(head.dropFirst())
    var side: UInt8?
    if form.isInParts, head.count == 3 {
      side = head[1]
      bytes = []
      for part in 0..<Int(head[2]) {
        bytes += values["\(key).\(head[1]).\(part)"]?.entry.bytes ?? []
      }
    }
    if form.hasSections {
      let read = try keys.open(bytes, at: key)
      return (read.bucket, side, read.closed)
    }
    let isSealed = form == .sealed || form == .sealedInParts
    if !isSealed { keys.noteExposed() }
    guard let plain = isSealed ? keys.openEarlier(bytes, at: key) : bytes,
      let read = StateBucket(plain)
    else { throw .damaged(key) }
    return (read, side, [])
  }

  /// How a value of a bucket begins. The first two are of a version that did not seal, the next two of one
  /// that knew no keys of tenants.
  private enum Form: UInt8 {
    case plain, plainInParts, sealed, sealedInParts, sections, sectionsInParts

    var isInParts: Bool { rawValue % 2 == 1 }
    var hasSections: Bool { self == .sections || self == .sectionsInParts }
  }

  private static func bucketKey(_ bucket: Int, of partition: Int) -> String {
    "st.\(partition).\(bucket)"
  }

  private static let mostRead = 1000
}

/// The fences of the versions that were used last.
package struct FenceCache: Sendable {
  private var known: [(version: String, index: FleetFences)] = []

  package init() {}

  /// Returns the fences of a version, from the broker if they are not known.
  package mutating func get(
    _ version: String, _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> FleetFences {
    if let place = known.firstIndex(where: { $0.version == version }) {
      let found = known.remove(at: place)
      known.append(found)
      return found.index
    }
    let index = try FenceStore.read(version, from: &broker)
    known.append((version, index))
    if known.count > 2 { known.removeFirst() }
    return index
  }
}
