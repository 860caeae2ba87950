import Foundation
import TestSupport
import LocationModel
import Testing

/// Apps that would answer their own questions, and programs that nobody has registered.
@Suite("The border of agents", .serialized)
struct AgentBorderTests {
  private static let python = BorderScript.python
  private static let tool = BorderScript.tool
  private static let notAgent = "org.meridian.agent.NotAgent"
  private static let named = ["agent-program = \(python)"]

  /// Runs a script against a daemon with these lines of configuration, and returns what it says first
  /// of its refusal.
  private func refusal(_ configuration: [String], _ script: String) async throws -> String {
    let daemon = try await DaemonRun(configuration: configuration)
    let program = try BorderScript.run(daemon, script, Self.tool)
    defer { program.end() }
    return try await program.lines.next { $0.hasPrefix("said ") || $0.hasPrefix("ended ") }
  }

  @Test(
    "border 1: an app that attends on a second connection is refused, registered or not",
    arguments: [
      ([], "is served as the app"),
      (named, "is served as the app"),
    ])
  func app(configuration: [String], reason: String) async throws {
    let said = try await refusal(
      configuration, "app = serve()\nsay('said', ask(connect(), attend, True))")
    #expect(said.contains(Self.notAgent) && said.contains(reason), "\(said)")
  }

  @Test("border 1: an app that has hung up, or whose child attends, is refused")
  func child() async throws {
    let forked = try await refusal(
      Self.named,
      """
      app = serve()
      if os.fork() == 0:
        say('said', ask(connect(), attend, True))
        os._exit(0)
      os.wait()
      """)
    #expect(forked.contains(Self.notAgent) && forked.contains("is served as the app"), "\(forked)")
    let later = try await refusal(
      Self.named, "serve().close()\nsay('said', ask(connect(), attend, True))")
    #expect(later.contains("is served as the app"), "\(later)")
  }

  @Test("border 1: a child that an app has left behind is refused, also when the app has ended")
  func orphan() async throws {
    for end in ["os.read(0, 1)", "os._exit(0)"] {
      let said = try await refusal(
        Self.named,
        """
        app = serve()
        ready, go = os.pipe()
        if os.fork() == 0:
          if os.fork() != 0: os._exit(0)
          os.read(ready, 1)
          say('said', ask(connect(), attend, True))
          os._exit(0)
        os.wait()
        app.close()
        os.write(go, b"x")
        \(end)
        """)
      #expect(said.contains("was left behind in the session of the app"), "\(said)")
    }
  }

  @Test("border 1: another program of the same user is refused, and so is an answer without Attend")
  func unregistered() async throws {
    let daemon = try await DaemonRun()
    let program = try BorderScript.run(
      daemon,
      """
      s = connect()
      say('said', ask(s, attend, True))
      say('said', ask(s, attend, True))
      say('answered', ask(s, "org.meridian.agent.Answer", app="a.b", number=1, answer="whileUsing"))
      """)
    defer { program.end() }
    let said = try await program.lines.next { $0.hasPrefix("said") }
    #expect(said.contains(Self.notAgent) && said.contains("agent-program = PATH"), "\(said)")
    let answered = try await program.lines.next { $0.hasPrefix("answered") }
    #expect(answered.contains(Self.notAgent) && answered.contains("does not attend"))
    _ = try await daemon.program.lines.next { $0.contains("refused \(Self.python)") }
  }

  @Test("border 1: what a process wrote before it became the agent's program is no answer")
  func becomesAgent() async throws {
    let folder = try TemporaryFolder()
    chmod(folder.path, 0o755)
    let registered = folder.file("agent")
    try FileManager.default.copyItem(atPath: realpathOf("/usr/bin/sleep"), toPath: registered)
    let daemon = try await DaemonRun(configuration: ["agent-program = \(registered)"])
    let app = try daemon.run(daemon.install("AsyncApp", as: DaemonTests.app, in: "a"))
    defer { app.end() }
    _ = try await app.lines.next { $0 == "no location, asking" }
    // Held up until the process has changed its program.
    daemon.program.signal(SIGSTOP)
    let attacker = try BorderScript.run(
      daemon,
      """
      s = socket.socket(socket.AF_UNIX); s.settimeout(60)
      child = os.fork()
      if child == 0:
        s.connect(path)
        send(s, attend, True)
        send(s, "org.meridian.agent.Answer", app="\(DaemonTests.app)", number=1, answer="whileUsing")
        os.execv("\(registered)", ["agent", "60"])
      while os.readlink(f"/proc/{child}/exe") != "\(registered)": os.sched_yield()
      say("changed")
      while True:
        said = reply(s)
        say("said", said)
        if "token of its question" in said or "hung up" in said: break
      os.kill(child, 9)
      """)
    defer { attacker.end() }
    _ = try await attacker.lines.next { $0 == "changed" }
    daemon.program.signal(SIGCONT)
    _ = try await attacker.lines.next { $0.contains("does not repeat the token of its question") }
  }

  private func realpathOf(_ path: String) -> String {
    URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }

  @Test("border 1: a registered program attends and answers; it is not served as an app then")
  func registered() async throws {
    let daemon = try await DaemonRun(configuration: Self.named)
    let agent = try BorderScript.run(
      daemon,
      """
      s = connect()
      send(s, attend, True)
      say('attending')
      asked = json.loads(reply(s))["parameters"]
      prompt = asked["question"]
      say('answered', ask(s, "org.meridian.agent.Answer", app=prompt["app"],
        number=prompt["number"], answer="whileUsing", token=asked["token"]))
      say('served', ask(connect(), open_link, True, version=2))
      """)
    defer { agent.end() }
    _ = try await agent.lines.next { $0 == "attending" }
    let app = try daemon.run(daemon.install("AsyncApp", as: DaemonTests.app, in: "a"))
    defer { app.end() }
    _ = try await app.lines.next { $0 == "live 48.5" }
    let served = try await agent.lines.next { $0.hasPrefix("served") }
    #expect(served.contains("Refused") && served.contains("answers questions for a person"))
  }

  @Test(
    "border 1: a registered program is refused once others could have written it, or its folder")
  func writable() async throws {
    let folder = try TemporaryFolder()
    let home = folder.file("home")
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    let path = home + "/agent"
    try FileManager.default.copyItem(atPath: Self.python, toPath: path)
    chmod(path, 0o755)
    chmod(home, 0o755)
    let daemon = try await DaemonRun(in: folder, configuration: ["agent-program = \(path)"])
    let agent = try BorderScript.run(
      daemon,
      """
      for change in [lambda: None, lambda: os.chmod(sys.argv[2], 0o775),
                     lambda: (os.chmod(sys.argv[2], 0o755), os.chmod(sys.argv[3], 0o777))]:
        change()
        s = connect()
        send(s, attend, True)
        send(s, "org.varlink.service.GetInfo")
        say('said', reply(s))
      """, path, home, program: path)
    defer { agent.end() }
    let first = try await agent.lines.next { $0.hasPrefix("said") }
    #expect(first.contains("locationd"), "\(first)")
    let second = try await agent.lines.next { $0.hasPrefix("said") }
    #expect(second.contains("chmod go-w \(path)"), "\(second)")
    let third = try await agent.lines.next { $0.hasPrefix("said") }
    #expect(third.contains("chmod go-w \(home)\""), "\(third)")
  }

  // MARK: Terminals

  /// Puts locationctl agent on a terminal that the script holds, and answers when it is asked.
  private static let terminal =
    BorderScript.terminal + """
      def hold_agent():
        said = hold_terminal(sys.argv[2], "agent")
        say("ended", said.replace("\\r\\n", " "))

      """

  @Test("border 1: locationctl agent on a terminal of an ordinary program is asked, and answers")
  func ordinaryTerminal() async throws {
    let daemon = try await DaemonRun(configuration: [])
    let agent = try BorderScript.run(daemon, Self.terminal + "hold_agent()", Self.tool)
    defer { agent.end() }
    _ = try await agent.lines.next { $0.contains("attending at") }
    let app = try daemon.run(daemon.install("AsyncApp", as: DaemonTests.app, in: "a"))
    defer { app.end() }
    _ = try await agent.lines.next { $0.contains("to use your location?") }
    _ = try await app.lines.next { $0 == "live 48.5" }
  }

  @Test("border 1: an app that types on the terminal of the real locationctl agent is refused")
  func terminalOfApp() async throws {
    let parent = try await refusal([], Self.terminal + "app = serve()\nhold_agent()")
    #expect(parent.contains("is served as the app"), "\(parent)")
    let twin = try await refusal(
      [],
      Self.terminal + """
        ready, go = os.pipe()
        if os.fork() == 0:
          app = serve()
          os.write(go, b"x")
          app.recv(1)
          os._exit(0)
        os.read(ready, 1)
        hold_agent()
        """)
    #expect(twin.contains("runs the app"), "\(twin)")
    // One that is started by nobody, on a terminal that the app holds.
    let elsewhere = try await refusal(
      [],
      """
      app = serve()
      holder, side = os.openpty()
      name = os.ttyname(side)
      ready, go = os.pipe()
      output, tell = os.pipe()
      if os.fork() == 0:
        if os.fork() != 0: os._exit(0)
        os.read(ready, 1)
        os.close(holder); os.close(side)
        os.setsid()
        side = os.open(name, os.O_RDWR)
        fcntl.ioctl(side, termios.TIOCSCTTY, 0)
        os.dup2(side, 0); os.dup2(side, 1); os.dup2(side, 2)
        os.execv(sys.argv[2], [sys.argv[2], "agent"])
      os.wait()
      os.write(go, b"x")
      said = b""
      while b"Next:" not in said:
        said += os.read(holder, 4096)
      say("ended", said.decode().replace("\\r\\n", " "))
      """)
    let reasons = ["is held by an app", "began in the login of the app"]
    #expect(reasons.contains { elsewhere.contains($0) }, "\(elsewhere)")
    #expect(elsewhere.contains("Next: run locationctl agent in the foreground"))
  }

  @Test(
    "border 12: an agent is refused where more than 65,536 descriptors are to be looked through",
    .enabled(if: getuid() == 0, "only root may open so many"))
  func descriptors() async throws {
    let said = try await refusal(
      [],
      Self.terminal + """
        import resource
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        each = min(most, 70000) - 64
        ready, go = os.pipe()
        alive, end = os.pipe()
        for _ in range(65536 // each + 1):
          if os.fork() == 0:
            os.close(end)
            held = [os.dup(0) for _ in range(each)]
            os.write(go, b"x")
            os.read(alive, 1)
            os._exit(0)
          os.read(ready, 1)
        hold_agent()
        """)
    #expect(said.contains("too many descriptors are open to find who holds its"), "\(said)")
  }

  @Test(
    "border 1: an app that has left an agent behind, and then connects in another process, is refused",
    arguments: ["os.wait()", "pass"])
  func leftBehindBefore(end: String) async throws {
    let said = try await refusal(
      [],
      """
      def start(of): return int(open(f"/proc/{of}/stat").read().rsplit(")", 1)[1].split()[19])
      ready, go = os.pipe()
      output, tell = os.pipe()
      if os.fork() == 0:
        os.setsid()
        if os.fork() != 0: os._exit(0)
        os.write(tell, f"{os.getpid()}\\n".encode())
        os.dup2(ready, 0); os.dup2(tell, 1); os.dup2(tell, 2)
        words = f"read line; exec {sys.argv[2]} agent"
        os.execv("/usr/bin/script", ["script", "-qfc", words, "/dev/null"])
      os.wait()
      left = start(int(os.read(output, 100)))
      # The clock of the kernel has coarse ticks.
      while True:
        if os.fork() != 0:
          if os.WEXITSTATUS(os.wait()[1]) == 0: os._exit(0)
        elif start(os.getpid()) == left: os._exit(1)
        else: break
      first = os.getpid()
      if os.fork() != 0:
        \(end)
        os._exit(0)
      while "\(end)" == "pass" and os.getppid() == first: os.sched_yield()
      app = serve()
      os.write(go, b"x\\n")
      said = b""
      while b"Next:" not in said: said += os.read(output, 4096)
      say("ended", said.decode().replace("\\r\\n", " "))
      """)
    let reasons = ["began in the login of the app", "neither has the app"]
    #expect(reasons.contains { said.contains($0) }, "\(said)")
  }

  @Test("border 1: an app in the session of the terminal could type there: the agent is refused")
  func sharedTerminal() async throws {
    let daemon = try await DaemonRun(configuration: [])
    let app = try daemon.install("AsyncApp", as: DaemonTests.app, in: "a")
    let program = try BorderScript.run(
      daemon,
      """
      pid, terminal = pty.fork()
      if pid == 0:
        # The leader of the session starts the app in the background, and the agent in front.
        ready, go = os.pipe()
        app = os.fork()
        if app == 0:
          os.setpgid(0, 0)
          os.dup2(go, 1); os.dup2(go, 2)
          os.execv(sys.argv[3], [sys.argv[3]])
        received = b""
        while b"asking" not in received: received += os.read(ready, 4096)
        agent = os.fork()
        if agent == 0: os.execv(sys.argv[2], [sys.argv[2], "agent"])
        os.waitpid(agent, 0)
        os.kill(app, 9)
        os._exit(0)
      said = b""
      while b"Next:" not in said:
        said += os.read(terminal, 4096)
      os.waitpid(pid, 0)
      say("ended", said.decode().replace("\\r\\n", " "))
      """, Self.tool, app)
    defer { program.end() }
    let said = try await program.lines.next { $0.hasPrefix("ended ") }
    #expect(said.contains("an app can type on its terminal"), "\(said)")
  }
}
