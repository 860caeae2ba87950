import Foundation
import LocationHost
import TestSupport
import Testing

@Suite("An app", .serialized)
struct AppTests {
  @Test(
    "MODEL-4: with a synchronous main gets delegate calls on the main thread",
    arguments: Transport.allCases)
  func mainRunLoop(_ transport: Transport) async throws {
    let program = try await InstalledApp("ClassicApp", over: transport).run("main")
    defer { program.end() }
    #expect(try await program.lines.next { $0.hasPrefix("status") } == "status 4 on main")
    #expect(try await program.lines.next { $0.hasPrefix("location") } == "location 48.5 on main")
  }

  @Test(
    "MODEL-4: gets delegate calls on the thread that made the manager",
    arguments: Transport.allCases
  )
  func ownThread(_ transport: Transport) async throws {
    let program = try await InstalledApp("ClassicApp", over: transport).run("thread")
    defer { program.end() }
    #expect(try await program.lines.next { $0.hasPrefix("status") } == "status 4 on own")
    #expect(try await program.lines.next { $0.hasPrefix("location") } == "location 48.5 on own")
  }

  @Test(
    "MODEL-4: is not called before its delegate is set, and receives the state from then on",
    arguments: Transport.allCases)
  func late(_ transport: Transport) async throws {
    let program = try await InstalledApp("ClassicApp", over: transport).run("late")
    defer { program.end() }
    let lines = program.lines
    // What is not a call may come before: the library's own messages to the developer do.
    let isCall = { @Sendable (line: String) in
      ["status", "location", "error"].contains { line.hasPrefix($0) }
    }
    #expect(try await lines.next { $0 == "delegate" || isCall($0) } == "delegate")
    #expect(try await lines.next { $0.hasPrefix("status") } == "status 4 on main")
    #expect(try await lines.next { $0.hasPrefix("location") } == "location 48.5 on main")
  }

  @Test(
    "STD-2, STD-9: knows at its start where it was in its last run, with the date of that",
    arguments: Transport.allCases)
  func lastPosition(_ transport: Transport) async throws {
    let app = try await InstalledApp("ClassicApp", over: transport)
    let first = try app.run("last")
    let none = try await first.lines.next { $0.hasPrefix("last") }
    #expect(none == "last nil")
    _ = try await first.lines.next { $0.hasPrefix("location") }
    let before = Date()
    first.end()
    let second = try app.run("last")
    defer { second.end() }
    let words = try await second.lines.next { $0.hasPrefix("last") }.split(separator: " ")
    #expect(words.count == 3 && words[1] == "48.5")
    #expect(words.last.flatMap { Double($0) }.map { $0 <= before.timeIntervalSince1970 } == true)
  }

  @Test(
    "MODEL-5: without a run loop gets the reason for missing callbacks",
    arguments: Transport.allCases)
  func withoutRunLoop(_ transport: Transport) async throws {
    let program = try await InstalledApp("ClassicApp", over: transport).run("deaf")
    defer { program.end() }
    let line = try await program.lines.next { $0.contains("run loop") }
    #expect(line.contains("run loop does not run"))
  }

  @Test(
    "MODEL-5: gets a message when its main run loop does not run", arguments: Transport.allCases)
  func stuckMain(_ transport: Transport) async throws {
    let program = try await InstalledApp("ClassicApp", over: transport).run("stuck")
    defer { program.end() }
    let line = try await program.lines.next { $0.contains("run loop") }
    #expect(line.contains("the main run loop does not run"))
  }

  @Test(
    "STD-24: gets one location by request, beside a manager that gets them all",
    arguments: Transport.allCases)
  func once(_ transport: Transport) async throws {
    let program = try await InstalledApp("ClassicApp", over: transport).run("main")
    defer { program.end() }
    #expect(try await program.lines.next { $0.hasPrefix("once") } == "once 48.5 on main")
    for _ in 0..<3 {
      let line = try await program.lines.next { $0.hasPrefix("once") || $0.hasPrefix("location") }
      #expect(line.hasPrefix("location"))
    }
  }

  @Test(
    "LIVE-1, LIVE-2, LIVE-7, LIVE-8: runs loops side by side, cancels one, begins another",
    arguments: Transport.allCases)
  func asyncMain(_ transport: Transport) async throws {
    let program = try await InstalledApp("AsyncApp", over: transport).run()
    defer { program.end() }
    var lines: [String] = []
    while lines.last?.hasPrefix("again") != true {
      lines.append(try await program.lines.next { _ in true })
    }
    #expect(lines.count { $0 == "live 48.5" } == 4)
    #expect(lines.contains("canceled loop 1") && lines.contains("canceled loop ends"))
    #expect(lines.contains("delegate 48.5"))
    #expect(lines.last == "again 48.5")
  }

  @Test(
    "STD-13, LIVE-12, LIVE-21: waits for an answer, and goes on when another process gives it",
    arguments: Transport.allCases)
  func answeredElsewhere(_ transport: Transport) async throws {
    for name in ["ClassicApp", "AsyncApp"] {
      let app = try await InstalledApp(name, over: transport, authorized: false)
      let program = try app.run("main")
      defer { program.end() }
      let first = name == "ClassicApp" ? "status 0 on main" : "no location, asking"
      _ = try await program.lines.next { $0 == first }
      try await app.answer("whenInUse")
      let location = name == "ClassicApp" ? "location 48.5 on main" : "live 48.5"
      _ = try await program.lines.next { $0 == location }
    }
  }

  @Test("STD-12: that was denied receives just that", arguments: Transport.allCases)
  func denied(_ transport: Transport) async throws {
    let app = try await InstalledApp("ClassicApp", over: transport, authorized: false)
    try await app.answer("denied")
    let program = try app.run("main")
    defer { program.end() }
    #expect(try await program.lines.next { $0.hasPrefix("status") } == "status 2 on main")
    #expect(try await program.lines.next { $0.hasPrefix("error") } == "error 1 on main")
  }

  @Test(
    "STD-38: without any source learns that the position is unknown", arguments: Transport.allCases)
  func noSource(_ transport: Transport) async throws {
    let program = try await InstalledApp(
      "ClassicApp", over: transport, sources: "fixes:///nonexistent"
    ).run("main")
    defer { program.end() }
    #expect(try await program.lines.next { $0.hasPrefix("error") } == "error 0 on main")
  }

  @Test(
    "STD-46: that allows background updates without the mode is ended with the reason",
    arguments: Transport.allCases)
  func backgroundMode(_ transport: Transport) async throws {
    let program = try await InstalledApp("ClassicApp", over: transport).run("background")
    defer { program.end() }
    let line = try await program.lines.next {
      $0.contains("UIBackgroundModes") || $0 == "still here"
    }
    #expect(line != "still here")
  }

  @Test(
    "STD-30: that asks for a location without methods for the answer is ended with the reason",
    arguments: Transport.allCases)
  func unfitDelegate(_ transport: Transport) async throws {
    let program = try await InstalledApp("ClassicApp", over: transport).run("unfit")
    defer { program.end() }
    let line = try await program.lines.next { $0.contains("requestLocation()") }
    #expect(line.contains("didUpdateLocations"))
  }

  @Test("VISIT-14: that was denied learns so from its visits", arguments: Transport.allCases)
  func deniedVisits(_ transport: Transport) async throws {
    let app = try await InstalledApp("LaunchedApp", over: transport, authorized: false)
    try await app.answer("denied")
    let program = try app.run("visits")
    defer { program.end() }
    #expect(try await program.lines.next { $0.hasPrefix("error") } == "error 1")
  }

  @Test(
    "AVAIL-4: without a source of positions learns so from each service, and its developer once",
    arguments: Transport.allCases)
  func withoutPositions(_ transport: Transport) async throws {
    let app = try await InstalledApp("LaunchedApp", over: transport, sources: "iio:")
    for (service, failure) in [
      ("visits", "error 0"), ("changes", "error 0"), ("region", "home failed 5"),
      ("monitor", "home unsupported"),
    ] {
      let program = try app.run(service)
      defer { program.end() }
      var lines: [String] = []
      while lines.last != failure { lines.append(try await program.lines.next { _ in true }) }
      #expect(lines.count { $0.contains("no source of positions") } == 1)
    }
  }

  @Test("AVAIL-2: is not held up by a daemon that accepts and says nothing")
  func silentDaemon() async throws {
    let folder = try TemporaryFolder()
    let listener = try DaemonSocket.listen(at: folder.file("socket"))
    defer { close(listener) }
    // A busy machine can make it slower, nothing makes it faster: once in time shows how long it waits.
    var said: [String] = []
    while said.last != "services on in time", said.count < 10 {
      let program = try RunningProgram(
        BuiltProgram.path("LaunchedApp"), ["services"],
        environment: ["LOCATIOND_SOCKET": folder.file("socket"), "CORELOCATION_SOURCES": ""],
        keeping: folder)
      defer { program.end() }
      said.append(try await program.lines.next { $0.hasPrefix("services") })
    }
    #expect(said.last == "services on in time", "\(said)")
  }

  @Test(
    "AVAIL-1, AVAIL-2: reads at once whether services are on", arguments: Transport.allCases)
  func services(_ transport: Transport) async throws {
    let app = try await InstalledApp("LaunchedApp", over: transport)
    let program = try app.run("services")
    defer { program.end() }
    let line = try await program.lines.next { $0.hasPrefix("services") }
    #expect(line.hasPrefix("services on"))
  }

  @Test(
    "LIFE-12: that ends at once after it began visits or significant changes has begun them",
    arguments: Transport.allCases)
  func briefServices(_ transport: Transport) async throws {
    let app = try await InstalledApp("LaunchedApp", over: transport)
    // An app with an engine of its own has nobody that launches it for a change.
    let services = [("visits", "visit")] + (transport == .daemon ? [("changes", "claims")] : [])
    for (service, domain) in services {
      try await app.runToItsEnd("brief", service)
      let stored = try await app.storedDomains()
      #expect(stored.contains(domain))
    }
  }

  @Test("LIFE-12: that begins something while no daemon answers is informed where that is kept")
  func briefWithoutDaemon() async throws {
    let folder = try TemporaryFolder()
    for service in ["visits", "changes", "start"] {
      let program = try RunningProgram(
        BuiltProgram.path("LaunchedApp"), ["brief", service],
        environment: ["LOCATIOND_SOCKET": folder.file("socket"), "CORELOCATION_SOURCES": ""],
        keeping: folder)
      defer { program.end() }
      let line = try await program.lines.next { $0.contains("lost if the process ends") }
      #expect(line.contains("no location service answers"))
    }
  }

  @Test(
    "LIFE-12: that ends at once has changed what it watches all the same",
    arguments: Transport.allCases)
  func brief(_ transport: Transport) async throws {
    let app = try await InstalledApp("LaunchedApp", over: transport)
    for (change, watched) in [
      ("add", ["condition"]), ("start", ["condition", "region"]), ("remove", ["region"]),
      ("stop", []),
    ] {
      try await app.runToItsEnd("brief", change)
      let list = try app.run("brief", "list")
      defer { list.end() }
      let line = try await list.lines.next { $0.hasPrefix("watches") }
      #expect(line == "watches \(watched.joined(separator: " "))")
    }
  }
}
