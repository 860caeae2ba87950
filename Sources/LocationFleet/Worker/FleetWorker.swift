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
  private var repeated = RepeatedNotes()
  /// Partitions that could not be judged of late.
  private var failures: [Int: PartitionFailure] = [:]
  /// Partitions that did not answer when they were asked last, and the time in which some did not.
  private var silent: Set<Int> = []
  private var silence = FaultSpell()
  /// Since when the leases have not answered.
  private var silentSince: Instant?
  /// Whether the leases have taken something of this worker.
  package private(set) var isReady = false
  /// What is wrong with its settings, by what is stored: it can judge nothing. With the next step.
  package private(set) var unfit: String?

  /// The secret is of chance, and of this worker alone; from it come the keys of what it stores.
  package init(
    name: String, _ settings: Settings, secret: SecretKey,
    tenantKeys: TenantKeySource = .broker, at now: Instant
  ) {
    self.settings = settings
    self.tenantKeys = tenantKeys
    generator = KeyedGenerator(secret)
    leases = LeaseTable(
      worker: name, partitions: settings.partitions, lease: settings.lease,
      settings: settings.partition.judging, at: now)
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
    noteAnswers(at: clock().uptime)
    return count
  }

  /// Says so when partitions that did not answer all do, and go on doing so.
  private mutating func noteAnswers(at now: Instant) {
    silent.formIntersection(leases.owns)
    guard silent.isEmpty, !leases.owns.isEmpty, let times = silence.end(at: now) else { return }
    notes.append(Note(text: "all partitions of this worker answer again\(times)"))
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
        lag: silentSince == nil && pauses[number] == nil ? run.lag : nil,
        age: run.newest.map { max(now.unixTime.seconds(since: $0), 0) },
        devices: run.state.devices, position: run.state.position,
        snapshotAge: now.uptime.seconds(since: run.lastCheckpoint))
    }
    for failure in failures.values {
      figures.heldUp[failure.isOfKey ? .key : .other, default: 0] += 1
    }
    figures.silence = silentSince.map { max(now.uptime - $0, .zero).inSeconds } ?? 0
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
      if try isWithoutKey(partition, &broker, at: now.uptime) { return 0 }
      if runs[partition] == nil {
        runs[partition] = try PartitionRun(
          takingOver: partition, settings.partition, &fences, &broker,
          secret: SecretKey(using: &generator), tenantKeys: tenantKeys,
          counted: judged[partition] ?? 0, at: now.uptime)
        totals.takeovers += 1
        if failures[partition] == nil {
          notes.append(Note(text: "took partition \(partition) over", partition: partition))
        }
      }
      pauses[partition] = nil
      let count = try runs[partition]?.turn(&fences, &broker, at: now.uptime) ?? 0
      silent.remove(partition)
      // Everything has been stored since, once at least.
      let period = settings.partition.snapshotPeriod * 2
      if failures[partition]?.isOver(at: now.uptime, after: period) == true { mend(partition) }
      return count
    } catch {
      let isSilent = error.isSilent
      if isSilent {
        silent.insert(partition)
        silence.fail(at: now.uptime)
      } else {
        silent.remove(partition)
      }
      if !isSilent || runs[partition]?.isWhole != true { forget(partition) }
      note(error, partition, at: now.uptime)
      if case .unfit(let cause) = error { unfit = cause }
      guard error == .conflict else {
        pauses[partition] =
          isSilent ? now.uptime + Self.pause : fail(partition, error, at: now.uptime)
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

  /// Notes that a partition cannot be judged; returns when it is looked at again.
  private mutating func fail(
    _ partition: Int, _ fault: BrokerFault, at now: Instant
  ) -> Instant {
    var failure = failures[partition] ?? PartitionFailure()
    failure.fail(fault, tenantKeys, at: now)
    failures[partition] = failure
    leases.note(PartitionObstacle(fault), of: partition)
    // The key may be there sooner.
    return failure.missing == nil ? failure.next : min(failure.next, now + Self.keyPause)
  }

  private mutating func mend(_ partition: Int) {
    failures[partition] = nil
    leases.note(nil, of: partition)
  }

  /// Whether a partition waits for the key of a tenant; once that is there, or the tenant is to be erased, it is
  /// tried at once.
  private mutating func isWithoutKey(
    _ partition: Int, _ broker: inout some FleetBroker, at now: Instant
  ) throws(BrokerFault) -> Bool {
    guard runs[partition] == nil, var failure = failures[partition], let tenant = failure.missing
    else { return false }
    guard tenantKeys.lacks(tenant) else {
      mend(partition)
      return false
    }
    guard now < failure.next else { return false }
    let isErased = try failure.isErasureAsked(of: tenant, in: partition, &broker)
    failures[partition] = failure
    guard !isErased else { return false }
    pauses[partition] = min(failure.next, now + Self.keyPause)
    return true
  }

  private mutating func note(_ fault: BrokerFault, _ partition: Int?, at now: Instant) {
    if fault == .conflict { totals.fencedOff += 1 } else { totals.faults += 1 }
    let place = partition.map { "partition \($0): " } ?? ""
    let step = fault.isMissing ? "; next: locationfleet init makes what is missing" : ""
    guard let text = repeated.text("\(place)\(fault)\(step)", at: now) else { return }
    notes.append(Note(text: text, partition: partition, isFault: fault != .conflict))
    if notes.count > Self.mostNotes { notes.removeFirst() }
  }

  /// How long what did not answer is left alone.
  private static let pause = Duration.seconds(0.5)
  /// How long it is until it is looked again whether the key of a tenant is there.
  private static let keyPause = Duration.seconds(1)
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
      note(error, nil, at: now.uptime)
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
        mend(partition)
        notes.append(Note(text: "lost partition \(partition)", partition: partition))
      case .handOver(let partition):
        do throws(BrokerFault) {
          try runs[partition]?.storeAll(&broker, at: now.uptime)
          notes.append(Note(text: "handed partition \(partition) over", partition: partition))
        } catch { note(error, partition, at: now.uptime) }
        forget(partition)
        mend(partition)
        waiting += leases.handle(.handedOver(partition), at: now)
      }
    }
  }

  private mutating func noAnswer(_ fault: BrokerFault, at now: Moment) -> [LeaseTable.Output] {
    note(fault, nil, at: now.uptime)
    pauses[nil] = now.uptime + Self.pause
    guard fault.isSilent else { return [] }
    if silentSince == nil { silentSince = now.uptime }
    return leases.handle(.unanswered, at: now)
  }

  private mutating func answered(at now: Instant) {
    pauses[nil] = nil
    guard silentSince != nil else { return }
    silentSince = nil
    if let text = repeated.text("the leases answer again", at: now) {
      notes.append(Note(text: text))
    }
  }

  private mutating func put(
    _ key: String, _ bytes: [UInt8], _ revision: UInt64, _ broker: inout some FleetBroker,
    at now: Moment
  ) -> [LeaseTable.Output] {
    // Without an answer to one put, the next ones would wait as long.
    guard !isPaused(nil, at: now) else { return [] }
    do throws(BrokerFault) {
      let new = try broker.put(bytes, at: key, in: .leases, expecting: revision)
      answered(at: now.uptime)
      isReady = true
      return leases.handle(.accepted(key: key, revision: new), at: now)
    } catch {
      guard error == .conflict else {
        return noAnswer(error, at: now)
      }
      // What is there, the leader says: a copy that is watched may have other numbers, or not have it yet.
      do throws(BrokerFault) {
        let found = try broker.last(of: .leases, key: key).message
        answered(at: now.uptime)
        return leases.handle(.refused(key: key, found: found), at: now)
      } catch { return noAnswer(error, at: now) }
    }
  }
}
