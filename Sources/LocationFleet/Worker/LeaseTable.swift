package import LocationModel
internal import LocationProviders

/// Decides which partitions a worker owns: by leases that each owner renews, and that are free for
/// others when they have not changed for a time by the other's own clock.
///
/// An owner that cannot renew, as the leases have no leader, goes on until it sees another one: whatever it
/// writes is refused where somebody else has written.
package struct LeaseTable: Machine {
  package enum Input: MachineInput, Hashable {
    case wake
    /// A lease, or the sign of life of a worker, is another one now.
    case changed(LogMessage)
    /// What was to be put is there.
    case accepted(key: String, revision: UInt64)
    /// Another one is there than was believed: this one, or none.
    case refused(key: String, found: LogMessage?)
    /// The leases do not answer; what was to be put may be there.
    case unanswered
    /// Somebody else has written in a partition that it owns.
    case fencedOff(Int)
    /// Everything of a partition is stored, and nothing more will be done with it.
    case handedOver(Int)
    /// Hand everything over, and take nothing more.
    case drain
  }

  package enum Output: Hashable, Sendable {
    case put(key: String, bytes: [UInt8], revision: UInt64)
    case take(Int)
    /// Another one owns it, or may: forget it at once.
    case drop(Int)
    /// Store everything of it, and say so.
    case handOver(Int)
  }

  private struct Lease: Hashable {
    var worker: String
    var epoch: UInt64
    var revision: UInt64
    var changed: Instant
  }

  private struct Ownership: Hashable {
    /// When the renewal was asked for that was granted last.
    var renewed: Instant
    var asked: Instant
    var isLeaving = false
  }

  package let worker: String
  private let partitions: Int
  private let lease: Duration
  private let order: [Int]
  /// By what it judges, as others read it.
  private let settings: String?
  /// Why nothing of a partition is judged now.
  private var obstacles: [Int: PartitionObstacle] = [:]
  private var leases: [Int: Lease] = [:]
  private var workers: [String: (revision: UInt64, changed: Instant)] = [:]
  private var claims: [Int: Instant] = [:]
  private var owned: [Int: Ownership] = [:]
  private var nextBeat: Instant
  private var nextRelease: Instant
  private var isDraining = false
  private var hasLeft = false

  package init(
    worker: String, partitions: Int, lease: Duration, settings: String? = nil, at now: Instant
  ) {
    self.worker = worker
    self.settings = settings
    self.partitions = partitions
    self.lease = lease
    nextBeat = now
    nextRelease = now
    // Workers begin at different places, so that they rarely want the same one.
    order = (0..<partitions).map { ($0, Self.rank($0, worker)) }
      .sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.0)
  }

  /// The partitions that it owns, in order.
  package var owns: [Int] { owned.keys.sorted() }

  /// Has the leases say from their next renewal on why nothing of a partition is judged; `nil` where it is.
  mutating func note(_ obstacle: PartitionObstacle?, of partition: Int) {
    obstacles[partition] = obstacle
  }

  package func isOwner(of partition: Int) -> Bool { owned[partition] != nil }

  /// Whether everything was handed over after `drain`, and others know that this worker has left.
  package var isDrained: Bool { isEmptied && hasLeft }

  /// Whether everything was handed over after `drain`.
  package var isEmptied: Bool { isDraining && owned.isEmpty }

  package var nextDeadline: Instant? { nextBeat }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    let uptime = now.uptime
    switch input {
    case .wake: return wake(uptime)
    case .changed(let message):
      return change(message, uptime)
    case .accepted(let key, let revision): return accept(key, revision, uptime)
    case .refused(let key, let found): return refuse(key, found, uptime)
    case .unanswered:
      hold(uptime)
      return []
    case .fencedOff(let partition):
      guard let own = owned[partition], uptime - own.renewed > lease else { return [] }
      owned[partition] = nil
      return [.drop(partition)]
    case .handedOver(let partition): return release(partition)
    case .drain:
      isDraining = true
      return owned.keys.sorted().filter { owned[$0]?.isLeaving == false }.map { leave($0) }
    }
  }

  private mutating func leave(_ partition: Int) -> Output {
    owned[partition]?.isLeaving = true
    return .handOver(partition)
  }

  private mutating func release(_ partition: Int) -> [Output] {
    guard owned.removeValue(forKey: partition) != nil, let lease = leases[partition] else {
      return []
    }
    return [put(partition, worker: "", epoch: lease.epoch, lease.revision)]
  }

  private func put(
    _ partition: Int, worker: String, epoch: UInt64, _ revision: UInt64
  ) -> Output {
    var text = LeaseText(worker: worker, epoch: epoch)
    if !worker.isEmpty { (text.settings, text.obstacle) = (settings, obstacles[partition]) }
    return .put(key: "\(partition)", bytes: text.bytes, revision: revision)
  }

  private static func rank(_ partition: Int, _ worker: String) -> UInt64 {
    FNV1a.hash("\(worker)/\(partition)".utf8)
  }
}

// MARK: - Time

extension LeaseTable {
  private mutating func wake(_ now: Instant) -> [Output] {
    var outputs: [Output] = []
    if now >= nextBeat || (isDraining && owned.isEmpty && !hasLeft) {
      nextBeat = now + lease / 3
      outputs += beat(now)
    }
    guard !isDraining else { return outputs }
    let want = wanted(now)
    if owned.count > want, now >= nextRelease,
      let partition = order.last(where: { owned[$0]?.isLeaving == false }),
      !owned.values.contains(where: \.isLeaving)
    {
      nextRelease = now + .seconds(1)
      outputs.append(leave(partition))
    }
    return outputs + claim(want, now)
  }

  /// Renews all that it owns, and says that it lives, or that it leaves.
  private mutating func beat(_ now: Instant) -> [Output] {
    var outputs: [Output] = []
    for partition in owns {
      guard let lease = leases[partition] else { continue }
      owned[partition]?.asked = now
      outputs.append(put(partition, worker: worker, epoch: lease.epoch, lease.revision))
    }
    if isDraining, owned.isEmpty { hasLeft = true }
    let life = LeaseText(worker: hasLeft ? "" : worker, epoch: 0)
    outputs.append(
      .put(key: "worker.\(worker)", bytes: life.bytes, revision: workers[worker]?.revision ?? 0))
    return outputs
  }

  /// While nobody can renew, no lease runs out; those who live have half of its time when the leases answer.
  private mutating func hold(_ now: Instant) {
    let since = now - lease / 2
    for (partition, known) in leases { leases[partition]?.changed = max(known.changed, since) }
    for (name, known) in workers { workers[name]?.changed = max(known.changed, since) }
    claims = [:]
    nextBeat = now
  }

  /// How many partitions each worker that lives should have.
  private func wanted(_ now: Instant) -> Int {
    let others = workers.count { $0.key != worker && now - $0.value.changed <= lease * 2 }
    return (partitions + others) / (others + 1)
  }

  private mutating func claim(_ want: Int, _ now: Instant) -> [Output] {
    claims = claims.filter { now - $0.value <= lease }
    var outputs: [Output] = []
    for partition in order {
      guard owned.count + claims.count < want else { break }
      guard owned[partition] == nil, claims[partition] == nil else { continue }
      let known = leases[partition]
      // One that is this worker's, but not owned, is of a claim whose answer was lost.
      if let known, !known.worker.isEmpty, known.worker != worker, now - known.changed < lease {
        continue
      }
      claims[partition] = now
      outputs.append(
        put(partition, worker: worker, epoch: (known?.epoch ?? 0) + 1, known?.revision ?? 0))
    }
    return outputs
  }
}

// MARK: - What others put

extension LeaseTable {
  private mutating func change(_ message: LogMessage, _ now: Instant) -> [Output] {
    guard let key = Self.key(of: message.entry.subject),
      let text = LeaseText(message.entry.bytes)
    else { return [] }
    if key.hasPrefix("worker.") {
      let name = String(key.dropFirst(7))
      guard message.sequence > workers[name]?.revision ?? 0 else { return [] }
      let isGone = text.worker.isEmpty && name != worker
      if isGone {
        workers[name] = nil
      } else if workers[name] != nil || workers.count < Self.mostWorkers {
        workers[name] = (message.sequence, now)
      }
      return []
    }
    guard let partition = Int(key), (0..<partitions).contains(partition),
      message.sequence > leases[partition]?.revision ?? 0,
      // Its own were accepted under the leader's numbers; a copy that is watched may have others.
      owned[partition] == nil || text.worker != worker
    else { return [] }
    leases[partition] = Lease(
      worker: text.worker, epoch: text.epoch, revision: message.sequence, changed: now)
    guard text.worker != worker, owned.removeValue(forKey: partition) != nil else { return [] }
    return [.drop(partition)]
  }

  private mutating func refuse(
    _ key: String, _ found: LogMessage?, _ now: Instant
  ) -> [Output] {
    let partition = Int(key)
    let isWanted = partition.map { claims[$0] != nil || owned[$0] != nil } ?? true
    // Its own, whose answer was lost.
    if isWanted, let found, LeaseText(found.entry.bytes)?.worker == worker {
      return accept(key, found.sequence, now)
    }
    var outputs: [Output] = []
    if key == "worker.\(worker)" { workers[worker] = nil }
    if let partition {
      claims[partition] = nil
      leases[partition] = nil
      if owned.removeValue(forKey: partition) != nil { outputs.append(.drop(partition)) }
    }
    return outputs + (found.map { change($0, now) } ?? [])
  }

  private mutating func accept(_ key: String, _ revision: UInt64, _ now: Instant) -> [Output] {
    if key == "worker.\(worker)" {
      workers[worker] = (revision, now)
      return []
    }
    guard let partition = Int(key) else { return [] }
    let claimed = claims.removeValue(forKey: partition)
    let isOurs = claimed != nil || owned[partition] != nil
    leases[partition] = Lease(
      worker: isOurs ? worker : "",
      epoch: (leases[partition]?.epoch ?? 0) + (claimed == nil ? 0 : 1), revision: revision,
      changed: now)
    if let asked = owned[partition]?.asked { owned[partition]?.renewed = asked }
    guard let claimed else { return [] }
    owned[partition] = Ownership(renewed: claimed, asked: claimed)
    return [.take(partition)]
  }

  private static func key(of subject: String) -> String? {
    guard subject.hasPrefix("$KV.LEASES.") else { return nil }
    return String(subject.dropFirst("$KV.LEASES.".count))
  }

  private static let mostWorkers = 10_000
}

/// The value of a lease.
struct LeaseText {
  /// Empty where it is free.
  var worker: String
  /// Grows with each owner.
  var epoch: UInt64
  /// By what its owner judges; `nil` of an earlier version.
  var settings: String?
  /// Why nothing of its partition is judged now.
  var obstacle: PartitionObstacle?

  init(worker: String, epoch: UInt64) {
    self.worker = worker
    self.epoch = epoch
  }

  init?(_ bytes: [UInt8]) {
    var (worker, epoch): (String?, Double?) = (nil, nil)
    var (settings, cause): (String?, String?) = (nil, nil)
    var (tenant, fault): (String?, String?) = (nil, nil)
    var scanner = JSONScanner(bytes)
    do throws(JSONFault) {
      try scanner.document { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
        switch key {
        case "worker": worker = try value.string()
        case "epoch": epoch = try value.number()
        case "settings": settings = try value.string()
        case "held": cause = try value.string()
        case "tenant": tenant = try value.string()
        case "key": fault = try value.string()
        default: try value.skip()
        }
      }
    } catch { return nil }
    guard let worker, let epoch = epoch.flatMap({ UInt64(exactly: $0) }) else { return nil }
    self.init(worker: worker, epoch: epoch)
    self.settings = settings
    let key = fault.flatMap { TenantKeyFault(rawValue: $0) }
    obstacle = cause.map { PartitionObstacle(tenant: tenant, cause: $0, key: key) }
  }

  var bytes: [UInt8] {
    var text = #"{"worker":"\#(worker)","epoch":\#(epoch)"#
    for (key, value) in [
      ("settings", settings), ("held", obstacle?.cause), ("tenant", obstacle?.tenant),
      ("key", obstacle?.key?.rawValue),
    ] {
      if let value { text += #","\#(key)":"\#(Self.plain(value))""# }
    }
    return Array((text + "}").utf8)
  }

  /// A text without what would have to be escaped.
  private static func plain(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { $0 != "\"" && $0 != "\\" && $0.value >= 0x20 }))
  }
}
