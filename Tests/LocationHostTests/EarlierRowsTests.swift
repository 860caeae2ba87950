import Foundation
import TestSupport
import LocationCoding
import LocationEngine
import LocationHost
import LocationModel
import LocationRecording
import Testing

/// The fixtures were written by commit dac5003d, at the end of ``StoredDay``.
@Suite("What an earlier version stored and recorded")
struct EarlierRowsTests {
  /// What the engine and the logs of the next start read.
  private struct Restart {
    var engine = StoredDay.setup.engine
    var log = BoundedLog(keeping: .seconds(1e7))
    var now = Moment(
      uptime: Instant(nanoseconds: 1), unixTime: UnixTime(seconds: 1_700_004_000))
    var outputs: [LocationEngine.Output] = []
    /// The section of a recording.
    var recording: [UInt8] = []
    private var recorder = Recorder(StoredDay.setup)

    init(_ entries: [StateEntry]) {
      take(.stored(entries))
      _ = log.handle(.stored(entries), at: now)
      send(.connected(StoredDay.description))
      request(.authorization(.observe(StoredDay.manager)))
      request(.monitor(StoredDay.monitor, .open(name: "places")))
      request(.monitor(StoredDay.monitor, .next(after: .latest)))
    }

    mutating func take(_ input: LocationEngine.Input) {
      let new = engine.handle(input, at: now)
      outputs += new
      recorder.note(input, new, at: now)
      recording += recorder.takeBytes()
    }

    mutating func send(_ event: ClientEvent) { take(.client(StoredDay.client, event)) }

    mutating func request(_ request: Request) { send(.request(request)) }

    mutating func stand(at place: Coordinate) {
      now = Moment(uptime: now.uptime + .seconds(60), unixTime: now.unixTime + .seconds(60))
      let fix = Fix(coordinate: place, horizontalAccuracy: 8, time: now.unixTime)
      take(.fix(fix, from: ProviderID(0)))
    }

    var pending: [PendingEvent] {
      outputs.compactMap {
        if case .deliver(_, .pending(_, let event)) = $0 { event } else { nil }
      }
    }

    var records: [NamedRecord] {
      outputs.compactMap {
        if case .deliver(_, .monitor(_, .records(_, let records))) = $0 { records } else { nil }
      }.last ?? []
    }

    /// Of all outputs, also of those with numbers that do not equal themselves.
    var digest: OutputDigest { outputs.reduce(into: OutputDigest()) { $0.mix($1) } }
  }

  private static func fixture(_ name: String) -> String {
    SharedData.packageRoot.appending(path: "Tests/Fixtures/\(name)").path
  }

  private static func entries() throws -> [StateEntry] {
    let folder = try TemporaryFolder()
    let file = folder.file("state.sqlite")
    try FileManager.default.copyItem(atPath: fixture("state/earlier-rows.sqlite"), toPath: file)
    return try StateStore(path: file).entries()
  }

  @Test("has the same entries as the same day stores now")
  func keys() throws {
    #expect(
      try Self.entries().map(\.key)
        == StoredDay().entries.map(\.key).filter { $0 != LastPosition.key })
  }

  @Test("is read whole: grants, regions, conditions, events, and sessions")
  func whole() throws {
    let entries = try Self.entries()
    let restart = Restart(entries)
    let record = entries.first { $0.key == AuthorizationRecord.key(of: StoredDay.app) }
      .flatMap { AuthorizationRecord(stored: $0.value) }
    #expect(record?.grant == .always && record?.isPrecise == true)
    #expect(restart.engine.state(of: StoredDay.client).regions == StoredDay.regions)
    #expect(restart.records.map(\.identifier) == StoredDay.conditions.map(\.identifier))
    for (identifier, target) in StoredDay.conditions where identifier != "nowhere" {
      #expect(restart.records.first { $0.identifier == identifier }?.record.target == target)
    }
    let nowhere = restart.records.first { $0.identifier == "nowhere" }?.record.target
    guard case .circle(let circle) = nowhere else { throw CancellationError() }
    #expect(circle.center.latitude.isNaN && circle.radius == -1)
    #expect(restart.pending.count == 5)
    #expect(restart.pending.count { Self.hasEvidence($0) } == 4)
    #expect(restart.log.eventRecords.count == 7 && restart.log.accesses.count == 9)
    #expect(restart.log.eventRecords.count { $0.event.evidence != nil } == 4)
    #expect(
      restart.outputs.contains {
        if case .note(.session) = $0 { true } else { false }
      } == false)
  }

  private static func hasEvidence(_ event: PendingEvent) -> Bool {
    switch event {
    case .visit(let visit): visit.evidence != nil
    case .region(_, .entered(let evidence)), .region(_, .exited(let evidence)): evidence != nil
    case .region: false
    }
  }

  @Test("leads to the same outputs as what the same day stores now")
  func same() throws {
    // An earlier version stored no last position.
    let entries = StoredDay().entries.filter { $0.key != LastPosition.key }
    var (earlier, present) = (Restart(try Self.entries()), Restart(entries))
    #expect(earlier.digest == present.digest)
    for east in stride(from: 0.0, to: 7000, by: 500) {
      earlier.stand(at: StoredDay.home.moved(by: east, towards: 90))
      present.stand(at: StoredDay.home.moved(by: east, towards: 90))
    }
    #expect(earlier.digest == present.digest)
    #expect(earlier.log.eventRecords == present.log.eventRecords)
    #expect(earlier.log.accesses == present.log.accesses)
  }

  @Test("replays to its end")
  func recording() throws {
    let file = URL(fileURLWithPath: Self.fixture("recordings/earlier-rows.recording"))
    let summary = try Replay.run([UInt8](Data(contentsOf: file)))
    #expect(summary.sections == 2 && summary.steps == 958)
    // The present engine also answers each of the two requests with the state of the app (AUTH-20).
    #expect(summary.outputs == 927)
    #expect(summary.torn == 0 && summary.uncompared == summary.steps)
  }

  /// A day and a restart, as in the fixture.
  private static func recorded(_ entries: [StateEntry]) -> [UInt8] {
    var restart = Restart(entries)
    for east in stride(from: 0.0, to: 7000, by: 500) {
      restart.stand(at: StoredDay.home.moved(by: east, towards: 90))
    }
    return StoredDay().recording + restart.recording
  }

  @Test("is recorded again, also with what is no number, so that all outputs come back")
  func recordedAgain() throws {
    let summary = try Replay.run(Self.recorded(Self.entries()))
    #expect(summary.sections == 2 && summary.torn == 0 && summary.uncompared == 0)
  }
}
