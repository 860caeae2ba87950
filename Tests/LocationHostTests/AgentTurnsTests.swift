import Foundation
import LocationHost
import LocationModel
import Synchronization
import TestSupport
import Testing

@testable import LocationDaemon

/// What one user's questions, and one user's programs, may take from others.
@Suite("The bounds of questions and of remembered programs")
struct AgentTurnsTests {
  private func prompt(_ number: Int) -> Prompt.ID {
    Prompt.ID(app: AppIdentity("org.example.App\(number)"), number: 1)
  }

  @Test(
    "border 12: a user's questions have few programs at once, and another user's begin beside them")
  func turns() {
    var turns = AgentTurns<Int>()
    let starts = (0..<66).map { turns.come(prompt($0), of: 1001, $0) }
    #expect(starts == [.now, .now] + Array(repeating: .later, count: 64))
    #expect(turns.come(prompt(66), of: 1001, 66) == .never)
    #expect(turns.come(prompt(67), of: 1002, 67) == .now)
    #expect(turns.withdraw(prompt(2)) == 2)
    #expect(turns.withdraw(prompt(0)) == nil, "it is shown already")
    // The next of those that wait, in their order.
    #expect(turns.end(prompt(0)) == 3)
    #expect(turns.end(prompt(67)) == nil)
    #expect(turns.end(prompt(1)) == 4)
  }

  @Test(
    "border 12: the programs of all users are bounded, and each turn that ends begins one")
  func total() {
    var turns = AgentTurns<Int>()
    for number in 0..<16 {
      #expect(turns.come(prompt(number), of: UInt32(1000 + number / 2), number) == .now)
    }
    #expect(turns.come(prompt(16), of: 2000, 16) == .later)
    #expect(turns.come(prompt(17), of: nil, 17) == .later)
    #expect(turns.end(prompt(5)) == 16)
    #expect(turns.end(prompt(16)) == 17)
  }

  @Test(
    "border 12: a program is asked by two processes of a user at once, then by the next one")
  func processes() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "turns-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (file, gate) = (folder.appending(path: "agent"), folder.appending(path: "gate").path)
    // Each process says that it runs, and ends when it can read a line.
    try writeScript(
      "echo $$ >> \(folder.path)/log; read line < \(gate); exit 3", to: file.path)
    #expect(mkfifo(gate, 0o600) == 0)
    let agent = ProgramAgent(path: file.path, variables: [:])
    let (replies, continuation) = AsyncStream.makeStream(of: Int.self)
    for number in 0..<3 {
      var question = Prompt(
        id: prompt(number), kind: .whenInUse, appName: "App", text: "To test.",
        offersPrecise: true)
      question.program = VerifiedProgram(path: "/opt/app", user: 1001, isProtected: true)
      agent.show(question) { _ in _ = continuation.yield(number) }
    }
    // Opening waits for a reader; two read at most, whoever comes first.
    let descriptor = open(gate, O_RDWR)
    defer { close(descriptor) }
    var ended: Set<Int> = []
    var iterator = replies.makeAsyncIterator()
    for count in 1...3 {
      _ = write(descriptor, "go\n", 3)
      ended.insert(try #require(await iterator.next()))
      let log = try String(contentsOfFile: folder.path + "/log", encoding: .utf8)
      #expect(log.split(separator: "\n").count <= min(count + 2, 3))
    }
    #expect(ended == [0, 1, 2])
  }

  @Test(
    "border 12: programs that were served are forgotten beyond a user's bound, and no other user's")
  func programs() {
    var trust = TrustState(TrustedPrograms())
    let other = AppProgram(path: "/opt/other", user: 1002)
    trust.noteServed(other.path, of: other.user)
    for number in 0...TrustState.mostProgramsOfUser {
      trust.noteServed("/tmp/\(number)", of: 1001)
    }
    #expect(trust.appPrograms.count == TrustState.mostProgramsOfUser + 1)
    #expect(trust.appPrograms.contains(other))
    let (first, second) = (
      AppProgram(path: "/tmp/0", user: 1001), AppProgram(path: "/tmp/1", user: 1001)
    )
    #expect(!trust.appPrograms.contains(first) && trust.appPrograms.contains(second))
    for user in 2000..<2016 {
      for number in 0..<TrustState.mostProgramsOfUser {
        trust.noteServed("/home/\(user)/\(number)", of: UInt32(user))
      }
    }
    #expect(trust.appPrograms.count == TrustState.mostPrograms)
    // The users who have most are the ones to lose.
    #expect(trust.appPrograms.contains(other))
  }
}
