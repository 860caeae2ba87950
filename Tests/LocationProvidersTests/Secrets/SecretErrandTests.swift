import LocationModel
import LocationProviders
import Testing

/// Errands with a Secret Service that answers as the test says.
@Suite("An errand with the Secret Service")
struct SecretErrandTests {
  private static let item = SecretItem(name: "0123456789abcdef", label: "Keys of a state")
  private let start = Moment(uptime: Instant(nanoseconds: 0), unixTime: UnixTime(seconds: 0))

  private func moment(_ seconds: Double) -> Moment {
    Moment(
      uptime: Instant(nanoseconds: 0) + .seconds(seconds), unixTime: UnixTime(seconds: seconds))
  }

  /// Answers the calls one after the other; returns the members that were called, and the outcome.
  private func run(
    _ purpose: SecretErrand.Purpose, _ replies: [BusReply]
  ) -> (members: [String], outcome: SecretOutcome?) {
    var errand = SecretErrand(purpose, within: .seconds(5))
    var outputs = errand.handle(.begin, at: start)
    var members: [String] = []
    var rest = replies[...]
    while case .bus(.call(let number, let call))? = outputs.first {
      members.append(call.member)
      guard let reply = rest.popFirst() else { return (members, nil) }
      outputs = errand.handle(.bus(.reply(number, reply)), at: start)
    }
    guard case .done(let outcome)? = outputs.first else { return (members, nil) }
    #expect(errand.nextDeadline == nil && errand.handle(.begin, at: start).isEmpty)
    return (members, outcome)
  }

  private func paths(_ paths: String...) -> BusValue {
    .array(of: "o", paths.map { .objectPath($0) })
  }

  private func secret(_ bytes: [UInt8], session: String = "/s/1") -> BusReply {
    .values([
      .structure([.objectPath(session), .bytes([]), .bytes(bytes), .string("text/plain")])
    ])
  }

  private let session = BusReply.values([.variant(.string("")), .objectPath("/s/1")])

  @Test("SEAL-14: ends at its time, and not before")
  func silent() {
    var errand = SecretErrand(.find(Self.item), within: .seconds(5))
    #expect(errand.handle(.begin, at: start).count == 1)
    #expect(errand.nextDeadline == moment(5).uptime)
    #expect(errand.handle(.wake, at: moment(4.9)).isEmpty)
    // A reply to a call that it did not make.
    #expect(errand.handle(.bus(.reply(7, .values([]))), at: moment(4.9)).isEmpty)
    #expect(
      errand.handle(.wake, at: moment(5))
        == [.done(.failed("it did not answer within 5000 ms"))])
    #expect(errand.handle(.bus(.reply(1, .values([]))), at: moment(6)).isEmpty)
  }

  @Test("SEAL-13: finds a secret, also behind a lock that opens without a question")
  func found() {
    let open = run(
      .find(Self.item), [.values([paths("/i/1"), paths()]), session, secret([1, 2])])
    #expect(open.outcome == .found([1, 2]))
    #expect(open.members == ["SearchItems", "OpenSession", "GetSecret"])
    let locked = run(
      .find(Self.item),
      [
        .values([paths(), paths("/i/1")]), .values([paths("/i/1"), .objectPath("/")]), session,
        secret([1, 2]),
      ])
    #expect(locked.outcome == .found([1, 2]))
  }

  @Test("SEAL-14: shows no window, and takes what is locked for locked")
  func locked() {
    let prompt = BusReply.values([paths(), .objectPath("/prompt/1")])
    let (members, outcome) = run(.find(Self.item), [.values([paths(), paths("/i/1")]), prompt])
    #expect(outcome == .locked && members == ["SearchItems", "Unlock"])
    let store = run(
      .store(Self.item, [1]),
      [
        .values([.objectPath("/c/1")]), .values([.objectPath("/")]),
        .values([.variant(.boolean(true))]), prompt,
      ])
    #expect(store.outcome == .locked)
    #expect(!(members + store.members).contains("Prompt"))
  }

  @Test("SEAL-15: takes an item for missing only where no collection can hide it")
  func missing() {
    let none = BusReply.values([paths(), paths()])
    let (own, no) = (
      BusReply.values([.objectPath("/c/1")]), BusReply.values([.variant(.boolean(false))])
    )
    let collections = BusReply.values([.variant(paths("/c/1", "/c/2"))])
    let session = BusReply.values([.objectPath("/c/2")])
    let missing = run(.find(Self.item), [none, collections, no, no, own, session, no])
    #expect(missing.outcome == .missing)
    let hidden = run(
      .find(Self.item), [none, collections, no, .values([.variant(.boolean(true))])])
    #expect(hidden.outcome == .locked)
    // Locked since it was counted.
    let late = run(
      .find(Self.item),
      [none, collections, no, no, own, session, .values([.variant(.boolean(true))])])
    #expect(late.outcome == .locked)
    let bare = run(
      .find(Self.item), [none, .values([.variant(paths())]), .values([.objectPath("/")])])
    #expect(bare.outcome?.fault?.contains("no collection") == true)
  }

  @Test(
    "SEAL-14: an answer that makes no sense is none",
    arguments: [
      BusReply.values([]), .values([.int32(1), .int32(2)]), .values([.boolean(true)]),
      .error("org.example.No"), .error("org.freedesktop.DBus.Error.NoReply"),
    ])
  func senseless(_ reply: BusReply) {
    let first: [BusReply] = [.values([paths("/i/1"), paths()]), session]
    for count in 0...2 {
      let outcome = run(.find(Self.item), first.prefix(count) + [reply]).outcome
      guard case .failed? = outcome else {
        Issue.record("\(String(describing: outcome)) after \(count)")
        continue
      }
    }
  }

  @Test("SEAL-14: a secret of another session, or a long one, is none")
  func wrongSecret() {
    let first: [BusReply] = [.values([paths("/i/1"), paths()]), session]
    for reply in [
      secret([1], session: "/s/2"), secret([UInt8](repeating: 0, count: 257)),
    ] {
      guard case .failed? = run(.find(Self.item), first + [reply]).outcome else {
        Issue.record("it was taken")
        continue
      }
    }
  }

  @Test("SEAL-13: stores where it lasts, and only what can be read again counts")
  func stored() {
    let (own, none) = (
      BusReply.values([.objectPath("/c/1")]), BusReply.values([.objectPath("/")])
    )
    let open = BusReply.values([.variant(.boolean(false))])
    let created = BusReply.values([.objectPath("/i/9"), .objectPath("/")])
    let way = [own, none, open, session, created]
    #expect(run(.store(Self.item, [1]), way + [secret([1])]).outcome == .stored)
    guard case .failed? = run(.store(Self.item, [1]), way + [secret([2])]).outcome else {
      Issue.record("another secret counts")
      return
    }
    #expect(run(.look, [own, none, open]).outcome == .ready)
    let temporary = run(.look, [own, own]).outcome
    #expect(temporary?.fault?.contains("gone when the session ends") == true)
    #expect(run(.look, [none]).outcome?.fault?.contains("no collection") == true)
    #expect(run(.look, [.error("org.freedesktop.DBus.Error.ServiceUnknown")]).outcome == .absent)
  }

  @Test("SEAL-16: removes every item of the name")
  func removed() {
    let gone = BusReply.values([.objectPath("/")])
    let all = run(.remove(Self.item), [.values([paths("/i/1", "/i/2"), paths()]), gone, gone])
    #expect(all.outcome == .removed && all.members == ["SearchItems", "Delete", "Delete"])
    let asked = run(
      .remove(Self.item),
      [.values([paths("/i/1"), paths()]), .values([.objectPath("/prompt/1")])])
    #expect(asked.outcome == .locked)
  }
}
