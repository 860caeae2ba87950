import Foundation
import LocationCoding
import TestSupport
import LocationLink
import LocationModel
import Testing

/// Questions that reach a person through a program beside the daemon.
@Suite("An agent", .serialized)
struct AgentTests {
  private static let app = DaemonTests.app
  private static let attend = "\(AgentInterface.name).Attend"
  private static let answer = "\(AgentInterface.name).Answer"

  private func question(_ caller: LinkCaller) throws -> (prompt: Prompt, token: String) {
    let reply = try caller.reply().parameters
    return (
      try Prompt(json: #require(reply["question"])), try reply.get("token", String.self)
    )
  }

  @Test(
    "AUTH-27: is asked for an app, and its answer counts; the question is withdrawn from another agent"
  )
  func answers() async throws {
    let daemon = try await DaemonRun()
    let (first, second) = (try LinkCaller(daemon.socket), try LinkCaller(daemon.socket))
    first.ask(Self.attend, more: true)
    let app = try daemon.run(daemon.install("AsyncApp", as: Self.app, in: "a"))
    defer { app.end() }
    _ = try await app.lines.next { $0 == "no location, asking" }
    let (prompt, token) = try question(first)
    #expect(prompt.id.app.name == Self.app)
    #expect(prompt.text == "To test.")
    // One that comes later is asked what is open.
    second.ask(Self.attend, more: true)
    let other = try question(second)
    #expect(other.prompt == prompt && other.token != token)
    let unfit = AgentAnswer(id: prompt.id, answer: .always, precise: true, token: token)
    #expect(
      try first.call(Self.answer, unfit.json).error == "\(AgentInterface.name).NoSuchQuestion")
    var fit = AgentAnswer(id: prompt.id, answer: .whileUsing, precise: true)
    for wrong in [nil, other.token] {
      fit.token = wrong
      #expect(try first.call(Self.answer, fit.json).error == "\(AgentInterface.name).NotAgent")
    }
    fit.token = token
    #expect(try first.call(Self.answer, fit.json).error == nil)
    #expect(AgentEvent(json: try second.reply().parameters) == .withdrawn(prompt.id))
    fit.token = other.token
    #expect(
      try second.call(Self.answer, fit.json).error == "\(AgentInterface.name).NoSuchQuestion")
    _ = try await app.lines.next { $0 == "live 48.5" }
  }

  @Test(
    "of another user is not asked for the owner's apps",
    .enabled(if: getuid() == 0, "only root can become somebody else"))
  func stranger() async throws {
    let python = BorderScript.python
    let daemon = try await DaemonRun(configuration: ["agent-program = \(python)"])
    let script = """
      import json, os, socket, sys
      os.setgid(65534); os.setuid(65534)
      s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
      def call(method, more=False, **parameters):
        s.sendall(json.dumps({"method": method, "more": more, "parameters": parameters}).encode()
                  + b"\\0")
      call("org.meridian.agent.Attend", more=True)
      call("org.varlink.service.GetInfo")
      print("first", s.recv(65536).split(b"\\0")[0].decode(), flush=True)
      call("org.meridian.agent.Answer", app=sys.argv[2], number=1, answer="whileUsing")
      print("second", s.recv(65536).split(b"\\0")[0].decode(), flush=True)
      """
    let app = try daemon.run(daemon.install("AsyncApp", as: Self.app, in: "a"))
    defer { app.end() }
    _ = try await app.lines.next { $0 == "no location, asking" }
    let copy = daemon.folder.file("socket")
    chmod(daemon.folder.file(""), 0o755)
    let stranger = try RunningProgram(python, ["-c", script, copy, Self.app])
    defer { stranger.end() }
    let first = try await stranger.lines.next { $0.hasPrefix("first") }
    #expect(first.contains("locationd"))
    let second = try await stranger.lines.next { $0.hasPrefix("second") }
    #expect(second.contains("NotAgent") && second.contains("token"), "it has seen none")
  }

  @Test("is locationctl agent, on a terminal")
  func terminal() async throws {
    let daemon = try await DaemonRun()
    let agent = try daemon.run(
      "/usr/bin/env", "python3", "-c", Self.person, BuiltProgram.path("locationctl"), "agent")
    defer { agent.end() }
    _ = try await agent.lines.next { $0.contains("attending at") }
    let app = try daemon.run(daemon.install("AsyncApp", as: Self.app, in: "a"))
    defer { app.end() }
    _ = try await agent.lines.next { $0.contains("to use your location?") }
    _ = try await app.lines.next { $0 == "live 48.5" }
  }

  @Test("AUTH-60: on a terminal it attends both daemons, and one that has started anew")
  func both() async throws {
    let (first, second) = (try await DaemonRun(), try await DaemonRun())
    let sockets = [first, second].flatMap { ["--socket", $0.socket] }
    let agent = try RunningProgram(
      "/usr/bin/env",
      ["python3", "-c", Self.person, BuiltProgram.path("locationctl"), "agent"] + sockets,
      environment: first.surroundings)
    defer { agent.end() }
    var expected: Set = [first.socket, second.socket]
    while !expected.isEmpty {
      let line = try await agent.lines.next { $0.contains("attending at") }
      expected = expected.filter { !line.contains($0) }
    }
    let app = try second.run(second.install("AsyncApp", as: Self.app, in: "a"))
    defer { app.end() }
    _ = try await app.lines.next { $0 == "live 48.5" }
    first.kill()
    _ = try await agent.lines.next {
      $0.contains(first.socket) && $0.contains("waiting for it to come back")
    }
    let anew = try await DaemonRun(in: first.folder)
    _ = try await agent.lines.next { $0.contains("attending at \(anew.socket)") }
  }

  /// A terminal of its own for a program, and someone who answers once when asked.
  private static let person = BorderScript.terminal + "hold_terminal(*sys.argv[1:])"
}
