import Foundation
import TestSupport
import Testing

/// A real daemon and a program that asks what a test wants, on a private bus.
@Suite(
  "GeoClue's interface of locationd", .serialized,
  .enabled(
    if: MockMachine.isThere && GeoClueCaller.isThere,
    "needs dbus-daemon, python3-dbus, python3-gi, and python-dbusmock in .build/venv"),
  .timeLimit(.minutes(2)))
struct GeoClueTests {
  private static let one = "/org/freedesktop/GeoClue2/Client/1"
  private let machine: MockMachine

  init() throws {
    machine = try MockMachine()
  }

  private func allowed() async throws -> (GeoClueDaemon, GeoClueCaller) {
    let daemon = try await GeoClueDaemon(
      machine.address, decided: [SystemPython.path: "whenInUse"])
    return (daemon, try GeoClueCaller(machine.address, keeping: daemon))
  }

  @Test("GEOCLUE-8, GEOCLUE-10: a program that may know the location gets it, with its object")
  func served() async throws {
    let (daemon, program) = try await allowed()
    #expect(try program.perform("A client") == Self.one)
    #expect(try program.perform("A get \(Self.one) Client Location") == "/")
    try program.perform("A set \(Self.one) DesktopId maps")
    try program.perform("A set \(Self.one) RequestedAccuracyLevel 8")
    #expect(try program.perform("A start \(Self.one)") == "ok")
    let location = "\(Self.one)/Location/0"
    #expect(try program.perform("A await \(Self.one)") == "/ \(location)")
    #expect(try program.perform("A get \(location) Location Latitude") == "48.5")
    #expect(try program.perform("A get \(location) Location Accuracy") == "5.0")
    #expect(
      try program.perform("A get \(location) Location Altitude") == "-1.7976931348623157e+308")
    #expect(try program.perform("A all \(location) Location") == "8")
    #expect(try program.perform("B get /org/freedesktop/GeoClue2/Manager Manager InUse") == "1")
    #expect(
      try program.perform(
        "B get /org/freedesktop/GeoClue2/Manager Manager AvailableAccuracyLevel") == "8")
    // The owner sees who it is, and what it asks for.
    let client = try await daemon.owner("status", expecting: SystemPython.path)
    #expect(client.hasSuffix("updates"))
    let access = try await daemon.owner("data", "access", expecting: SystemPython.path)
    #expect(access.contains("updates"))
  }

  @Test(
    "GEOCLUE-20: doctor says what holds for a program without a property list, and asks for none")
  func examined() async throws {
    let (daemon, _) = try await allowed()
    let words = ["doctor", "--json", "--app"]
    _ = try await daemon.owner(
      words[0], words[1], words[2], SystemPython.path, expecting: "no_usage_string")
    let found = try await daemon.owner(
      words[0], words[1], words[2], SystemPython.path, expecting: "\"authorized\"")
    #expect(found.contains("as exact as the level that it asks GeoClue for"))
    let undecided = try await daemon.owner(
      words[0], words[1], words[2], "/usr/bin/env", expecting: "not_authorized")
    #expect(undecided.contains("locationctl authorize /usr/bin/env whenInUse"))
  }

  @Test("GEOCLUE-7: a program that wants a city has the coarse place, and no exact one")
  func coarse() async throws {
    // No point of the coarse grid has more than three decimals.
    let daemon = try await GeoClueDaemon(
      machine.address, decided: [SystemPython.path: "whenInUse"], source: "fixed:48.50004,11.5,5")
    let program = try GeoClueCaller(machine.address, keeping: daemon)
    try program.perform("A client")
    try program.perform("A set \(Self.one) DesktopId sky")
    try program.perform("A start \(Self.one)")
    let objects = try program.perform("A await \(Self.one)").split(separator: " ")
    let accuracy = try program.perform("A get \(objects[1]) Location Accuracy")
    #expect(try #require(Double(accuracy)) > 1000)
    #expect(try program.perform("A get \(objects[1]) Location Latitude") != "48.50004")
  }

  @Test("border 24: what a program calls itself gives it nothing that is another's")
  func desktopID() async throws {
    let other = "/usr/bin/true"
    let daemon = try await GeoClueDaemon(
      machine.address, decided: [other: "always", "org.example.maps": "always"])
    let program = try GeoClueCaller(machine.address)
    try program.perform("A client")
    for name in ["org.example.maps", "true", other] {
      try program.perform("A set \(Self.one) DesktopId \(name)")
      let answer = try program.perform("A start \(Self.one)")
      #expect(answer.hasPrefix("AccessDenied: Access denied: whether this program may know"))
    }
    #expect(try program.perform("A get \(Self.one) Client Location") == "/")
    let app = try await daemon.owner("apps", expecting: SystemPython.path)
    #expect(app.contains("ask"))
  }

  @Test("border 24: the client of another connection is nobody else's, of the same process either")
  func foreign() async throws {
    let (_, program) = try await allowed()
    try program.perform("A client")
    try program.perform("A set \(Self.one) DesktopId maps")
    try program.perform("A start \(Self.one)")
    let objects = try program.perform("A await \(Self.one)").split(separator: " ")
    let denied = "AccessDenied: Access denied"
    #expect(try program.perform("B client") == "/org/freedesktop/GeoClue2/Client/2")
    for command in [
      "get \(Self.one) Client Location", "set \(Self.one) DesktopId x", "start \(Self.one)",
      "stop \(Self.one)", "get \(objects[1]) Location Latitude",
    ] {
      #expect(try program.perform("B \(command)") == denied, "\(command)")
    }
    #expect(try program.perform("B all \(Self.one) Client") == "0")
    #expect(try program.perform("B delete \(Self.one)") == "ok")
    #expect(try program.perform("A get \(Self.one) Client Active") == "1")
  }

  @Test(
    "GEOCLUE-6: a program that was refused, or whom nobody can be asked about, learns it at once")
  func refused() async throws {
    let daemon = try await GeoClueDaemon(machine.address, decided: [SystemPython.path: "denied"])
    let program = try GeoClueCaller(machine.address)
    try program.perform("A client")
    #expect(
      try program.perform("A start \(Self.one)")
        == "AccessDenied: 'DesktopId' property must be set")
    try program.perform("A set \(Self.one) DesktopId maps")
    let denied = try program.perform("A start \(Self.one)")
    #expect(denied.contains("may not know the location"), "\(denied)")
    // The owner undecides it: nobody can be asked.
    _ = try await daemon.owner("authorize", SystemPython.path, "ask", expecting: ": ask")
    for _ in 0..<2 {
      let undecided = try program.perform("A start \(Self.one)")
      #expect(undecided.contains("decide with sudo locationctl authorize"), "\(undecided)")
    }
  }

  @Test(
    "GEOCLUE-2, GEOCLUE-6: an agent is asked about the program, with what it calls itself beside")
  func asked() async throws {
    let folder = try TemporaryFolder()
    let (agent, question) = (folder.file("agent"), folder.file("question"))
    try writeScript(
      """
      read -r line
      printf '%s' "$line" > \(question)
      echo '{"answer":"whileUsing"}'
      """, to: agent)
    let daemon = try await GeoClueDaemon(machine.address, agents: ["program:\(agent)"])
    let program = try GeoClueCaller(machine.address, keeping: daemon)
    try program.perform("A client")
    try program.perform("A set \(Self.one) DesktopId maps")
    #expect(try program.perform("A start \(Self.one)") == "ok")
    #expect(try program.perform("A await \(Self.one)").hasSuffix("/Location/0"))
    let asked = try String(contentsOfFile: question, encoding: .utf8)
    #expect(asked.contains("\"question\":\"when_in_use\""))
    #expect(
      asked.contains(
        #"calls itself \"maps\", which no desktop entry of this computer confirms."#))
    #expect(asked.contains("\"program\":\"\(SystemPython.path)\""))
  }

  @Test("GEOCLUE-11: a permission that is withdrawn ends the positions until it is given again")
  func withdrawn() async throws {
    let (daemon, program) = try await allowed()
    try program.perform("A client")
    try program.perform("A set \(Self.one) DesktopId maps")
    try program.perform("A start \(Self.one)")
    try program.perform("A await Active true")
    _ = try await daemon.owner("authorize", SystemPython.path, "never", expecting: ": ")
    #expect(try program.perform("A await Active false") == "ok")
    _ = try await daemon.owner("authorize", SystemPython.path, "whenInUse", expecting: ": ")
    #expect(try program.perform("A await Active true") == "ok")
  }

  @Test("GEOCLUE-12: everything of a connection that goes is gone, and the engine rests")
  func gone() async throws {
    let (daemon, program) = try await allowed()
    for letter in ["A", "B"] {
      let path = try program.perform("\(letter) client")
      try program.perform("\(letter) set \(path) DesktopId maps")
      try program.perform("\(letter) start \(path)")
      try program.perform("\(letter) await \(path)")
    }
    try program.perform("C client")
    try program.perform("A leave")
    try program.perform("B leave")
    #expect(try program.perform("C await InUse false") == "ok")
    _ = try await daemon.program.lines.next { $0.contains("asks GeoClue no longer") }
    _ = try await daemon.owner("status", expecting: "needed    nothing")
  }

  @Test("GEOCLUE-13, border 24: a user with very many connections has a bound, and goes on")
  func many() async throws {
    let (_, program) = try await allowed()
    // The bus itself has room for 256 of one user.
    #expect(try program.perform("many 200") == "96")
    #expect(try program.perform("A client").hasPrefix("LimitsExceeded: 96 programs of user"))
    // A place that becomes free is somebody else's.
    try program.perform("0 leave")
    #expect(try program.perform("A client") == "/org/freedesktop/GeoClue2/Client/97")
  }

  @Test("border 24, GEOCLUE-13: a fifth start of a client that waits for a person is refused")
  func waitingStarts() async throws {
    let folder = try TemporaryFolder()
    let agent = folder.file("agent")
    // Answers nothing until the daemon ends.
    try writeScript("read -r line\nread -r line", to: agent)
    let daemon = try await GeoClueDaemon(machine.address, agents: ["program:\(agent)"])
    let program = try GeoClueCaller(machine.address, keeping: (daemon, folder))
    try program.perform("A client")
    try program.perform("A set \(Self.one) DesktopId maps")
    #expect(
      try program.perform("A starts \(Self.one) 5")
        == "LimitsExceeded: 4 calls of Start of this client wait already")
    #expect(try program.perform("B client") == "/org/freedesktop/GeoClue2/Client/2")
  }

  @Test("GEOCLUE-1: another owner of the name is left alone, and followed when it goes")
  func taken() async throws {
    let other = try GeoClueCaller(machine.address)
    #expect(try other.perform("A own") == "1")
    let daemon = try await GeoClueDaemon(machine.address, awaiting: "another program")
    let status = try await daemon.owner("status", expecting: "geoclue")
    #expect(status.contains("not served: another program"))
    _ = try await daemon.owner("doctor", expecting: "org.freedesktop.GeoClue2")
    try other.perform("A leave")
    _ = try await daemon.program.lines.next { $0.contains("serves the programs that ask") }
    #expect(try await daemon.owner("status", expecting: "geoclue").contains("served"))
  }

  @Test("GEOCLUE-17: says that it is ready when the name is its own, and gpsd's port listens")
  func ready() async throws {
    let port = try Loopback.freePort()
    let daemon = try await GeoClueDaemon(
      machine.address, configuration: ["gpsd-port = \(port)"],
      awaiting: "serving; its state is in")
    _ = try await daemon.notices.events.next { $0 == "READY=1" }
    // Asked for now, the name has an owner (3), and it is left to that.
    #expect(try GeoClueCaller(machine.address).perform("A own") == "3")
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    #expect(Loopback.connect(descriptor, port: port))
  }

  @Test("GEOCLUE-1: the objects come back with a bus that is started again")
  func restart() async throws {
    // Another bus at the same path has another identity.
    let address = String(machine.address.prefix { $0 != "," })
    let daemon = try await GeoClueDaemon(address)
    try machine.perform("bus restart")
    _ = try await daemon.program.lines.next { $0.contains("the bus has gone") }
    _ = try await daemon.program.lines.next { $0.contains("serves the programs that ask") }
    let program = try GeoClueCaller(address)
    #expect(try program.perform("A client").hasPrefix("/org/freedesktop/GeoClue2/Client/"))
  }

  @Test("GEOCLUE-19: the level of an agent ends positions, refuses, makes coarse, and lets go on")
  func level() async throws {
    let (_, program) = try await allowed()
    try program.perform("A client")
    try program.perform("A set \(Self.one) DesktopId maps")
    try program.perform("A set \(Self.one) RequestedAccuracyLevel 8")
    try program.perform("A start \(Self.one)")
    try program.perform("A await Active true")
    // As a desktop whose switch is off, and is turned on, and off, and on again.
    try program.perform("B agent gnome-shell 0")
    #expect(try program.perform("A await Active false") == "ok")
    try program.perform("B level 8")
    #expect(try program.perform("A await Active true") == "ok")
    try program.perform("B level 0")
    #expect(try program.perform("A await Active false") == "ok")
    try program.perform("A stop \(Self.one)")
    let denied = try program.perform("A start \(Self.one)")
    #expect(denied.contains("off for this user by the desktop's own switch"), "\(denied)")
    // The answer to a call comes after what was said before it.
    let inUse = "B get /org/freedesktop/GeoClue2/Manager Manager InUse"
    try program.perform("B level 8")
    try program.perform(inUse)
    #expect(try program.perform("A start \(Self.one)") == "ok")
    try program.perform("B level 4")
    try program.perform(inUse)
    try program.perform("D client")
    let two = "/org/freedesktop/GeoClue2/Client/2"
    try program.perform("D set \(two) DesktopId maps")
    try program.perform("D set \(two) RequestedAccuracyLevel 8")
    try program.perform("D start \(two)")
    let objects = try program.perform("D await \(two)").split(separator: " ")
    let accuracy = try program.perform("D get \(objects[1]) Location Accuracy")
    #expect(try #require(Double(accuracy)) > 1000)
    // As a shell that starts anew: what it has said lasts.
    try program.perform("B level 0")
    #expect(try program.perform("D await Active false") == "ok")
    try program.perform("B leave")
    try program.perform("D stop \(two)")
    #expect(try program.perform("D start \(two)").contains("switch"))
  }

  @Test("GEOCLUE-14: an agent of GeoClue is accepted, and decides nothing")
  func agent() async throws {
    let daemon = try await GeoClueDaemon(machine.address)
    let program = try GeoClueCaller(machine.address, keeping: daemon)
    #expect(try program.perform("A agent geoclue-demo-agent") == "ok")
    try program.perform("A client")
    try program.perform("A set \(Self.one) DesktopId maps")
    #expect(try program.perform("A start \(Self.one)").hasPrefix("AccessDenied"))
  }
}
