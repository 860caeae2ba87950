import LocationModel
import Testing

@testable import LocationFleet

@Suite("The diagnosis of a fleet")
struct FleetDiagnosisTests {
  private let configuration: SinkConfiguration
  private var survey = FleetSurvey()

  init() {
    var faults: [FleetConfiguration.Fault] = []
    configuration = SinkConfiguration(
      """
      partitions = 2
      replicas = 3
      snapshot = 60
      webhook = https://hooks.example.org/fleet
      """, &faults)
    #expect(faults.isEmpty)
    survey.servers = [FleetSurvey.Server("nats://one:4222", .works(Self.greeting("2.9.10")))]
    var status = StreamStatus()
    status.replicas = 3
    status.messages = 100
    status.last = 100
    status.copies = ["two", "three"].map { StreamStatus.Copy(server: $0, isCurrent: true) }
    let kept: [(FleetLog, String, Int)] =
      [(.leases, "KV_LEASES", 0), (.fences, "KV_FENCES", 0), (.sinks, "KV_SINKS", 0)]
      + (0..<2).flatMap { number -> [(FleetLog, String, Int)] in
        [
          (.fixes(number), "FIX_\(number)", 72 * 3600),
          (.events(number), "EVT_\(number)", 30 * 86_400),
        ]
      }
    for (log, name, seconds) in kept {
      status.age = seconds * 1_000_000_000
      survey.streams.append(FleetSurvey.Stream(log, name, .here(status)))
    }
    for number in 0..<2 {
      var partition = FleetSurvey.Partition()
      partition.lease = FleetSurvey.Claim(owner: "a-\(number)", revision: 7, isRenewed: true)
      partition.position = 100
      partition.fences = "00112233445566ff"
      survey.partitions.append(partition)
    }
    survey.sinks = [
      FleetSurvey.Sink(
        name: "webhook", claim: FleetSurvey.Claim(owner: "b", revision: 3, isRenewed: true),
        settled: [100, 90], isMoving: true)
    ]
    survey.now = UnixTime(seconds: 1e9)
  }

  private static func greeting(_ version: String, _ more: String = #""jetstream":true"#)
    -> ServerGreeting
  {
    let line = #"INFO {"server_name":"one","version":"\#(version)",\#(more)} "# + "\r"
    guard let greeting = ServerGreeting(Array(line.utf8)) else { fatalError("no greeting") }
    return greeting
  }

  private func findings(_ change: (inout FleetSurvey) -> Void = { _ in }) -> [FleetFinding] {
    var copy = survey
    change(&copy)
    return FleetDiagnosis(configuration, copy).findings
  }

  private func faults(_ change: (inout FleetSurvey) -> Void) -> [FleetFinding] {
    let faults = findings(change).filter { $0.verdict != .good }
    for fault in faults { #expect(fault.next?.isEmpty == false, "\(fault.code)") }
    return faults
  }

  private static func change(
    _ name: String, _ survey: inout FleetSurvey, _ body: (inout StreamStatus) -> Void
  ) {
    for index in survey.streams.indices where survey.streams[index].name == name {
      guard var status = survey.streams[index].status else { continue }
      body(&status)
      survey.streams[index].state = .here(status)
    }
  }

  @Test("FLEET-86: a fleet that is well has a finding for each part, and none is bad")
  func well() {
    #expect(findings().allSatisfy { $0.verdict == .good })
    #expect(
      findings().map(\.code) == [
        "server_works", "streams_work", "partitions_work", "fences_work", "sink_works",
      ])
    #expect(findings().last?.text == "ok  sink webhook\n    found: it hands on; 10 events wait")
    #expect(findings()[2].message.hasPrefix("2, of a-0 (1), a-1 (1); 0 messages"))
  }

  @Test("FLEET-87: each fault of a server has a code of its own")
  func servers() {
    for (state, code) in [
      (.unreachable("Connection refused"), "server_unreachable"), (.stranger, "server_stranger"),
      (.refuses(Self.greeting("2.9.10"), "Authorization Violation"), "server_refuses"),
      (.works(Self.greeting("2.8.4")), "server_old"),
      (.works(Self.greeting("2.10.1", #""jetstream":false"#)), "server_without_jetstream"),
    ] as [(FleetSurvey.Server.State, String)] {
      let found = faults { $0.servers.append(FleetSurvey.Server("nats://two:4222", state)) }
      #expect(found.map(\.code) == [code])
      #expect(found.first?.subject == "nats://two:4222")
    }
    let alone = faults { $0.servers[0].state = .stranger }
    #expect(alone.map(\.code) == ["server_stranger"], "nothing else is known without a server")
  }

  @Test("FLEET-88: a lease that nobody renews, or that is none, is one without a worker")
  func leases() {
    let found = faults {
      $0.partitions[0].lease?.isRenewed = false
      $0.partitions[1].lease = nil
    }
    #expect(found.map(\.code) == ["partitions_without_worker"])
    #expect(
      found.first?.message
        == "no worker has partitions 0, 1; a-0 had it and has not renewed it for 3 s")
    let sink = faults { $0.sinks[0].claim.owner = "" }
    #expect(sink.map(\.code) == ["sink_gone"])
  }

  @Test("FLEET-88: what waits longer than two snapshots and 30 s is behind")
  func behind() {
    func oldest(_ age: Double) -> [FleetFinding] {
      faults {
        $0.partitions[1].position = 60
        $0.partitions[1].oldest = UnixTime(seconds: 1e9 - age)
      }
    }
    #expect(oldest(149).isEmpty)
    #expect(oldest(151).map(\.code) == ["partitions_behind"])
    #expect(
      oldest(151).first?.message
        == "40 messages of partition 1 are not stored as judged, the oldest for 151 s")
  }

  @Test(
    "FLEET-127: a partition whose lease says that it waits for a key is a fault, also without one")
  func withoutKey() {
    let found = faults {
      for (number, tenant) in ["beta", "-"].enumerated() {
        $0.partitions[number].lease?.obstacle = PartitionObstacle(
          tenant: tenant, cause: "no key", key: number == 0 ? .missing : .unmade)
      }
    }
    #expect(found.map(\.code) == ["partitions_without_key", "partitions_without_key"])
    #expect(
      found[0].message.contains("partition 1 cannot go on: the key of tenant - was never made"))
    #expect(found[0].next?.hasPrefix("locationfleet tenant-key -, once") == true)
    #expect(found[1].message.contains("partition 0 cannot go on: the key of tenant beta"))
    #expect(found[1].next?.hasPrefix("bring the file back from a copy") == true)
    #expect(found[1].next?.hasSuffix("locationfleet erase beta --all") == true)
    // What one has seen sealed counts more than what another one has not.
    let both = faults {
      for (number, fault) in [TenantKeyFault.unmade, .other].enumerated() {
        $0.partitions[number].lease?.obstacle = PartitionObstacle(
          tenant: "beta", cause: "no key", key: fault)
      }
    }
    #expect(both.first?.message.contains("is another one than that with which") == true)
    #expect(both.first?.next?.contains("tenant-key") == false)
    let other = faults {
      for number in 0..<2 {
        $0.partitions[number].lease?.obstacle = PartitionObstacle(cause: "st.0.7 cannot be read")
      }
    }
    #expect(other.map(\.code) == ["partitions_held_up"])
    #expect(other.first?.message == "partitions 0, 1 cannot go on: st.0.7 cannot be read")
    // Of an owner that is gone it is known no more.
    let gone = faults {
      $0.partitions[0].lease?.obstacle = PartitionObstacle(tenant: "beta", cause: "no key")
      $0.partitions[0].lease?.isRenewed = false
    }
    #expect(gone.map(\.code) == ["partitions_without_worker"])
  }

  @Test(
    "FLEET-127: while a worker waits for a key, no finding says that there is one for each tenant")
  func keysThatAreMissing() {
    var faults: [FleetConfiguration.Fault] = []
    let own = SinkConfiguration("partitions = 2\nreplicas = 3\ntenant-keys = /keys\n", &faults)
    func codes(_ tenant: String?) -> [String] {
      var copy = survey
      copy.keys = 1
      copy.partitions[0].lease?.obstacle = tenant.map { PartitionObstacle(tenant: $0, cause: "") }
      return FleetDiagnosis(own, copy).findings.map(\.code)
    }
    #expect(codes(nil).contains("tenant_keys_work"))
    #expect(!codes("beta").contains("tenant_keys_work"))
  }

  @Test("FLEET-133: workers that judge by other settings are named, with what differs")
  func otherSettings() {
    var wide = configuration.ingress.fleet.worker.partition
    let own = wide.judging
    wide.fleet.window = 5
    func codes(_ first: String?, _ second: String?) -> [FleetFinding] {
      faults {
        $0.partitions[0].lease?.settings = first
        $0.partitions[1].lease?.settings = second
      }
    }
    #expect(codes(own, own).isEmpty)
    #expect(codes(nil, own).isEmpty, "one of an earlier version does not say it")
    let differing = codes(wide.judging, own)
    #expect(differing.map(\.code) == ["settings_differ"])
    #expect(differing.first?.message.contains("a-0 by window=5.0") == true)
    #expect(differing.first?.message.contains("a-1 by window=0.0") == true)
    let elsewhere = codes(wide.judging, nil)
    #expect(elsewhere.map(\.code) == ["settings_of_another_file"])
    #expect(
      elsewhere.first?.message
        == "workers judge by window=5.0, and this configuration has window=0.0")
  }

  @Test("FLEET-127: what has given events and is not stored counts as not stored")
  func notStored() {
    var copy = survey
    let checkpoint = Checkpoint(position: 40, fences: "", buckets: 8)
    let entry = LogEntry(subject: "st.1.checkpoint", bytes: checkpoint.encoded)
    copy.take(
      1, lease: .none,
      checkpoint: .here(LogMessage(sequence: 9, time: UnixTime(seconds: 1), entry: entry)))
    #expect(copy.partitions[1].position == 40)
  }

  @Test("FLEET-89: streams that are missing or without a leader, and copies that are not current")
  func streams() {
    let states = faults {
      $0.streams[3].state = .missing
      $0.streams[4].state = .silent("no answer: nobody answers")
      Self.change("FIX_1", &$0) { $0.hasLeader = false }
    }
    #expect(
      states.map(\.code) == [
        "server_may_hang", "streams_missing", "streams_silent", "streams_leaderless",
      ])
    let copies = faults {
      Self.change("FIX_0", &$0) { $0.replicas = 1 }
      Self.change("EVT_0", &$0) {
        $0.copies[0].isCurrent = false
        $0.copies[0].lag = 12
      }
      Self.change("EVT_1", &$0) { $0.copies[1].isOffline = true }
    }
    #expect(copies.map(\.code) == ["replicas_differ", "copies_behind", "copies_behind"])
    #expect(
      copies.map(\.message) == [
        "`replicas` is 3, and FIX_0 has 1",
        "three is gone: its copies of EVT_1 are not current",
        "two is 12 operations behind: its copies of EVT_0 are not current",
      ])
  }

  @Test("FLEET-89: times to keep, fences, keys, and sinks that are not as the configuration says")
  func settings() {
    let kept = faults {
      Self.change("EVT_0", &$0) { $0.age = 7 * 86_400 * 1_000_000_000 }
      $0.overdue = ["acme", ""]
    }
    #expect(kept.map(\.code) == ["retention_differs", "expire_overdue"])
    #expect(kept[0].message == "`keep-events-days` is 30, and EVT_0 keeps 7")
    #expect(kept[1].message.hasPrefix("events of acme, - are there"))
    #expect(
      faults { $0.partitions[1].fences = "" }.map(\.message) == [
        "00112233445566ff in partition 0; none in partition 1"
      ])
    #expect(
      faults { Self.change("KV_FENCES", &$0) { $0.messages = 0 } }.map(\.code) == ["fences_none"])
    let held = faults { $0.erasing = ["zeta", "-"] }
    #expect(held.map(\.code) == ["fences_held_back"])
    #expect(held[0].message.hasPrefix("being erased: tenant -, zeta; no fences can be published"))
    #expect(held[0].next?.hasSuffix("locationfleet erase - --all") == true)
    let renamed = faults {
      ($0.sinks[0].name, $0.sinks[0].claim) = ("old", FleetSurvey.Claim(owner: "", revision: 1))
    }
    #expect(renamed.map(\.code) == ["sink_gone", "sink_never"])
    #expect(renamed[0].next?.hasSuffix("locationfleet forget-sink old") == true)
    #expect(faults { $0.sinks = [] }.map(\.code) == ["sink_never"])
    #expect(faults { $0.sinks[0].settled = [1] }.map(\.code) == ["sink_of_another_fleet"])
    let behind = faults {
      $0.sinks[0].settled = [0, 0]
      Self.change("EVT_0", &$0) { $0.last = 20_000 }
    }
    #expect(behind.map(\.code) == ["sink_behind"])
    let stalled = faults { $0.sinks[0].isMoving = false }
    #expect(
      stalled.map(\.message) == [
        "a process has it, 10 events wait, and none was confirmed in the 3 s of this look"
      ])
  }

  @Test("FLEET-160: where every server lets in and streams are silent, one of the servers may hang")
  func hung() {
    func silence(_ survey: inout FleetSurvey, isDenied: Bool = false) {
      for index in survey.streams.indices {
        survey.streams[index].state = .silent("no answer: nobody answers")
        survey.streams[index].isDenied = isDenied
      }
      (survey.partitions, survey.sinks) = ([], [])
    }
    let hung = faults { silence(&$0) }
    #expect(
      hung.map(\.code) == [
        "server_may_hang", "streams_silent", "not_looked_at", "not_looked_at", "not_looked_at",
      ])
    #expect(hung.suffix(3).map(\.subject) == ["partitions", "fences", "sinks"])
    #expect(hung[0].next?.contains("kill -s KILL nats-server") == true)
    #expect(hung[1].next?.hasPrefix("kill and start the server that does not answer") == true)
    let denied = faults { silence(&$0, isDenied: true) }
    #expect(denied[0].next?.hasPrefix("give the user $JS.API.STREAM.INFO.>") == true)
    let gone = faults {
      silence(&$0)
      $0.servers.append(FleetSurvey.Server("nats://two:4222", .unreachable("refused")))
    }
    #expect(gone.map(\.code).prefix(2) == ["server_unreachable", "streams_silent"])
    #expect(gone[1].next?.hasPrefix("start the servers that are gone") == true)
  }

  @Test("FLEET-160: no answer is not taken for no lease, no position, no fences, or no sink")
  func unread() {
    let some = faults {
      $0.partitions[0].lease = nil
      $0.partitions[0].isLeaseUnread = true
      ($0.partitions[1].position, $0.partitions[1].fences) = (0, nil)
      $0.partitions[1].isStateUnread = true
      $0.partitions[1].oldest = UnixTime(seconds: 1)
      ($0.sinks, $0.unread) = ([], [.sinks])
    }
    #expect(some.map(\.subject) == ["partitions", "fences", "sinks"])
    #expect(some.allSatisfy { $0.code == "not_looked_at" })
    #expect(some[0].message.hasPrefix("not looked at: partitions 0, 1, as"))
    let sink = faults {
      $0.sinks[0].claim.isRenewed = false
      $0.sinks[0].isUnread = true
    }
    #expect(sink.map(\.code) == ["not_looked_at"] && sink[0].subject == "sink webhook")
    let young = findings { $0.partitions[1].fences = nil }.first { $0.code == "fences_work" }
    #expect(young?.message.contains(" in 1 of 2 partitions; the others have not stored") == true)
  }

  @Test(
    "FLEET-160: of a sink that stands still it is said for how long its oldest event waits")
  func waiting() {
    let found = faults {
      ($0.sinks[0].isMoving, $0.sinks[0].oldest) = (false, UnixTime(seconds: 1e9 - 125))
    }
    #expect(found.map(\.code) == ["sink_stalled"])
    #expect(found[0].message.contains("10 events wait, the oldest for 125 s, and none was"))
    let places = survey.waiting(for: survey.sinks[0])
    #expect(places.map(\.log) == [.events(1)])
    #expect(places.first?.place == .first(subject: ">", from: 91))
  }

  @Test("FLEET-132: devices that are stored in another number of buckets are named")
  func buckets() {
    let found = faults { $0.partitions[1].buckets = 32 }
    #expect(found.map(\.code) == ["buckets_differ"])
    #expect(found[0].message == "`buckets` is 256, and devices are stored in 32")
    #expect(faults { $0.partitions[1].buckets = 256 }.isEmpty)
  }

  @Test("FLEET-109: a sink that has handed on the events of other tenants is named")
  func tenantsOfSinks() {
    let found = faults { $0.sinks[0].tenants = ["-", "acme"] }
    #expect(found.map(\.code) == ["sink_of_other_tenants"])
    #expect(found[0].message.hasPrefix("it has handed on the events of tenants -, acme, and by"))
    #expect(found[0].message.hasSuffix(" of all tenants"))
    // Another configuration says what one with another name hands on.
    let named = findings { ($0.sinks[0].name, $0.sinks[0].tenants) = ("webhook-acme", ["acme"]) }
    #expect(
      named.contains { $0.message == "it hands on the events of tenant acme; 10 events wait" })
  }

  @Test("FLEET-107: more partitions than the configuration says are named, with the next step")
  func partitions() {
    func ends(_ last: FleetSurvey.Stream.State, _ further: FleetSurvey.Stream.State)
      -> [FleetSurvey.Stream]
    {
      zip(FleetSurvey.ends(ofPartitions: 2), [last, further]).map { log, state in
        FleetSurvey.Stream(log, log == .fixes(1) ? "FIX_1" : "FIX_2", state)
      }
    }
    func fault(_ ends: [FleetSurvey.Stream]) -> String? {
      FleetSurvey.fault(ofPartitions: 2, ends)
    }
    let here = FleetSurvey.Stream.State.here(StreamStatus())
    #expect(fault(ends(here, .missing)) == nil && FleetSurvey.silence(ends(here, .missing)) == nil)
    #expect(fault(ends(here, here)) == "`partitions` is 2, and there is FIX_2")
    #expect(fault(ends(.missing, .missing)) == "`partitions` is 2, and FIX_1 is not there")
    let silent = ends(here, .silent("nobody answers"))
    #expect(fault(silent) == nil && FleetSurvey.silence(silent) == "FIX_2: nobody answers")
    #expect(findings { $0.further = ends(here, .missing)[1] }.allSatisfy { $0.verdict == .good })
    let found = faults { $0.further = ends(here, here)[1] }
    #expect(found.map(\.code) == ["partitions_differ"])
    #expect(found.first?.verdict == .bad && found.first?.next == FleetSurvey.partitionsStep)
  }

  @Test(
    "FLEET-157: where the last partition is not there and others are, the fleet has fewer; where it is there, streams are missing"
  )
  func fewerPartitions() {
    func every(_ numbers: [Int]) -> [FleetSurvey.Stream] {
      FleetSurvey.everyPartition.enumerated().map { number, log in
        FleetSurvey.Stream(
          log, "FIX_\(number)", numbers.contains(number) ? .here(StreamStatus()) : .missing)
      }
    }
    #expect(every([]).count == 1024)
    #expect(FleetSurvey.number(ofPartitions: every([])) == nil)
    #expect(FleetSurvey.step(ofPartitions: every([])) == "locationfleet init")
    // Of one that was interrupted the last one is there, and few others.
    #expect(FleetSurvey.number(ofPartitions: every([0, 7])) == 8)
    let step = FleetSurvey.step(ofPartitions: every(Array(0..<8)))
    #expect(step.hasPrefix("set `partitions` to 8 in"))
    var silent = every([0])
    silent[3].state = .silent("nobody answers")
    #expect(FleetSurvey.step(ofPartitions: silent) == FleetSurvey.partitionsStep)
    // FIX_1 is the sixth.
    let fewer = faults {
      $0.streams[5].state = .missing
      $0.everyPartition = every([0])
    }
    #expect(fewer.map(\.code) == ["partitions_differ"], "and not that init is to be asked")
    #expect(fewer.first?.message == "`partitions` is 2, and FIX_1 is not there")
    #expect(fewer.first?.next?.hasPrefix("set `partitions` to 1 in") == true)
    let interrupted = faults { $0.streams[3].state = .missing }
    #expect(interrupted.map(\.code) == ["streams_missing"])
    #expect(interrupted.first?.next == "locationfleet init")
    let none = faults { for number in $0.streams.indices { $0.streams[number].state = .missing } }
    #expect(none.first?.code == "streams_missing")
  }
}
