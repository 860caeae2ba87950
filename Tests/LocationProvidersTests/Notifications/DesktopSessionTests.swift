import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("Questions in a graphical session")
struct DesktopSessionTests {
  private static let service = "org.freedesktop.Notifications"
  private static let none = BusReply.error("org.freedesktop.DBus.Error.ServiceUnknown")
  private var bench = Bench(DesktopSession(), describe: Self.word)
  private var asked = 0

  private static func word(_ output: DesktopSession.Output) -> String {
    switch output {
    case .enter: "enter"
    case .bus(.subscribe(let match)): "follow \(match.firstArgument ?? "")"
    case .bus(.call(_, let call)): call.member
    case .bus: "?"
    case .attend(0): "attend"
    case .attend(let daemon): "attend \(daemon)"
    case .leave: "leave"
    case .end(.unneeded(let reason)): "end: \(reason)"
    case .end(.refused(let reason)): "refused: \(reason)"
    }
  }

  /// The words of the desktop, to the next call.
  private mutating func offer(_ words: String...) {
    answer(.values([.array(of: "s", words.map { .string($0) })]))
  }

  private mutating func answer(_ reply: BusReply) {
    asked += 1
    bench.send(.bus(.reply(-asked, reply)))
  }

  /// Up to the question whether there are buttons.
  private mutating func enter() {
    bench.send(.begin)
    bench.send(.bus(.connected))
    bench.send(.bus(.reply(1, .values([.uint32(1)]))))
  }

  private mutating func owner(from old: String, to new: String) {
    bench.send(.bus(.owner(of: Self.service, from: old, to: new)))
  }

  /// What was said since the last time.
  private mutating func said() -> [String] {
    defer { heard = bench.outputs.count }
    let lines = bench.transcript.split(separator: "\n").dropFirst(heard)
    return lines.map { String($0.drop { $0 != " " }.drop { $0 == " " }) }
  }

  private var heard = 0

  @Test("AUTH-58: are answered while notifications have buttons, by one agent of the session")
  mutating func attend() {
    enter()
    offer("body", "actions")
    #expect(
      bench.transcript == """
        00:00:00  enter
        00:00:00  follow org.meridian.LocationAgent
        00:00:00  RequestName
        00:00:00  follow org.freedesktop.Notifications
        00:00:00  GetCapabilities
        00:00:00  attend
        """)
    #expect(bench.machine.nextDeadline == nil)
  }

  @Test("AUTH-58: a second agent of the session asks nobody")
  mutating func second() {
    bench.send(.begin)
    bench.send(.bus(.connected))
    bench.send(.bus(.reply(1, .values([.uint32(3)]))))
    #expect(said().last == "end: another agent of this session asks already")
    // Nothing goes on after the end.
    owner(from: "", to: ":1.5")
    bench.run(for: .seconds(600))
    #expect(said() == [])
  }

  @Test("AUTH-58: without a bus, or with one that goes, there is nobody to ask")
  mutating func bus() {
    bench.send(.begin)
    bench.send(.closed(reason: "no such file"))
    #expect(said().last == "end: there is no bus of a session: no such file")
    self = Self()
    enter()
    offer("actions")
    _ = said()
    bench.send(.bus(.disconnected))
    #expect(said() == ["leave", "end: there is no bus of a session: the bus has gone"])
  }

  @Test("AUTH-58: notifications without buttons ask nobody")
  mutating func noButtons() {
    enter()
    offer("body")
    #expect(said().last == "end: the notifications of this session have no buttons")
  }

  @Test("AUTH-58: a desktop that starts slowly is waited for, a minute at most")
  mutating func slow() {
    enter()
    answer(Self.none)
    _ = said()
    bench.run(for: .seconds(20))
    owner(from: "", to: ":1.5")
    offer("actions")
    #expect(said() == ["GetCapabilities", "attend"])
    self = Self()
    enter()
    answer(Self.none)
    _ = said()
    bench.run(for: .seconds(59))
    #expect(said() == [])
    bench.run(for: .seconds(1))
    answer(Self.none)
    #expect(said() == ["GetCapabilities", "end: no program shows notifications in this session"])
  }

  @Test("AUTH-58: the daemon is left while nobody shows notifications, and for good after a minute")
  mutating func lost() {
    enter()
    offer("actions")
    _ = said()
    owner(from: ":1.5", to: "")
    #expect(said() == ["leave"])
    bench.run(for: .seconds(3))
    owner(from: "", to: ":1.6")
    offer("actions")
    #expect(said() == ["GetCapabilities", "attend"])
    // Replaced at once, it is another one, which is asked anew.
    owner(from: ":1.6", to: ":1.7")
    offer("actions")
    #expect(said() == ["leave", "GetCapabilities", "attend"])
    owner(from: ":1.7", to: "")
    bench.run(for: .seconds(60))
    answer(Self.none)
    #expect(
      said() == [
        "leave", "GetCapabilities", "end: no program shows notifications in this session",
      ])
  }

  @Test("AUTH-58: a desktop that could not show a question is asked again a minute later")
  mutating func passed() {
    enter()
    offer("actions")
    _ = said()
    bench.send(.passed)
    bench.send(.passed)
    bench.send(.detached(0, refusal: nil))
    #expect(said() == ["leave"])
    bench.run(for: .seconds(60))
    offer("actions")
    #expect(said() == ["GetCapabilities", "attend"])
  }

  @Test("AUTH-58: a daemon that has gone is looked for every 10 s, and one that refuses once more")
  mutating func daemon() {
    enter()
    offer("actions")
    _ = said()
    bench.send(.detached(0, refusal: nil))
    bench.run(for: .seconds(9))
    #expect(said() == [])
    bench.run(for: .seconds(1))
    #expect(said() == ["attend"])
    bench.send(.detached(0, refusal: "shown by an app"))
    #expect(said() == [])
    bench.run(for: .seconds(10))
    #expect(said() == ["attend"])
    // A question comes after a refusal that has passed.
    bench.send(.asked(0))
    bench.send(.detached(0, refusal: "process 7 has ended"))
    bench.run(for: .seconds(10))
    #expect(said() == ["attend"])
    bench.send(.detached(0, refusal: "shown by an app"))
    #expect(said() == ["leave", "refused: shown by an app"])
    bench.run(for: .seconds(600))
    #expect(said() == [])
  }

  @Test("AUTH-60: the own daemon and that of the machine are attended, each for itself")
  mutating func both() {
    bench = Bench(DesktopSession(daemons: 2), describe: Self.word)
    enter()
    offer("actions")
    #expect(said().suffix(2) == ["attend", "attend 1"])
    bench.send(.detached(0, refusal: nil))
    bench.run(for: .seconds(10))
    #expect(said() == ["attend"])
    // One that refuses for good is attended no more; the other one goes on, and comes back.
    for _ in 1...2 {
      bench.send(.detached(0, refusal: "shown by an app"))
      bench.run(for: .seconds(10))
    }
    #expect(said() == ["attend"])
    bench.send(.detached(1, refusal: nil))
    bench.run(for: .seconds(10))
    #expect(said() == ["attend 1"])
    // Notifications that have gone leave both, and come back for the one that is left.
    owner(from: ":1.5", to: "")
    owner(from: "", to: ":1.6")
    offer("actions")
    #expect(said() == ["leave", "GetCapabilities", "attend 1"])
    for _ in 1...2 {
      bench.send(.detached(1, refusal: "shown by an app"))
      bench.run(for: .seconds(10))
    }
    #expect(said() == ["attend 1", "leave", "refused: shown by an app"])
  }
}
