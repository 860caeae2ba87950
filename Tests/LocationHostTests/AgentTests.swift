import Foundation
import LocationDaemon
import LocationService
import LocationEngine
import LocationHost
import LocationModel
import Synchronization
import TestSupport
import Testing

@Suite("The agents that answer questions", .timeLimit(.minutes(1)))
struct AgentTests {
  private static let app = AppIdentity("org.example.Walk")
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "agents-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private static func prompt(_ kind: Prompt.Kind = .whenInUse) -> Prompt {
    var prompt = Prompt(
      id: Prompt.ID(app: app, number: 3), kind: kind, appName: "Walk",
      text: "To draw “your” walk.", offersPrecise: true)
    prompt.program = VerifiedProgram(path: "/opt/walk/walk", user: 1000, isProtected: true)
    return prompt
  }

  private func reply(of agent: some PromptAgent, to prompt: Prompt = prompt()) async -> AgentReply?
  {
    let (replies, continuation) = AsyncStream.makeStream(of: AgentReply.self)
    agent.show(prompt) { _ = continuation.yield($0) }
    for await reply in replies { return reply }
    return nil
  }

  /// A program that is a shell script.
  private func program(
    _ script: String, variables: [String: String] = [:], timeout: Duration = .seconds(60)
  ) throws -> ProgramAgent {
    let path = folder.appending(path: "agent").path
    try writeScript(script, to: path)
    return ProgramAgent(path: path, variables: variables, timeout: timeout)
  }

  private func policy(_ text: String, mode: Int = 0o644) throws -> PolicyAgent {
    let file = folder.appending(path: "policy")
    try Data(text.utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    return PolicyAgent(path: file.path)
  }

  // MARK: Programs

  @Test("a program receives the question as JSON, and its answer counts")
  func program() async throws {
    let received = folder.appending(path: "received").path
    let agent = try program("cat > \(received); echo '{\"answer\":\"once\",\"precise\":false}'")
    #expect(await reply(of: agent) == .answer(.once, precise: false))
    let data = try #require(FileManager.default.contents(atPath: received))
    let question = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(question["question"] as? String == "when_in_use")
    #expect(question["app"] as? String == "org.example.Walk")
    #expect(question["number"] as? Int == 3)
    #expect(question["name"] as? String == "Walk")
    #expect(question["text"] as? String == "To draw “your” walk.")
    #expect(question["answers"] as? [String] == ["once", "whileUsing", "deny"])
    #expect(question["offers_precise"] as? Bool == true)
    #expect(question["purpose"] == nil)
    #expect(question["program"] as? String == "/opt/walk/walk")
    #expect(question["user"] as? Int == 1000)
  }

  @Test("a program receives the purpose of full accuracy")
  func purpose() async throws {
    let agent = try program(
      "case $(cat) in *'\"purpose\":\"race\"'*) echo '{\"answer\":\"accept\"}';; esac")
    let race = Self.prompt(.temporaryAccuracy(purposeKey: "race"))
    #expect(await reply(of: agent, to: race) == .answer(.accept, precise: true))
  }

  @Test(
    "what is no answer passes the question on, with the reason",
    arguments: [
      ("echo '{\"answer\":\"pass\"}'", "it passes the question on"),
      ("echo '{\"answer\":\"pass\",\"reason\":\"nobody home\"}'", "nobody home"),
      ("echo yes", "its answer is not understood: no JSON at byte 0"),
      ("echo '{\"answer\":\"maybe\"}'", "its answer is not understood: unknown word `maybe`"),
      ("echo '{}'", "its answer is not understood: no field `answer`"), ("true", "it says nothing"),
      ("echo '{\"answer\":\"once\"}'; exit 3", "it ended with status 3"),
      ("kill -9 $$", "it ended with status 137"),
      ("head -c 100000 /dev/zero", "it says too much"),
    ])
  func noAnswer(script: String, reason: String) async throws {
    // One that does not read its input ends like any other.
    #expect(await reply(of: try program(script)) == .passed(reason: reason))
  }

  @Test("a program that is not there passes the question on")
  func noProgram() async {
    let agent = ProgramAgent(path: "/nonexistent/agent")
    #expect(
      await reply(of: agent) == .passed(reason: "/nonexistent/agent: No such file or directory"))
    #expect(agent.obstacle == "/nonexistent/agent: No such file or directory")
  }

  @Test("border 15: a program gets a short environment, and a session of its own")
  func surroundings() async throws {
    let delivered = folder.appending(path: "delivered").path
    var variables = [
      "NOTIFY_SOCKET": "/n", "LISTEN_FDS": "1", "CORELOCATION_AGENTS": "", "LD_X": "",
    ]
    for name in ProgramAgent.kept { variables[name] = "its-\(name)" }
    let agent = try program(
      "tr '\\0' '\\n' < /proc/$$/environ > \(delivered); cut -d' ' -f1,5,6 /proc/$$/stat >> \(delivered)",
      variables: variables)
    #expect(await reply(of: agent) == .passed(reason: "it says nothing"))
    let lines = try String(contentsOfFile: delivered, encoding: .utf8).split(separator: "\n")
    let numbers = try #require(lines.last).split(separator: " ")
    #expect(Set(numbers).count == 1 && numbers.count == 3)
    #expect(
      lines.dropLast().map(String.init).sorted()
        == (ProgramAgent.kept.map { "\($0)=its-\($0)" } + ["PATH=/usr/local/bin:/usr/bin:/bin"])
        .sorted())
  }

  @Test("border 15: a program that never ends is ended, with all that it has started, and passes")
  func endless() async throws {
    // Open for writing in the program and in what it starts, from the time that they run.
    let life = try Life(at: folder.appending(path: "life").path)
    let agent = try program(
      "trap '' TERM; exec 9> \(life.path); sleep 600 & sleep 600",
      timeout: .milliseconds(1500))
    #expect(
      await reply(of: agent)
        == .passed(reason: "it did not answer within 1 s, and was ended"))
    life.awaitEnd()
  }

  @Test("border 15: a program that does not read its question does not hold the others up")
  func deaf() async throws {
    let long = Prompt(
      id: Prompt.ID(app: Self.app, number: 3), kind: .whenInUse, appName: "Walk",
      text: String(repeating: "w", count: 1 << 20), offersPrecise: true)
    let agent = try program("sleep 600", timeout: .seconds(1))
    #expect(
      await reply(of: agent, to: long)
        == .passed(reason: "it did not answer within 1 s, and was ended"))
  }

  @Test("border 15: an answer counts though a child of the program keeps its output open")
  func keptOpen() async throws {
    let agent = try program("sleep 600 & echo '{\"answer\":\"deny\"}'")
    #expect(await reply(of: agent) == .answer(.deny, precise: true))
  }

  @Test("border 15: a program that others can change is not run")
  func writable() async throws {
    let agent = try program("echo '{\"answer\":\"once\"}'")
    let path = folder.appending(path: "agent").path
    chmod(path, 0o770)
    let said =
      "\(path): it can be written by others than its owner; mend it with: chmod go-w \(path)"
    #expect(await reply(of: agent) == .passed(reason: said))
    #expect(agent.obstacle == said)
    chmod(path, 0o700)
    chmod(folder.path, 0o777)
    #expect(agent.obstacle?.contains("the folder \(folder.path) can be written") == true)
    chmod(folder.path, 0o755)
    #expect(agent.obstacle == nil)
  }

  @Test("MODEL-6: a program is ended when its question is moot")
  func withdrawal() async throws {
    let life = try Life(at: folder.appending(path: "life").path)
    let agent = try program("exec 9> \(life.path); echo >&9; exec sleep 60")
    let (replies, continuation) = AsyncStream.makeStream(of: AgentReply.self)
    agent.show(Self.prompt()) { _ = continuation.yield($0) }
    life.awaitByte()
    agent.withdraw(Self.prompt().id)
    for await reply in replies {
      #expect(reply == .passed(reason: "it ended with status 143"))
      break
    }
  }

  // MARK: Policies

  @Test("a policy file answers, and is read anew for each question")
  func policies() async throws {
    let agent = try policy("org.example.Walk never")
    #expect(await reply(of: agent) == .answer(.deny, precise: true))
    _ = try policy("org.example.Walk always")
    #expect(await reply(of: agent) == .answer(.whileUsing, precise: true))
    #expect(agent.obstacle == nil)
  }

  @Test("a policy file with a fault decides nothing, and neither does one that everybody can write")
  func badPolicies() async throws {
    let faulty = try policy("org.example.Walk always\norg.example.Map perhaps")
    let fault =
      "\(folder.path)/policy:2: unknown level `perhaps`; known are never, once, whenInUse, always, "
      + "ask"
    #expect(await reply(of: faulty) == .passed(reason: fault))
    #expect(faulty.obstacle == fault)
    let open = try policy("org.example.Walk always", mode: 0o666)
    #expect(
      await reply(of: open)
        == .passed(
          reason: "\(folder.path)/policy: \(folder.path)/policy can be written by everybody: "
            + "chmod go-w \(folder.path)/policy"))
    let missing = PolicyAgent(path: "/nonexistent")
    #expect(
      await reply(of: missing)
        == .passed(reason: "/nonexistent: cannot be read: No such file or directory"))
  }

  // MARK: The whole way

  private static let manifest = Manifest([
    Manifest.Key.whenInUse: .string("To draw your walk.")
  ])

  /// What an app receives first of the outcome of its request, with these agents.
  private func host(
    _ agents: [any PromptAgent], noting: @escaping @Sendable (Note) -> Void
  ) -> (LocationHost, AsyncStream<Delivery>) {
    let host = LocationHost(sources: [], agents: agents, journal: noting)
    let (deliveries, continuation) = AsyncStream.makeStream(of: Delivery.self)
    let description = ClientDescription(app: Self.app, manifest: Self.manifest)
    let (client, _) = host.connect(description) { continuation.yield($0) }
    host.send(.live(SubscriberID(1), .start(LiveOptions())), from: client)
    return (host, deliveries)
  }

  @Test("the first agent that does not pass decides for the app")
  func chain() async throws {
    let policy = try policy("org.example.Other always")
    let program = try program("echo '{\"answer\":\"deny\"}'")
    let (host, deliveries) = host([policy, program]) { _ in }
    for await case .live(_, let update) in deliveries
    where update.diagnostics.contains(.authorizationDenied) {
      withExtendedLifetime(host) {}
      return
    }
    Issue.record("no denial")
  }

  @Test("AUTH-27: without an agent the app sees a request in progress, and the log the way out")
  func nobody() async throws {
    let (notes, continuation) = AsyncStream.makeStream(of: String.self)
    let (host, deliveries) = host([try policy(""), AbsentAgent("terminal", because: "none")]) {
      if let message = $0.message { continuation.yield(message) }
    }
    for await case .live(_, let update) in deliveries {
      #expect(update.diagnostics == .authorizationRequestInProgress)
      break
    }
    for await note in notes {
      #expect(
        note == "Allow “org.example.Walk” to use your location? Nobody can be asked "
          + "(policy:\(folder.path)/policy: no line for org.example.Walk, and none for *; "
          + "terminal: none); answer with: locationctl authorize org.example.Walk whenInUse")
      break
    }
    withExtendedLifetime(host) {}
  }

  // MARK: Names

  @Test("agents are named in the environment, in their order; an unknown name is reported")
  func environment() {
    let faults = Mutex<[String]>([])
    let environment = HostEnvironment([
      "CORELOCATION_AGENTS": "policy:/etc/meridian/policy butler program:agent program:/bin/true"
    ])
    let agents = environment.agents { fault in faults.withLock { $0.append(fault) } }
    #expect(agents.map(\.name) == ["policy:/etc/meridian/policy", "program:/bin/true"])
    #expect(
      faults.withLock { $0 } == [
        "CORELOCATION_AGENTS: unknown agent `butler`; known are policy:PATH, terminal, "
          + "notification, program:PATH",
        "CORELOCATION_AGENTS: `program:agent`: expected `program:` and an absolute path",
      ])
    #expect(HostEnvironment(["CORELOCATION_AGENTS": ""]).agents { _ in }.isEmpty)
  }

  @Test("unless named, they are the policy files that are there, the terminal, and the desktop")
  func discovery() throws {
    let config = folder.appending(path: "config/meridian")
    try FileManager.default.createDirectory(at: config, withIntermediateDirectories: true)
    try Data("* ask".utf8).write(to: config.appending(path: "policy"))
    let environment = HostEnvironment(["XDG_CONFIG_HOME": "\(folder.path)/config"])
    let names = environment.agents { _ in }.map(\.name)
    #expect(names.first == "policy:\(config.path)/policy")
    #expect(names.suffix(2) == ["terminal", "notification"])
  }

  @Test("the daemon's configuration names them, and tells the faults of a policy file")
  func configuration() throws {
    _ = try policy("org.example.Walk perhaps")
    let (read, faults) = Configuration.read(
      "agent = policy:\(folder.path)/policy\nagent = notification\nagent = butler",
      file: "locationd.conf")
    #expect(read.agents == [.policy(path: "\(folder.path)/policy"), .notification])
    #expect(faults.count == 2)
    #expect(
      faults.first?.description
        == "locationd.conf:1: \(folder.path)/policy:1: unknown level `perhaps`; known are never, "
        + "once, whenInUse, always, ask")
    #expect(Configuration.read("agent = none", file: "").configuration.agents == [])
  }
}

/// A named pipe that tells what has it open for writing: it ends with the last of those processes.
private struct Life: ~Copyable {
  let path: String
  private let descriptor: Int32

  init(at path: String) throws {
    self.path = path
    guard mkfifo(path, 0o600) == 0 else { throw POSIXError(.EEXIST) }
    descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
  }

  deinit { close(descriptor) }

  /// Waits until something was written.
  func awaitByte() { pause() }

  /// Waits until no process has it open any more.
  func awaitEnd() {
    var byte: UInt8 = 0
    while read(descriptor, &byte, 1) != 0 { pause() }
  }

  /// Until there is something to read, or the last process that had it open has closed it.
  private func pause() {
    var place = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&place, 1, 60_000)
  }
}
