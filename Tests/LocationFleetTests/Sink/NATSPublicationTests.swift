import LocationModel
import TestSupport
import Testing

@testable import LocationFleet

@Suite("Events as messages of NATS")
struct NATSPublicationTests {
  private func read(_ subject: String, _ line: String) -> SinkEvent? {
    SinkEvent(
      LogMessage(
        sequence: 1, time: FleetWalk.start,
        entry: LogEntry(subject: subject, bytes: Array(line.utf8))), partition: 0)
  }

  @Test("FLEET-141: the subject is the prefix, tenant and device as parts, and the kind")
  func subjects() throws {
    let line = SinkBench.line(2, of: 1, "entered")
    for (kept, subject) in [
      ("evt.0.acme.truck-1.entered", "fleet.acme.truck-1.entered"),
      ("evt.0._.a_20b.entered", "fleet._.a_20b.entered"),
    ] {
      let event = try #require(read(kept, line))
      #expect(NATSPublication.subject(of: event, under: "fleet") == subject)
    }
    let whole = #"{"type":"gap","partition":0,"first":1,"last":4}"#
    let gap = try #require(read("evt.0.-.gap", whole))
    #expect(NATSPublication.subject(of: gap, under: "a.b") == "a.b.-.-.gap")
  }

  @Test(
    "FLEET-142: too large refuses for good, full and away has everything wait, and else it is tried again"
  )
  func answers() {
    #expect(
      NATSPublication.outcome(code: 400, number: 10_054, cause: "") == .refused("error 10054"))
    for (code, number, cause) in [
      (400, 10_002, "a"), (500, 10_047, "a"), (503, 10_077, "maximum bytes exceeded"),
      (503, 10_077, "maximum messages exceeded"), (500, 10_023, "a"), (500, 10_028, "a"),
    ] {
      let outcome = NATSPublication.outcome(code: code, number: number, cause: cause)
      guard case .full(let reason) = outcome else {
        Issue.record("\(number): \(outcome)")
        continue
      }
      #expect(reason.hasPrefix("\(cause) (error \(number)); next: "))
    }
    for (number, cause) in [(10_008, "a"), (10_077, "maximum messages per subject exceeded")] {
      #expect(
        NATSPublication.outcome(code: 503, number: number, cause: cause)
          == .unreachable("\(cause) (error \(number))", after: nil))
    }
    #expect(
      NATSPublication.outcome(code: 400, number: 10_109, cause: "sealed")
        == .failed("error 10109", after: nil))
  }

  private let untaken = DeliveryOutcome.unreachable(
    NATSPublication.untaken(under: "fleet"), after: nil)
  private let now = Instant.start + .seconds(10)

  private func published(_ count: UInt64) -> PublishedEvents {
    var events = PublishedEvents(under: "fleet")
    for number in 1...count {
      events.add(number, of: number + 100, at: "fleet.acme.truck-\(number).entered", at: now)
    }
    return events
  }

  @Test("FLEET-142: which messages no stream takes, shows when all others are answered")
  func untakenOnes() {
    var events = published(3)
    events.note(untaken: 2)
    #expect(events.expire(at: now).settled.isEmpty)
    #expect(events.answer(2, .confirmed)?.number == 102)
    #expect(events.answer(2, .confirmed) == nil)
    let (given, isSilent) = events.expire(at: now)
    #expect(given.map(\.number) == [101, 103] && given.allSatisfy { $0.outcome == untaken })
    #expect(!isSilent && events.isEmpty)
    // Of the next ones none is taken for such a one.
    events.add(4, of: 104, at: "fleet.acme.truck-4.entered", at: now)
    #expect(events.expire(at: now).settled.isEmpty)
  }

  @Test("FLEET-142: what is not answered in 5 s is given up, and only a silent server is left")
  func silence() {
    var events = published(2)
    #expect(events.expire(at: now + .seconds(4.9)).settled.isEmpty)
    events.add(3, of: 103, at: "fleet.acme.truck-3.entered", at: now + .seconds(4))
    let (given, isSilent) = events.expire(at: now + .seconds(5))
    #expect(given.map(\.number) == [101, 102] && isSilent && !events.isEmpty)
    #expect(
      given.allSatisfy { $0.outcome == .unreachable("no answer within 5 s", after: nil) })
    events.note(untaken: 1)
    let (last, isSilentAgain) = events.expire(at: now + .seconds(5))
    #expect(last.map(\.number) == [103] && !isSilentAgain)
  }

  @Test("FLEET-142: where the user may not publish is said without a device")
  func forbidden() {
    var events = published(3)
    let gone = events.forbid("fleet.acme.truck-2.entered")
    #expect(gone.map(\.number) == [102])
    guard case .unreachable(let reason, nil)? = gone.first?.outcome else {
      Issue.record("\(gone)")
      return
    }
    #expect(reason.contains("fleet.>") && !reason.contains("truck"))
    #expect(events.forbid("fleet.acme.truck-2.entered").isEmpty)
    #expect(events.end("it ends").map(\.number) == [101, 103] && events.isEmpty)
  }
}
