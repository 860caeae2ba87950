import Foundation
import LocationCoding
import TestSupport
import LocationLink
import LocationModel
import Testing

/// Clients that take more than their share, and what the others notice.
@Suite("A client that misbehaves", .serialized)
struct AbuseTests {
  private func open(_ daemon: DaemonRun) throws -> LinkCaller {
    let caller = try LinkCaller(daemon.socket)
    _ = try caller.call("\(LinkInterface.name).Open", .fields(["version": .integer(1)]), more: true)
    return caller
  }

  private func ask(_ request: Request) -> [UInt8] {
    frame(
      LinkCall("\(LinkInterface.name).Ask", .fields(["request": request.json]), isOneway: true)
        .json)
  }

  @Test("by never reading is cut off with the reason; an app beside it goes on")
  func neverReads() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: DaemonTests.app)
    let app = try daemon.run(daemon.install("ClassicApp", as: DaemonTests.app, in: "a"), "main")
    defer { app.end() }
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    let caller = try open(daemon)
    // Each of these is answered by a list that nobody reads.
    let name = String(repeating: "n", count: 4000)
    let asked = ask(.monitor(SubscriberID(1), .open(name: "m")))
    #expect(caller.send(asked))
    var number = 0
    while number < 5000 {
      number += 1
      let add = MonitorRequest.add(
        identifier: "\(name)\(number % 19)", .unsupported, assuming: .unknown)
      guard caller.send(ask(.monitor(SubscriberID(1), add))) else { break }
    }
    #expect(number < 5000)
    _ = try await daemon.program.lines.next { $0.contains("bytes unread") }
    for _ in 0..<3 { _ = try await app.lines.next { $0 == "location 48.5 on main" } }
  }

  @Test("by sending what is no message, or one without end, is cut off with the reason")
  func malformed() async throws {
    let daemon = try await DaemonRun()
    let noise = try LinkCaller(daemon.socket)
    noise.send(Array("GET / HTTP/1.1\r\n\r\n\0".utf8))
    #expect(noise.isCutOff())
    _ = try await daemon.program.lines.next { $0.contains("no JSON at byte 0") }
    let endless = try LinkCaller(daemon.socket)
    endless.send([UInt8](repeating: UInt8(ascii: "x"), count: 100_000))
    #expect(endless.isCutOff())
    _ = try await daemon.program.lines.next { $0.contains("longer than 65536 bytes") }
  }

  @Test("by opening 10,000 streams is cut off with the reason")
  func streams() async throws {
    let daemon = try await DaemonRun()
    let caller = try open(daemon)
    for number in 1...10_000 {
      let request = Request.live(SubscriberID(UInt32(number)), .start(LiveOptions()))
      guard caller.send(ask(request)) else { break }
    }
    #expect(caller.isCutOff())
    _ = try await daemon.program.lines.next { $0.contains("more than 1024 managers") }
  }

  @Test("by opening connection after connection finds its limit; a client from before goes on")
  func flood() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("conf")
    try "clients-per-user = 20\n".write(toFile: file, atomically: true, encoding: .utf8)
    let daemon = try await DaemonRun(arguments: ["--config", file], in: folder)
    let first = try LinkCaller(daemon.socket)
    let others = try (0..<19).map { _ in try LinkCaller(daemon.socket) }
    // They are looked at beside each other; whoever is answered is in.
    for caller in [first] + others { _ = try caller.call("org.varlink.service.GetInfo") }
    let reply = try LinkCaller(daemon.socket).reply()
    #expect(reply.error == "\(LinkInterface.name).Refused")
    #expect(reply.parameters["reason"] == .string("user \(getuid()) has 20 clients already"))
    #expect(try first.call("org.varlink.service.GetInfo").error == nil)
    // To be refused costs as much as to be cut off.
    let rest = try (0..<20).map { _ in try LinkCaller(daemon.socket) }
    #expect(try #require(rest.last).reply().reason?.contains("is served again in") == true)
    withExtendedLifetime(others) {}
  }

  @Test("by coming back whenever it is cut off is not let in for a while; other processes are")
  func comesBack() async throws {
    let daemon = try await DaemonRun()
    for _ in 0..<15 {
      let noise = try LinkCaller(daemon.socket)
      noise.send(Array("noise\0".utf8))
      #expect(noise.isCutOff())
    }
    let refusal = try LinkCaller(daemon.socket).reply()
    #expect(refusal.error == "\(LinkInterface.name).Refused")
    #expect(refusal.reason?.contains("is served again in") == true)
    let other = try daemon.run(BuiltProgram.path("locationctl"), "status")
    defer { other.end() }
    _ = try await other.lines.next { $0.contains("fixed:‹private›") }
  }

  @Test("border 13: that has used up its share and ends gives back its places at once")
  func ends() async throws {
    let daemon = try await DaemonRun(configuration: ["clients-per-app = 100"])
    let script = """
      import socket, sys
      def connect():
        s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); return s
      held = [connect() for _ in range(100)]
      for s in held:
        s.sendall(b'{"method":"org.varlink.service.GetInfo"}\\0'); s.recv(4096)
      for _ in range(60): connect().recv(4096)
      print("held", flush=True)
      sys.stdin.read()
      while True: held[0].recv(1)
      """
    let program = try RunningProgram("/usr/bin/env", ["python3", "-c", script, daemon.socket])
    _ = try await program.lines.next { $0 == "held" }
    // That it has gone, and that another one comes, reaches the daemon in this order.
    daemon.program.signal(SIGSTOP)
    program.end()
    let caller = try LinkCaller(daemon.socket)
    daemon.program.signal(SIGCONT)
    // Each call is a turn of the queue on which the places are given back.
    for _ in 0..<200 { _ = try caller.call("org.varlink.service.GetInfo") }
    let open = try FileManager.default.contentsOfDirectory(
      atPath: "/proc/\(daemon.program.pid)/fd")
    #expect(open.count < 100)
  }

  @Test("by hanging up in the middle of its words leaves nothing behind")
  func hangsUp() async throws {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let daemon = try await DaemonRun(
      configuration: ["clients-per-user = 4", "owner-program = \(own)"])
    // What they say and that they are gone comes to the daemon at once.
    daemon.program.signal(SIGSTOP)
    for _ in 0..<3 {
      let caller = try LinkCaller(daemon.socket)
      caller.ask("\(LinkInterface.name).Open", .fields(["version": .integer(1)]), more: true)
    }
    daemon.program.signal(SIGCONT)
    let log = try daemon.run(
      BuiltProgram.path("locationctl"), "log", "--follow", "--category", "client")
    defer { log.end() }
    for _ in 0..<3 { _ = try await log.lines.next { $0.contains("disconnected") } }
    let others = try (0..<3).map { _ in try LinkCaller(daemon.socket) }
    for other in others {
      #expect(try other.call("org.varlink.service.GetInfo").error == nil)
    }
  }
}
