import LocationProviders
import Testing

@Suite("The sessions of persons on a bus")
struct SessionMonitorTests {
  private static let folder = "/org/freedesktop/login1"
  private static let person = "\(folder)/session/_31"

  /// A monitor that has the list of these sessions, by their paths.
  private func listed(_ paths: [String]) -> (LoginSessions, [SessionOutput]) {
    var monitor = LoginSessions()
    let asked = monitor.take(.connected)
    #expect(asked.last == .bus(.call(1, list)))
    let rows = paths.map { path in
      BusValue.structure([
        .string("1"), .uint32(1000), .string("jane"), .string("seat0"), .objectPath(path),
      ])
    }
    let outputs = monitor.take(.reply(1, .values([.array(of: "(susso)", rows)])))
    return (monitor, outputs)
  }

  private var list: BusCall {
    BusCall(
      "org.freedesktop.login1", path: Self.folder, interface: "org.freedesktop.login1.Manager",
      member: "ListSessions", reply: "a(susso)")
  }

  private func session(
    user: UInt32 = 1000, kind: String = "user", locked: Bool = false, idle: Bool = false
  ) -> BusReply {
    .values([
      .properties([
        "User": .structure([.uint32(user), .objectPath("/u")]), "Class": .string(kind),
        "LockedHint": .boolean(locked), "IdleHint": .boolean(idle),
      ])
    ])
  }

  private func change(_ name: String, _ value: Bool, of path: String = person) -> BusEvent {
    .signal(
      BusSignal(
        path: path, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
        arguments: [
          .string("org.freedesktop.login1.Session"), .properties([name: .boolean(value)]),
          .array(of: "s", []),
        ]))
  }

  @Test(
    "LIFE-7: nobody has unlocked where there is no session, and nothing is known without logind")
  func none() {
    #expect(listed([]).1 == [.unlocked([])])
    var monitor = LoginSessions()
    _ = monitor.take(.connected)
    #expect(monitor.take(.reply(1, .error("gone"))) == [.unlocked(nil)])
  }

  @Test(
    "LIFE-7: who has unlocked stays so when the bus goes away, and sessions are read again after")
  func bus() {
    var (monitor, _) = listed([Self.person])
    #expect(monitor.take(.reply(2, session())) == [.unlocked([1000])])
    #expect(monitor.take(.disconnected) == [])
    #expect(monitor.take(change("LockedHint", true)) == [])
    #expect(monitor.take(.connected).last == .bus(.call(3, list)))
    #expect(monitor.take(.reply(3, .error("not there yet"))) == [])
    _ = monitor.take(.disconnected)
    #expect(monitor.take(.connected).last == .bus(.call(4, list)))
    #expect(monitor.take(.reply(4, .values([.array(of: "(susso)", [])]))) == [.unlocked([1000])])
  }

  @Test("LIFE-7: a session whose home is not there yet counts once its class is that of a person's")
  func incomplete() {
    var (monitor, _) = listed([Self.person])
    #expect(monitor.take(.reply(2, session(kind: "user-incomplete"))) == [.unlocked([])])
    #expect(monitor.take(change("Class", true)).count == 1)
    #expect(monitor.take(.reply(3, session())) == [.unlocked([1000])])
  }

  @Test("border 12: of many sessions some are read at once, and all in turn, up to a bound")
  func many() {
    let paths = (0...LoginSessions.most).map { "/s\($0)" }
    var (monitor, outputs) = listed(paths)
    #expect(outputs.count == LoginSessions.mostAtOnce)
    var read = 0
    for number in 2...LoginSessions.most {
      outputs = monitor.take(.reply(number, session(user: UInt32(number))))
      read += outputs.count
    }
    #expect(read == LoginSessions.most - LoginSessions.mostAtOnce, "nothing is reported before")
    let last = monitor.take(.reply(LoginSessions.most + 1, session(user: 1)))
    #expect(last == [.unlocked([1] + (2...UInt32(LoginSessions.most)))])
  }

  @Test(
    "LIFE-7: a session that is not locked unlocks its user; a greeter's, or a locked one, does not")
  func unlocks() {
    var (monitor, asked) = listed(["/a", "/b", Self.person])
    #expect(asked.count == 3)
    #expect(monitor.take(.reply(2, session(user: 110, kind: "greeter"))) == [])
    #expect(monitor.take(.reply(3, .error("gone"))) == [])
    #expect(monitor.take(.reply(4, session(locked: true))) == [.unlocked([])])
    #expect(monitor.take(change("LockedHint", false)) == [.unlocked([1000]), .displayOn(1000)])
    let new = BusSignal(
      path: Self.folder, interface: "org.freedesktop.login1.Manager", member: "SessionNew",
      arguments: [.string("2"), .objectPath("/c")])
    #expect(monitor.take(.signal(new)).count == 1)
    #expect(monitor.take(.reply(5, session(user: 7))) == [.unlocked([7, 1000])])
    var gone = new
    gone.member = "SessionRemoved"
    #expect(monitor.take(.signal(gone)) == [], "who has unlocked once stays unlocked")
  }

  @Test("BEACON-24: the display turns on once when a session is idle no more, or unlocked")
  func display() {
    var (monitor, _) = listed([Self.person])
    #expect(monitor.take(.reply(2, session())) == [.unlocked([1000])])
    #expect(monitor.take(change("IdleHint", false)) == [])
    #expect(monitor.take(change("IdleHint", true)) == [])
    #expect(monitor.take(change("LockedHint", true)) == [])
    #expect(monitor.take(change("IdleHint", false)) == [.displayOn(1000)])
    #expect(monitor.take(change("LockedHint", false)) == [], "one event for each time")
    #expect(monitor.take(change("IdleHint", true, of: "/other")) == [])
  }

  @Test("BEACON-24: the display turns on when the screen saver ends, GNOME's or another's")
  func screenSaver() {
    for service in ["org.gnome.ScreenSaver", "org.freedesktop.ScreenSaver"] {
      var monitor = ScreenSaver()
      #expect(monitor.take(.connected).count == 2)
      func active(_ isActive: Bool) -> [SessionOutput] {
        monitor.take(
          .signal(
            BusSignal(
              path: "/s", interface: service, member: "ActiveChanged",
              arguments: [.boolean(isActive)])))
      }
      #expect(active(false) == [])
      #expect(active(true) == [])
      #expect(active(false) == [.displayOn(nil)])
      #expect(active(false) == [])
    }
  }
}
