package import LocationModel
package import LocationSecrets

/// A worker: takes partitions as its leases allow, and gives each its turn.
package struct FleetWorker: Sendable {
  package struct Settings: Hashable, Sendable {
    package var partition = PartitionState.Settings()
    package var partitions = 64
    package var lease = Duration.seconds(3)

    package init() {}
  }

  /// Something that whoever runs the worker may want to read.
  package struct Note: Hashable, Sendable {
    package var text: String
    package var partition: Int?
    package var isFault = false
  }

  private let settings: Settings
  private let tenantKeys: TenantKeySource
  private var generator: KeyedGenerator
  private var leases: LeaseTable
  private var runs: [Int: PartitionRun] = [:]
  private var fences = FenceCache()
  /// Up to which input each partition was judged here before it was given up.
  private var judged: [Int: UInt64] = [:]
  /// When a partition that could not be used is tried again; `nil` stands for the leases.
  private var pauses: [Int?: Instant] = [:]
  /// When it is looked again at what others have put.
  private var nextWatch: Instant = .start
  private var totals = FleetFigures()
  private var notes: [Note] = []

  /// The secret is of chance, and of this worker alone; from it come the keys of what it stores.
  package init(
    name: String, _ settings: Settings, secret: SecretKey,
    tenantKeys: TenantKeySource = .broker, at now: Instant
  ) {
    self.settings = settings
    self.tenantKeys = tenantKeys
    generator = KeyedGenerator(secret)
    leases = LeaseTable(
      worker: name, partitions: settings.partitions, lease: settings.lease, at: now)
    totals.count = settings.partitions
  }

  package var owns: [Int] { leases.owns }

  /// Whether everything was handed over after `drain`; that it leaves it need not say to a broker
  /// that does not answer.
  package var isDrained: Bool { leases.isDrained || (leases.isEmptied && pauses[nil] != nil) }

  /// What is new to read.
  package mutating func takeNotes() -> [Note] {
    defer { notes = [] }
    return notes
  }

  /// Gives every partition a turn; returns how many messages there were.
  package mutating func turn(
    _ broker: inout some FleetBroker, at clock: () -> Moment
  ) -> Int {
    watch(&broker, at: clock())
    var count = 0
    renew(&broker, at: clock())
    // Of those that did not answer one has a turn: the others wait for no more than that.
    let retried = leases.owns.filter { pauses[$0] != nil }.min {
      pauses[$0] ?? .start < pauses[$1] ?? .start
    }
    // One that is lost meanwhile has no turn.
    for partition in leases.owns where leases.isOwner(of: partition) {
      guard pauses[partition] == nil || partition == retried else { continue }
      count += turn(of: partition, &broker, at: clock())
      renew(&broker, at: clock())
    }
    return count
  }

  /// Hands over what it owns, and takes nothing more.
  package mutating func drain(_ broker: inout some FleetBroker, at now: Moment) {
    carry(leases.handle(.drain, at: now), &broker, at: now)
  }

  package func figures(at now: Moment) -> FleetFigures {
    var figures = totals
    for (number, run) in runs {
      figures.judged.add(run.state.figures)
      figures.storedBytes += run.storedBytes
      figures.partitions[number] = FleetFigures.Partition(
        lag: run.lag, age: run.newest.map { max(now.unixTime.seconds(since: $0), 0) },
        devices: run.state.devices, position: run.state.position,
        snapshotAge: now.uptime.seconds(since: run.lastCheckpoint))
    }
    return figures
  }
}

// MARK: - Partitions

extension FleetWorker {
  private mutating func turn(
    of partition: Int, _ broker: inout some FleetBroker, at now: Moment
  ) -> Int {
    guard !isPaused(partition, at: now) else { return 0 }
    do throws(BrokerFault) {
      if runs[partition] == nil {
        runs[partition] = try PartitionRun(
          takingOver: partition, settings.partition, &fences, &broker,
          secret: SecretKey(using: &generator), tenantKeys: tenantKeys,
          counted: judged[partition] ?? 0, at: now.uptime)
        totals.takeovers += 1
        notes.append(Note(text: "took partition \(partition) over", partition: partition))
      }
      pauses[partition] = nil
      return try runs[partition]?.turn(&fences, &broker, at: now.uptime) ?? 0
    } catch {
      let isSilent = if case .unreachable = error { true } else { false }
      if !isSilent || runs[partition]?.isWhole != true { forget(partition) }
      note(error, partition)
      guard error == .conflict else {
        pauses[partition] = now.uptime + (isSilent ? Self.pause : .seconds(1))
        return 0
      }
      // Whether it is still ours, the next renewal of its lease says, if there has been one lately.
      pauses[partition] = nil
      carry(leases.handle(.fencedOff(partition), at: now), &broker, at: now)
      return 0
    }
  }

  private mutating func forget(_ partition: Int) {
    guard let run = runs.removeValue(forKey: partition) else { return }
    totals.judged.add(run.state.figures)
    totals.storedBytes += run.storedBytes
    judged[partition] = max(judged[partition] ?? 0, run.state.position)
  }

  private mutating func note(_ fault: BrokerFault, _ partition: Int?) {
    if fault == .conflict { totals.fencedOff += 1 } else { totals.faults += 1 }
    let place = partition.map { "partition \($0): " } ?? ""
    notes.append(
      Note(text: "\(place)\(fault)", partition: partition, isFault: fault != .conflict))
    if notes.count > Self.mostNotes { notes.removeFirst() }
  }

  /// How long what did not answer is left alone.
  private static let pause = Duration.seconds(0.5)
  private static let mostNotes = 100
}

// MARK: - Leases

extension FleetWorker {
  private mutating func watch(_ broker: inout some FleetBroker, at now: Moment) {
    guard now.uptime >= nextWatch else { return }
    do throws(BrokerFault) {
      for message in try broker.watch() {
        carry(leases.handle(.changed(message), at: now), &broker, at: now)
      }
    } catch {
      // What it owns it renews all the same.
      note(error, nil)
      nextWatch = now.uptime + .seconds(1)
    }
  }

  private func isPaused(_ partition: Int?, at now: Moment) -> Bool {
    pauses[partition].map { now.uptime < $0 } ?? false
  }

  private mutating func renew(_ broker: inout some FleetBroker, at now: Moment) {
    guard !isPaused(nil, at: now) else { return }
    carry(leases.handle(.wake, at: now), &broker, at: now)
  }

  private mutating func carry(
    _ outputs: [LeaseTable.Output], _ broker: inout some FleetBroker, at now: Moment
  ) {
    var waiting = outputs[...]
    while let output = waiting.popFirst() {
      switch output {
      case .put(let key, let bytes, let revision):
        waiting += put(key, bytes, revision, &broker, at: now)
      case .take(let partition): pauses[partition] = nil
      case .drop(let partition):
        forget(partition)
        notes.append(Note(text: "lost partition \(partition)", partition: partition))
      case .handOver(let partition):
        do throws(BrokerFault) {
          try runs[partition]?.storeAll(&broker, at: now.uptime)
          notes.append(Note(text: "handed partition \(partition) over", partition: partition))
        } catch { note(error, partition) }
        forget(partition)
        waiting += leases.handle(.handedOver(partition), at: now)
      }
    }
  }

  private mutating func noAnswer(_ fault: BrokerFault, at now: Moment) -> [LeaseTable.Output] {
    note(fault, nil)
    pauses[nil] = now.uptime + Self.pause
    if case .unreachable = fault { return leases.handle(.unanswered, at: now) }
    return []
  }

  private mutating func put(
    _ key: String, _ bytes: [UInt8], _ revision: UInt64, _ broker: inout some FleetBroker,
    at now: Moment
  ) -> [LeaseTable.Output] {
    // Without an answer to one put, the next ones would wait as long.
    guard !isPaused(nil, at: now) else { return [] }
    do throws(BrokerFault) {
      let new = try broker.put(bytes, at: key, in: .leases, expecting: revision)
      pauses[nil] = nil
      return leases.handle(.accepted(key: key, revision: new), at: now)
    } catch {
      guard error == .conflict else {
        return noAnswer(error, at: now)
      }
      // What is there, the leader says: a copy that is watched may have other numbers, or not have it yet.
      do throws(BrokerFault) {
        let found = try broker.last(of: .leases, key: key).message
        return leases.handle(.refused(key: key, found: found), at: now)
      } catch { return noAnswer(error, at: now) }
    }
  }
}
