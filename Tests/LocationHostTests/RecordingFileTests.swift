import Foundation
import LocationSimulation
import TestSupport
import LocationHost
import LocationModel
import LocationRecording
import Testing

@Suite("The flight recorder of a process", .serialized)
struct RecordingFileTests {
  private let folder: TemporaryFolder
  private var file: String { folder.file("flight.rec") }
  /// An hour of it is over in some seconds.
  private let source: String

  init() throws {
    folder = try TemporaryFolder()
    let log = folder.file("walk.nmea")
    try Data((0..<3000).flatMap { Array(Self.sentence(second: $0).utf8) })
      .write(to: URL(fileURLWithPath: log))
    source = "log://\(log)?rate=100"
  }

  private static func sentence(second: Int) -> String {
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
    let time = two(8 + second / 3600) + two(second / 60 % 60) + two(second % 60)
    let minutes = "\(3100_000 + second * 7 + second % 3)"
    let body =
      "GPRMC,\(time).00,A,52\(minutes.prefix(2)).\(minutes.dropFirst(2)),N,01324.0000,E"
      + ",2.50,1.0,050126,,,A"
    return String(decoding: NMEAWriter.sentence(body), as: UTF8.self)
  }

  private func start(_ prefix: String, limit: Int? = nil) throws -> RunningProgram {
    let words = ["record", source, prefix + file] + (limit.map { ["\($0)"] } ?? [])
    return try RunningProgram(BuiltProgram.path("HostProgram"), words)
  }

  private var contents: [UInt8] {
    get throws { [UInt8](try Data(contentsOf: URL(fileURLWithPath: file))) }
  }

  private var keys: SealedRecording.Keys {
    get throws { try StateFolder(path: file + "-state").recordingsKeys }
  }

  /// Replays the file; what is cut off at the end of an encrypted one counts as torn, too.
  private func replay() throws -> Replay.Summary {
    let bytes = try contents
    guard SealedRecording.isSealed(bytes) else { return try Replay.run(bytes) }
    let content = try SealedRecording.open(bytes, with: keys)
    var summary = try Replay.run(content.bytes)
    summary.torn += bytes.count - content.offset
    return summary
  }

  @Test(
    "SEAL-11: has every delivered fix when the process is killed, and continues with the next",
    arguments: ["", "plain:"])
  func killed(_ prefix: String) async throws {
    let program = try start(prefix)
    _ = try await program.lines.next { $0 == "fix 300" }
    program.end(with: SIGKILL)
    let first = try replay()
    #expect(first.steps >= 300)
    #expect(first.sections == 1)
    // What a power cut might leave.
    let handle = try #require(FileHandle(forWritingAtPath: file))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data([prefix.isEmpty ? 0x22 : 0x01, 0x80, 0x80]))
    try handle.close()
    #expect(try replay().torn == 3)
    let next = try start(prefix)
    _ = try await next.lines.next { $0 == "fix 10" }
    next.end(with: SIGKILL)
    let second = try replay()
    #expect(second.sections == 2)
    #expect(second.steps >= first.steps + 10)
    #expect(second.torn == 0)
  }

  @Test("says that the disk is full, and the host goes on", arguments: ["", "plain:"])
  func full(_ prefix: String) async throws {
    let program = try start(prefix, limit: 2000)
    defer { program.end() }
    _ = try await program.lines.next { $0.hasPrefix("note: \(file): ") ? true : nil }
    _ = try await program.lines.next { $0 == "fix 400" }
    let summary = try replay()
    #expect(summary.torn == 0)
    #expect(summary.steps > 10)
  }

  @Test(
    "leaves a file alone that is no recording, or that another process records into",
    arguments: ["", "plain:"])
  func others(_ prefix: String) async throws {
    try Data("a diary\n".utf8).write(to: URL(fileURLWithPath: file))
    let program = try start(prefix)
    _ = try await program.lines.next { $0.hasPrefix("note: \(file): ") ? true : nil }
    program.end()
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "a diary\n")
    try FileManager.default.removeItem(atPath: file)
    let one = try start(prefix)
    defer { one.end() }
    _ = try await one.lines.next { $0 == "fix 3" }
    let other = try start(prefix)
    defer { other.end() }
    _ = try await other.lines.next { $0.contains("another process") ? true : nil }
    _ = try await other.lines.next { $0 == "fix 3" }
  }

  @Test("SEAL-11: does not mix what is encrypted and what is not", arguments: ["", "plain:"])
  func mixed(_ prefix: String) async throws {
    let one = try start(prefix)
    _ = try await one.lines.next { $0 == "fix 3" }
    one.end(with: SIGKILL)
    let before = try contents
    let other = try start(prefix.isEmpty ? "plain:" : "")
    defer { other.end() }
    _ = try await other.lines.next { $0.contains("name another file") ? true : nil }
    #expect(try contents == before)
  }

  @Test("SEAL-11: is for its owner only, and tells nothing without the key")
  func mode() async throws {
    let program = try start("")
    defer { program.end() }
    _ = try await program.lines.next { $0 == "fix 1" }
    for word in ["net.meridian.recorded", "latitude", "providers"] {
      #expect(try contents.firstRange(of: Array(word.utf8)) == nil)
    }
    #expect(throws: RecordingFault.noKey) { try SealedRecording.open(contents, with: [:]) }
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }
}
