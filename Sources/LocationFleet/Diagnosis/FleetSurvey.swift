package import LocationModel

/// What a look at a fleet has seen; what that means, `FleetDiagnosis` says.
package struct FleetSurvey: Hashable, Sendable {
  /// One of the servers of the configuration.
  package struct Server: Hashable, Sendable {
    package enum State: Hashable, Sendable {
      /// Nobody answers there, and why.
      case unreachable(String)
      /// Who answers is no server of NATS.
      case stranger
      /// It answers, and does not let the user of the configuration in.
      case refuses(ServerGreeting, String)
      case works(ServerGreeting)
    }

    package var address: String
    package var state: State

    package init(_ address: String, _ state: State) {
      (self.address, self.state) = (address, state)
    }
  }

  package struct Stream: Hashable, Sendable {
    package enum State: Hashable, Sendable {
      case missing
      case silent(String)
      case here(StreamStatus)
    }

    package var log: FleetLog
    package var name: String
    package var state: State
    /// Whether it is silent as the server would never answer this user.
    package var isDenied = false

    package init(_ log: FleetLog, _ name: String, _ state: State) {
      (self.log, self.name, self.state) = (log, name, state)
    }

    package var status: StreamStatus? { if case .here(let status) = state { status } else { nil } }
    /// Whether nothing has answered.
    package var isSilent: Bool { if case .silent = state { true } else { false } }
  }

  /// A lease, or the key of a sink, which its owner renews.
  package struct Claim: Hashable, Sendable {
    /// Empty where it was given back.
    package var owner: String
    package var revision: UInt64
    /// Whether it was renewed while it was looked at, for the time of a lease.
    package var isRenewed = false
    /// By what its owner judges, as `PartitionState.Settings.judging` says it; `nil` of an earlier version.
    package var settings: String?
    /// Why its owner judges nothing.
    package var obstacle: PartitionObstacle?
  }

  package struct Partition: Hashable, Sendable {
    package var lease: Claim?
    /// The input up to which everything is judged and stored.
    package var position: UInt64 = 0
    /// The version of the fences that is stored with it; `nil` before the first.
    package var fences: String?
    /// In how many buckets its devices are stored; `nil` before the first.
    package var buckets: Int?
    /// When the oldest input behind `position` came; `nil` where there is none.
    package var oldest: UnixTime?
    /// Whether nothing has answered to who owns it.
    package var isLeaseUnread = false
    /// Whether nothing has answered to how far it is.
    package var isStateUnread = false

    package init() {}
  }

  package struct Sink: Hashable, Sendable {
    package var name: String
    package var claim: Claim
    /// By partition, the number up to which every event is confirmed or set aside.
    package var settled: [UInt64]
    /// The tenants whose events it hands on, as commands call them; `nil` for all.
    package var tenants: [String]?
    /// Whether it has settled something while it was looked at.
    package var isMoving = false
    /// Whether nothing has answered to how far it is.
    package var isUnread = false
    /// When what it has put last came, by the servers' clock; `nil` where that is not known.
    package var put: UnixTime?
    /// When the oldest event that it has not settled came; `nil` where there is none, or that is not known.
    package var oldest: UnixTime?
  }

  package var servers: [Server] = []
  package var streams: [Stream] = []
  /// The stream of the fixes of the partition behind the last one, which should not be there.
  package var further: Stream?
  /// The streams of the fixes of every partition, where their number is another one.
  package var everyPartition: [Stream] = []
  package var partitions: [Partition] = []
  package var sinks: [Sink] = []
  /// Logs of which messages were asked for, and not each question was answered.
  package var unread: Set<FleetLog> = []
  /// The newest time by the servers' clock; `nil` where nobody has renewed anything.
  package var now: UnixTime?
  /// Tenants that are being erased, as commands call them.
  package var erasing: [String] = []
  /// Tenants of which events are there that should have been overwritten days ago.
  package var overdue: [String] = []
  /// Tenants with a key in the folder; `nil` where there is no folder.
  package var keys: Int?
  /// What is wrong with the keys of tenants.
  package var keyFaults: [String] = []

  package init() {}

  package func status(of log: FleetLog) -> StreamStatus? {
    streams.first { $0.log == log }?.status
  }
}

/// What is at a place that was asked for.
package enum MessageAnswer: Hashable, Sendable {
  case here(LogMessage)
  case none
  /// Nothing has answered.
  case silent

  package var message: LogMessage? { if case .here(let message) = self { message } else { nil } }
}

/// A message that is asked for.
package enum MessagePlace: Hashable, Sendable {
  /// The last one of a key.
  case last(key: String)
  case number(UInt64)
  /// The first one with a subject, which may end with `>`, from a number on.
  case first(subject: String, from: UInt64)
}

// MARK: - Reading what was found

extension FleetSurvey {
  /// What is asked to learn who has the partitions and how far they are.
  package static func questions(
    of partition: Int
  ) -> [(log: FleetLog, place: MessagePlace)] {
    [(.leases, .last(key: "\(partition)")), Checkpoint.place(of: partition)]
  }

  /// Where the oldest event of a tenant is in a partition.
  package static func oldestEvent(of tenant: String, in partition: Int) -> MessagePlace {
    .first(subject: FleetAddress.events(of: tenant, partition: partition), from: 1)
  }

  /// The subjects of the notes of tenants that are being erased, among the fences.
  package static var erasures: String { FenceStore.erasures }

  /// Takes such a note.
  package mutating func take(erasure note: LogMessage) {
    erasing.append(FenceStore.tenant(ofErasure: note))
  }

  /// Takes the answers to those questions.
  package mutating func take(
    _ partition: Int, lease: MessageAnswer, checkpoint: MessageAnswer
  ) {
    partitions[partition].lease = lease.message.flatMap { Claim(lease: $0) }
    partitions[partition].isLeaseUnread = lease == .silent
    partitions[partition].isStateUnread = checkpoint == .silent
    let stored = checkpoint.message.flatMap { Checkpoint($0.entry.bytes) }
    partitions[partition].fences = stored?.fences
    partitions[partition].buckets = stored?.buckets
    partitions[partition].position = stored?.position ?? 0
  }

  /// Takes a sink's key; what is none of a sink is passed over.
  package mutating func take(sink message: LogMessage) {
    guard let position = SinkPosition(message.entry.bytes), sinks.count < Self.mostSinks,
      let name = message.entry.subject.split(separator: ".").last
    else { return }
    sinks.append(
      Sink(
        name: String(name), claim: Claim(owner: position.owner, revision: message.sequence),
        settled: position.settled, tenants: position.tenants, put: message.time))
  }

  /// Those that somebody has, and has not renewed since they were looked at first.
  package var unrenewedLeases: [Int] {
    partitions.indices.filter { partitions[$0].lease?.isAwaited == true }
  }

  /// Those, and those that have not settled anything yet of what waits for them.
  package var unrenewedSinks: [Int] {
    sinks.indices.filter {
      sinks[$0].claim.isAwaited || (left(for: sinks[$0]) > 0 && !sinks[$0].isMoving)
    }
  }

  /// Events that a sink has not settled.
  package func left(for sink: Sink) -> UInt64 {
    var left: UInt64 = 0
    for (partition, settled) in sink.settled.enumerated() {
      let last = status(of: .events(partition))?.last ?? 0
      left += last > settled ? last - settled : 0
    }
    return left
  }

  /// Where the oldest event is that a sink has not settled, of each partition in which some are.
  package func waiting(for sink: Sink) -> [(log: FleetLog, place: MessagePlace)] {
    sink.settled.enumerated().compactMap { partition, settled in
      guard status(of: .events(partition))?.last ?? 0 > settled else { return nil }
      return (.events(partition), .first(subject: ">", from: settled + 1))
    }
  }

  /// Takes what a lease is now.
  package mutating func renew(_ partition: Int, _ answer: MessageAnswer) {
    partitions[partition].isLeaseUnread = answer == .silent
    guard let message = answer.message,
      partitions[partition].lease?.revision ?? 0 < message.sequence
    else { return }
    partitions[partition].lease = Claim(lease: message)
    partitions[partition].lease?.isRenewed = true
    note(message.time)
  }

  /// Takes what the key of a sink is now.
  package mutating func renew(sink index: Int, _ answer: MessageAnswer) {
    sinks[index].isUnread = answer == .silent
    guard let message = answer.message, sinks[index].claim.revision < message.sequence,
      let position = SinkPosition(message.entry.bytes)
    else { return }
    sinks[index].claim = Claim(owner: position.owner, revision: message.sequence, isRenewed: true)
    if sinks[index].settled != position.settled { sinks[index].isMoving = true }
    (sinks[index].settled, sinks[index].put) = (position.settled, message.time)
    note(message.time)
  }

  private mutating func note(_ time: UnixTime) { now = max(now ?? time, time) }

  private static let mostSinks = 1000
}

extension FleetSurvey.Claim {
  fileprivate init?(lease message: LogMessage) {
    guard let text = LeaseText(message.entry.bytes) else { return nil }
    self.init(owner: text.worker, revision: message.sequence)
    (settings, obstacle) = (text.settings, text.obstacle)
  }

  fileprivate var isAwaited: Bool { !owner.isEmpty && !isRenewed }

  /// Whether somebody has it and goes on having it.
  package var isHeld: Bool { !owner.isEmpty && isRenewed }
}
